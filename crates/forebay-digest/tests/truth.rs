//! What a digest states in its own words is true of the whole text, whatever the text consists of.
//!
//! The facts of a recorded output alone are checked by hand (`samples/*.toml`, the snapshots) and by
//! `recount`. Here outputs follow each other, and interrupt each other. Then each number must be one
//! that holds for one of the pieces, or, where both pieces have the same fact, their sum. A
//! recognizer that counts lines of another format states a number that neither is.

#![allow(clippy::unwrap_used, clippy::panic, reason = "an unreadable sample fails the test")]

mod claims;
#[allow(dead_code, reason = "the facts are used by another test")]
mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use claims::{StatedFacts, part_range};
use forebay_digest::{Hint, clean, statements};
use samples::Sample;

/// Longer samples are cut at a line, so that many can be combined.
const MAX_SAMPLE_BYTES: usize = 9_000;

/// Number of other samples that each one is combined with.
const PARTNERS: usize = 4;

#[test]
fn outputs_in_a_row_state_only_what_holds() {
    let all = cut_samples();
    check_all(&all, |index| {
        partners(&all, index, 1).filter_map(|other| Case::row(&all[index], other)).collect()
    });
}

#[test]
fn interrupted_outputs_state_only_what_holds() {
    let all = cut_samples();
    check_all(&all, |index| {
        partners(&all, index, 7)
            .enumerate()
            .filter_map(|(nth, other)| Case::inside(&all[index], other, nth + 1))
            .collect()
    });
}

#[test]
fn complete_samples_state_only_what_holds_beside_others() {
    let (complete, all) = (cut(samples::complete()), cut_samples());
    check_all(&complete, |index| {
        let sample = &complete[index];
        let others = complete.iter().filter(|other| other.name != sample.name);
        let others = others.chain(partners(&all, position_of(sample), 3));
        others
            .enumerate()
            .flat_map(|(nth, other)| {
                [
                    Case::row(sample, other),
                    Case::row(other, sample),
                    Case::inside(sample, other, nth % PARTNERS + 1),
                ]
                .into_iter()
                .flatten()
            })
            .collect()
    });
}

#[test]
fn outputs_of_unknown_commands_state_only_what_holds() {
    let all = samples::all();
    check_all(&all, |index| vec![Case::of_script(&all[index])]);
}

#[test]
#[ignore = "takes minutes; the tests above check a part of it"]
fn every_pair_states_only_what_holds() {
    let all = cut_samples();
    check_all(&all, |index| {
        all.iter()
            .flat_map(|other| [Case::row(&all[index], other), Case::inside(&all[index], other, 2)])
            .flatten()
            .collect()
    });
}

/// A text made of pieces.
struct Case {
    name: String,
    command: String,
    pieces: Vec<(String, String)>,
    text: String,
    /// The lines of another output, if they interrupt one.
    inserted: std::ops::Range<usize>,
}

impl Case {
    /// An output whose command is not known, because a script ran it.
    fn of_script(sample: &Sample) -> Self {
        let text = clean(&sample.raw);
        Self {
            name: format!("{} in a script", sample.name),
            command: "./check.sh".to_owned(),
            pieces: vec![(sample.card.command.clone(), text.clone())],
            text,
            inserted: 0..0,
        }
    }

    /// One output after another, unless the first may go on with anything.
    fn row(first: &Sample, second: &Sample) -> Option<Self> {
        (!is_open(first) && !is_ambiguous(first, second)).then(|| Self::followed_by(first, second))
    }

    /// One output inside another, unless any line may be content of the outer one, or the rest of the outer one
    /// content of the inner one.
    fn inside(outer: &Sample, inner: &Sample, nth: usize) -> Option<Self> {
        let is_possible = !may_contain_anything(outer)
            && !is_open(inner)
            && inner.tool() != "curl"
            && !is_ambiguous(outer, inner)
            && !is_one_text(outer, inner);
        is_possible.then(|| Self::interrupted_by(outer, inner, nth))
    }

    fn followed_by(first: &Sample, second: &Sample) -> Self {
        let (one, two) = (clean(&first.raw), clean(&second.raw));
        Self {
            name: format!("{} then {}", first.name, second.name),
            command: format!("{}; {}", first.card.command, second.card.command),
            text: format!("{one}{two}"),
            pieces: vec![(first.card.command.clone(), one), (second.card.command.clone(), two)],
            inserted: 0..0,
        }
    }

    /// The start of another output is inserted between two lines.
    fn interrupted_by(outer: &Sample, inner: &Sample, nth: usize) -> Self {
        let (text, inner_text) = (clean(&outer.raw), clean(&inner.raw));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = lines.len() * nth / (PARTNERS + 1);
        let block: String = inner_text.split_inclusive('\n').take(5 + 9 * nth).collect();
        let (before, after) = (lines[..at].concat(), lines[at..].concat());
        let command = &outer.card.command;
        Self {
            name: format!("{} in {} before line {}", inner.name, outer.name, at + 1),
            command: command.clone(),
            text: format!("{before}{block}{after}"),
            inserted: at..at + block.lines().count(),
            pieces: vec![
                (command.clone(), text),
                (command.clone(), before),
                (command.clone(), after),
                (command.clone(), block.clone()),
                (inner.card.command.clone(), block),
            ],
        }
    }

