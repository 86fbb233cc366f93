//! What a digest states in its own words is true of the whole text, whatever the text consists of.
//!
//! The facts of a recorded output alone are checked by hand (`samples/*.toml`, the snapshots) and by
//! `recount`. Here outputs follow each other, and interrupt each other. Then each number must be one
//! that holds for one of the pieces, or, where both pieces have the same fact, their sum. A
//! recognizer that counts lines of another format states a number that neither is.

#![allow(clippy::unwrap_used, clippy::panic, reason = "an unreadable sample fails the test")]

#[allow(dead_code, reason = "the facts are used by another test")]
mod samples;

use std::collections::{BTreeMap, BTreeSet};

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
        partners(&all, index, 1).map(|other| Case::followed_by(&all[index], other)).collect()
    });
}

#[test]
fn interrupted_outputs_state_only_what_holds() {
    let all = cut_samples();
    check_all(&all, |index| {
        partners(&all, index, 7)
            .filter(|other| !may_contain_anything(&all[index]) && !is_ambiguous(&all[index], other))
            .enumerate()
            .map(|(nth, other)| Case::interrupted_by(&all[index], other, nth + 1))
            .collect()
    });
}

#[test]
fn complete_samples_state_only_what_holds_beside_others() {
    let (complete, all) = (cut(samples::complete()), cut_samples());
    check_all(&complete, |index| {
        let sample = &complete[index];
        let others = complete.iter().filter(|other| other.name != sample.name);
        let others = others
            .chain(partners(&all, position_of(sample), 3))
            .filter(|other| !is_ambiguous(sample, other));
        others
            .enumerate()
            .flat_map(|(nth, other)| {
                let inside = (!may_contain_anything(sample))
                    .then(|| Case::interrupted_by(sample, other, nth % PARTNERS + 1));
                // A document may go on with anything.
                let is_open = |sample: &Sample| ["cat", "markdown"].contains(&sample.tool());
                let row = |one: &Sample, other: &Sample| {
                    (!is_open(one)).then(|| Case::followed_by(one, other))
                };
                [row(sample, other), row(other, sample), inside].into_iter().flatten()
            })
            .collect()
    });
}

#[test]
#[ignore = "takes minutes; the tests above check a part of it"]
fn every_pair_states_only_what_holds() {
    let all = cut_samples();
    check_all(&all, |index| {
        all.iter()
            .flat_map(|other| {
                [Case::followed_by(&all[index], other), Case::interrupted_by(&all[index], other, 2)]
            })
            .collect()
    });
}

/// A text made of pieces.
struct Case {
    name: String,
    command: String,
    pieces: Vec<(String, String)>,
    text: String,
}

impl Case {
    fn followed_by(first: &Sample, second: &Sample) -> Self {
        let (one, two) = (clean(&first.raw), clean(&second.raw));
        Self {
            name: format!("{} then {}", first.name, second.name),
            command: format!("{}; {}", first.card.command, second.card.command),
            text: format!("{one}{two}"),
            pieces: vec![(first.card.command.clone(), one), (second.card.command.clone(), two)],
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
            pieces: vec![
                (command.clone(), text),
                (command.clone(), before),
                (command.clone(), after),
                (command.clone(), block.clone()),
                (inner.card.command.clone(), block),
            ],
        }
    }

    /// Adds the lines that facts name, if they lie within one piece: it holds what they state.
    fn pieces_with_parts(&self, facts: &[String]) -> Vec<(String, String)> {
        let lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        let part = |(first, last): (u64, u64)| {
            lines.get(first as usize - 1..last as usize).map(<[&str]>::concat)
        };
        let ranges = facts.iter().filter_map(|fact| part_range(fact));
        let parts = ranges.filter_map(|(first, last, _)| part((first, last)));
        let is_within = |part: &String| self.pieces.iter().any(|(_, text)| text.contains(part));
        let parts = parts.filter(is_within).map(|part| (self.command.clone(), part));
        self.pieces.iter().cloned().chain(parts).collect()
    }

    fn problems(&self) -> Vec<String> {
        let facts = facts(&self.command, &self.text);
        let known = StatedFacts::new(&self.pieces_with_parts(&facts), &self.text);
        let raw = squeezed(&self.text);
        let lines = self.text.lines().count() as u64;
        facts
            .iter()
            .filter(|fact| !is_quoted(&raw, fact))
            .flat_map(|fact| known.problems(fact, lines))
            .map(|problem| format!("{}: {problem}\n", self.name))
            .collect()
    }
}