    /// Returns the lines that facts name, without those of another output: if they lie within one piece, it holds what
    /// they state.
    fn parts(&self, facts: &[String]) -> Vec<String> {
        let lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        let part = |(first, last): (u64, u64)| {
            let range = first as usize - 1..last as usize;
            let is_around = range.start < self.inserted.start && self.inserted.end < range.end;
            let numbered = lines.get(range.clone())?.iter().zip(range);
            let own = numbered.filter(|(_, number)| !is_around || !self.inserted.contains(number));
            Some(own.map(|(line, _)| *line).collect::<String>())
        };
        let ranges = facts.iter().filter_map(|fact| part_range(fact));
        let parts = ranges.filter_map(|(first, last, _)| part((first, last)));
        let is_within = |part: &String| self.pieces.iter().any(|(_, text)| text.contains(part));
        parts.filter(is_within).collect()
    }

    /// Returns the commands that may have printed a part; none is known of lines inside another output.
    fn commands(&self) -> impl Iterator<Item = &str> {
        let commands = self.pieces.iter().map(|(command, _)| command.as_str());
        commands.chain([self.command.as_str(), ""]).collect::<BTreeSet<_>>().into_iter()
    }

    fn problems(&self) -> Vec<String> {
        let facts = statements_of(&self.command, &self.text);
        let pieces = self.pieces.iter().cloned();
        let pieces = pieces.map(|piece| (known_statements(&piece), piece.1));
        let parts = self.parts(&facts).into_iter().flat_map(|part| {
            self.commands().map(move |command| (statements_of(command, &part), part.clone()))
        });
        let known = StatedFacts::new(pieces.chain(parts).collect(), &self.text);
        facts
            .iter()
            .flat_map(|fact| known.problems(fact))
            .map(|problem| format!("{}: {problem}\n", self.name))
            .collect()
    }
}

/// Names cases to try alone, separated by `|`, while a recognizer is mended.
const ONLY: &str = "TRUTH_CASES";

fn check_all(all: &[Sample], cases: impl Fn(usize) -> Vec<Case> + Sync) {
    let only = std::env::var(ONLY).unwrap_or_default();
    let is_tried = |case: &Case| only.split('|').any(|name| case.name.contains(name));
    let problems: Vec<String> = std::thread::scope(|scope| {
        let half = all.len() / 2;
        let work = |range: std::ops::Range<usize>| {
            let (cases, is_tried) = (&cases, &is_tried);
            scope.spawn(move || {
                let tried = |index| cases(index).into_iter().filter(is_tried);
                let problems = |index| tried(index).flat_map(|case| case.problems());
                range.flat_map(problems).collect::<Vec<_>>()
            })
        };
        [work(0..half), work(half..all.len())].map(|thread| thread.join().unwrap()).concat()
    });
    let shown = problems.iter().take(400).cloned().collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{} statements do not hold:\n{shown}", problems.len());
}

/// Returns true if the text is one that a single command prints:
///
/// - a test that panics or prints results, or whose output was cut;
/// - a build whose tests and compiler fail;
/// - changes after those of a commit;
/// - YAML or JSON that goes on with its kind;
/// - locations that grep could print, a linter;
/// - a list of names that goes on with one word, a list of paths that goes on with the name above the findings or the
///   matches of a file.
fn is_ambiguous(outer: &Sample, inner: &Sample) -> bool {
    const LINTERS: &[&str] = &["biome", "cspell", "eslint", "jshint", "yamllint"];
    let is_lint = |sample: &Sample| LINTERS.contains(&sample.tool());
    let lists_paths = |sample: &Sample| {
        ["find", "ls", "tree"].contains(&sample.tool()) || sample.name == "ripgrep/headings"
    };
    let has_commits = ["git/log-patches", "git/show"].contains(&outer.name.as_str());
    let first_line = clean(&inner.raw);
    let first_line = first_line.lines().next().unwrap_or_default();
    let is_pair = first_line.split(": ").next().is_some_and(|key| !key.contains(' '))
        && first_line.contains(": ")
        || first_line.ends_with(':') && !first_line.contains(' ');
    let has_pairs = ["kubectl", "yaml"].contains(&outer.tool());
    let first_word = inner.raw.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_name = !first_word.contains(&b' ') || inner.name == outer.name;
    let names = [outer, inner].map(|sample| sample.name.as_str());
    let are = |tools: &[&str]| [outer, inner].iter().all(|sample| tools.contains(&sample.tool()));
    let is_document = ["json/", "sqlite3/json", "eslint/report-json"];
    let is_document = is_document.iter().any(|name| outer.name.starts_with(name));
    names.contains(&"go/panic") && names.iter().any(|name| name.starts_with("go/test"))
        || outer.name == "cargo/test-failures" && inner.tool() == "cargo"
        || are(&["gradle"])
        || are(&["kubectl", "yaml", "playwright"])
        || has_pairs && is_pair
        || is_document && inner.name.contains("json")
        || are(&["grep", "ripgrep", "ruby"]) && names.contains(&"ruby/backtrace")
        || has_commits && inner.name == "git/diff"
        || outer.name == "ls/recursive" && is_name
        || outer.name.starts_with("go/test") && inner.name == "go/test-prints-results"
        || lists_paths(outer) && outer.name == inner.name
        || is_lint(outer) && (is_lint(inner) || lists_paths(inner))
        || lists_paths(outer) && (is_lint(inner) || inner.name == "ripgrep/headings")
}