fn check_all(all: &[Sample], cases: impl Fn(usize) -> Vec<Case> + Sync) {
    let problems: Vec<String> = std::thread::scope(|scope| {
        let half = all.len() / 2;
        let work = |range: std::ops::Range<usize>| {
            let cases = &cases;
            scope.spawn(move || {
                let problems = |index| cases(index).into_iter().flat_map(|case| case.problems());
                range.flat_map(problems).collect::<Vec<_>>()
            })
        };
        [work(0..half), work(half..all.len())].map(|thread| thread.join().unwrap()).concat()
    });
    let shown = problems.iter().take(400).cloned().collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{} statements do not hold:\n{shown}", problems.len());
}

/// Returns true if the text is one that a single command prints: a test that panics, a linter, a list of paths that goes
/// on with the name above the findings of a file.
fn is_ambiguous(outer: &Sample, inner: &Sample) -> bool {
    const LINTERS: &[&str] = &["biome", "cspell", "eslint", "jshint", "yamllint"];
    let is_lint = |sample: &Sample| LINTERS.contains(&sample.tool());
    let lists_paths = |sample: &Sample| {
        ["find", "ls", "tree"].contains(&sample.tool()) || sample.name == "ripgrep/headings"
    };
    outer.name == "go/panic" && inner.name.starts_with("go/test")
        || is_lint(outer) && (is_lint(inner) || lists_paths(inner))
        || lists_paths(outer) && is_lint(inner)
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
            let end = sample.raw[..MAX_SAMPLE_BYTES].iter().rposition(|byte| *byte == b'\n');
            sample.raw.truncate(end.map_or(MAX_SAMPLE_BYTES, |end| end + 1));
        }
        if !sample.raw.ends_with(b"\n") {
            sample.raw.push(b'\n');
        }
    }
    all.retain(|sample| sample.tool() != "binary");
    all
}

/// Returns a few other samples, different ones for each sample.
/// Returns a number for a sample that stays when others are added.
fn position_of(sample: &Sample) -> usize {
    sample.name.bytes().fold(0, |sum, byte| sum * 31 % 1_009 + usize::from(byte))
}

fn partners(all: &[Sample], index: usize, seed: usize) -> impl Iterator<Item = &Sample> {
    (0..PARTNERS).map(move |nth| &all[(index * 31 + nth * 47 + seed) % all.len()])
}

fn facts(command: &str, text: &str) -> Vec<String> {
    let hint = Hint { command: Some(command), ..Hint::default() };
    statements(text.as_bytes(), hint)
}

/// A number with the words that say what it counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    words: String,
    number: u64,
}

struct StatedFacts {
    /// The numbers that each piece states, by their words.
    pieces: Vec<BTreeMap<String, BTreeSet<u64>>>,
    /// All items of facts of the pieces, as written.
    items: BTreeSet<String>,
    /// All numbers that occur in the text.
    written: BTreeSet<u64>,
    text: String,
}

impl StatedFacts {
    fn new(pieces: &[(String, String)], whole: &str) -> Self {
        let mut known = Self {
            pieces: Vec::new(),
            items: BTreeSet::new(),
            written: pieces.iter().flat_map(|(_, text)| numbers(text)).collect(),
            text: whole.to_owned(),
        };
        for (command, text) in pieces {
            let mut claimed: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
            for fact in &facts(command, text) {
                let fact = without_range(fact);
                known.items.extend(items(fact).map(str::to_owned));
                for claim in items(fact).filter_map(|item| claim(fact, item)) {
                    claimed.entry(claim.words).or_default().insert(claim.number);
                }
            }
            known.pieces.push(claimed);
        }
        known
    }

    fn problems(&self, fact: &str, lines: u64) -> Vec<String> {
        if let Some((first, last, _)) = part_range(fact)
            && (first > last || last > lines)
        {
            return vec![format!("{fact:?}: no such lines")];
        }
        let fact = without_range(fact);
        items(fact)
            .filter(|item| !self.items.contains(*item) && !numbers(item).is_empty())
            .filter(|item| !self.holds(fact, item, lines))
            .map(|item| format!("{item:?} in {fact:?}"))
            .collect()
    }

    fn lines_with(&self, label: &str) -> u64 {
        self.text.lines().filter(|line| squeezed(line).contains(label)).count() as u64
    }

    fn holds(&self, fact: &str, item: &str, lines: u64) -> bool {
        let Some(Claim { words, number }) = claim(fact, item) else {
            return numbers(item).iter().all(|number| self.written.contains(number));
        };
        let noun = words.rsplit('|').next().unwrap_or_default();
        match noun {
            "other line"
            | "lines after the header"
            | "line with a different number of field"
            | "lines with a different number of field" => {
                return number <= lines;
            }
            "test" if number == sum_of_outcomes(fact) => return true,
            // Each piece is a run, if not more.
            "run" | "without a summary" => return number <= 2 * lines,
            "more" => return true,
            _ => {}
        }
        let known: Vec<&BTreeSet<u64>> =
            self.pieces.iter().filter_map(|piece| piece.get(&words)).collect();
        let values = || known.iter().copied().flatten();
        if known.is_empty() {
            // Pieces omit lists of one; each counted line contains the label.
            return number <= self.lines_with(noun);
        }
        let max = values().max().copied().unwrap_or(0);
        if fact.contains(" more") && (max..=self.lines_with(noun)).contains(&number) {
            // The lists of the pieces are shortened.
            return true;
        }
        let sum: u64 = known.iter().filter_map(|numbers| numbers.last()).sum();
        values().any(|one| *one == number || values().any(|two| one + two == number))
            || number == sum
            || counts_distinct(&words) && (max..=sum).contains(&number)
    }
}