/// Returns true if the start of an output and the rest of the other may be one text: below the output of a test that has not
/// ended, in an element that is still open, below the name of a script, in a table of TOML, among branches, or among rows
/// or fields of the same table.
fn is_one_text(outer: &Sample, inner: &Sample) -> bool {
    let are = |tools: &[&str]| [outer, inner].iter().all(|sample| tools.contains(&sample.tool()));
    // What these tools print is indented like the output of a test that jest shows.
    let is_in_console = ["go", "nextest", "shellcheck"].contains(&outer.tool());
    inner.name == "jest/prints-console" && is_in_console
        || are(&["html", "xml"])
        || are(&["shellcheck"])
        || are(&["toml"])
        || outer.name == "git/branch-all" && inner.name == "git/branch"
        || outer.name == inner.name && are(&["json-log", "lsof", "psql"])
}

/// Returns true for documents, which may go on with anything.
fn is_open(sample: &Sample) -> bool {
    ["cat", "markdown"].contains(&sample.tool())
}

/// Returns true for formats in which any line may be content: patches, documents, bodies, names.
fn may_contain_anything(sample: &Sample) -> bool {
    const NAMES: &[&str] = &[
        "git/show",
        "git/diff",
        "git/log-patches",
        "diff/",
        "markdown/",
        "curl/",
        "cat/",
        "find/nul",
        "find/python",
        "ls/python",
    ];
    NAMES.iter().any(|name| sample.name.starts_with(name))
}

fn cut_samples() -> Vec<Sample> {
    cut(samples::all())
}

fn cut(mut all: Vec<Sample>) -> Vec<Sample> {
    for sample in &mut all {
        // A fence that is open would hide what follows.
        if sample.raw.len() > MAX_SAMPLE_BYTES && sample.tool() != "markdown" {
            sample.raw.truncate(end_of_cut(sample));
        }
        if !sample.raw.ends_with(b"\n") {
            sample.raw.push(b'\n');
        }
    }
    all.retain(|sample| sample.tool() != "binary");
    all
}

/// Returns where a long sample is cut: at a line, and a patch before a file, because the rest of a hunk would be what
/// follows.
fn end_of_cut(sample: &Sample) -> usize {
    let lines = sample.raw.split_inclusive(|byte| *byte == b'\n');
    let ends = lines.scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line))
    });
    let within = || ends.clone().take_while(|(start, _)| *start <= MAX_SAMPLE_BYTES);
    let file = within().filter(|(start, line)| *start > 0 && line.starts_with(b"diff -")).last();
    file.or(within().last()).map_or(MAX_SAMPLE_BYTES, |(start, _)| start)
}

/// Returns a number for a sample that stays when others are added.
fn position_of(sample: &Sample) -> usize {
    sample.name.bytes().fold(0, |sum, byte| sum * 31 % 1_009 + usize::from(byte))
}

/// Returns a few other samples, different ones for each sample.
fn partners(all: &[Sample], index: usize, seed: usize) -> impl Iterator<Item = &Sample> {
    (0..PARTNERS).map(move |nth| &all[(index * 31 + nth * 47 + seed) % all.len()])
}

fn statements_of(command: &str, text: &str) -> Vec<String> {
    let hint = Hint { command: Some(command), ..Hint::default() };
    statements(text.as_bytes(), hint)
}

/// Returns the statements about a piece, which is part of many cases.
fn known_statements(piece: &(String, String)) -> Vec<String> {
    type ByPiece = BTreeMap<(String, String), Vec<String>>;
    static KNOWN: LazyLock<Mutex<ByPiece>> = LazyLock::new(Mutex::default);
    if let Some(known) = KNOWN.lock().unwrap().get(piece) {
        return known.clone();
    }
    let (command, text) = piece;
    let statements = statements_of(command, text);
    KNOWN.lock().unwrap().insert(piece.clone(), statements.clone());
    statements
}