/// Returns the sum of the outcomes that a fact about tests lists first.
fn sum_of_outcomes(fact: &str) -> u64 {
    let outcomes = ["passed", "failed", "error", "errors", "skipped"];
    items(fact)
        .skip_while(|item| !item.contains("passed") && !item.contains("failed"))
        .map_while(|item| item.rsplit(": ").next()?.split_once(' '))
        .take_while(|(_, noun)| outcomes.contains(noun))
        .filter_map(|(number, _)| without_grouping(number).parse::<u64>().ok())
        .sum()
}

/// Returns true if distinct values are counted, which both pieces may share.
fn counts_distinct(words: &str) -> bool {
    const NOUNS: &[&str] = &[
        "distinct",
        "file",
        "folder",
        "path",
        "client",
        "author",
        "template",
        "package",
        "commit",
        "column",
        "key",
        "level",
        "process",
        "direct",
        "processes",
        "table",
    ];
    NOUNS.iter().any(|noun| words.contains(noun))
}

/// Returns the items of a fact that lists several.
fn items(fact: &str) -> impl Iterator<Item = &str> {
    fact.split([',', ';', '(', ')'])
        .flat_map(|item| item.split(" in "))
        .flat_map(|item| item.split(" by "))
        .map(|item| item.trim().trim_start_matches('+').trim_start_matches("total "))
        .filter(|item| !item.is_empty())
}

/// Parses `12 words` and `words: 12`; the start of the fact says what it is about.
fn claim(fact: &str, item: &str) -> Option<Claim> {
    let head = fact.split(": ").next().filter(|head| head.len() < fact.len()).unwrap_or_default();
    let item = without_grouping(item.strip_prefix(head).unwrap_or(item).trim_start_matches(": "));
    let (number, words) = item
        .split_once(' ')
        .filter(|(number, _)| number.parse::<u64>().is_ok())
        .or_else(|| item.rsplit_once(": ").map(|(words, number)| (number, words)))?;
    let words = words.rsplit(": ").next().unwrap_or(words);
    let singular = words.strip_suffix('s').unwrap_or(words);
    Some(Claim { words: format!("{}|{singular}", masked(head)), number: number.parse().ok()? })
}

fn without_range(fact: &str) -> &str {
    part_range(fact).map_or(fact, |(_, _, rest)| rest)
}

/// Parses `lines 3-40: rest`.
fn part_range(fact: &str) -> Option<(u64, u64, &str)> {
    let (range, rest) = fact.strip_prefix("lines ")?.split_once(": ")?;
    let (first, last) = range.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?, rest))
}

fn masked(text: &str) -> String {
    let mut masked = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if masked.ends_with('#') => {}
            '0'..='9' => masked.push('#'),
            _ => masked.push(c),
        }
    }
    masked
}

fn numbers(text: &str) -> Vec<u64> {
    let text = without_grouping(text);
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Turns `1,500` into `1500`.
fn without_grouping(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_grouping = |at: usize| {
        bytes[at] == b','
            && at > 0
            && bytes[at - 1].is_ascii_digit()
            && bytes.get(at + 1..at + 4).is_some_and(|next| next.iter().all(u8::is_ascii_digit))
    };
    text.char_indices().filter(|(at, _)| !is_grouping(*at)).map(|(_, c)| c).collect()
}

/// Returns true if a fact repeats lines of the text.
fn is_quoted(raw: &str, fact: &str) -> bool {
    let fact = ["FAILED ", "heaviest: ", "once, "]
        .iter()
        .fold(fact, |fact, start| fact.strip_prefix(start).unwrap_or(fact));
    // A heading with its line.
    let heading = fact.split_once(": #").filter(|(line, _)| line.parse::<u64>().is_ok());
    let fact = heading.map_or(fact, |(_, heading)| heading.trim_start_matches('#'));
    let fact = match fact.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, quoted)) => quoted,
        None => fact,
    };
    let is_in_text = |part: &str| {
        let start = squeezed(part.split('…').next().unwrap_or(part));
        raw.contains(start.trim())
    };
    fact.starts_with("… ") || fact.split("; ").flat_map(|part| part.split("  ")).all(is_in_text)
}

/// Shortens runs of white space to one space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
