//! What `find` does with what it finds: removes it, or passes it on to a command that does.

use super::base_name;
use super::removals::REMOVERS;
use super::wrappers::Wrapper;
use crate::shell::{Command, Word};
use crate::wildcard::{GLOB_MANY, GLOB_ONE};

/// Tests by which only some files match, also if they are negated.
const NARROWING_TESTS: &[&str] = &[
    "-size",
    "-links",
    "-inum",
    "-samefile",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-nouser",
    "-nogroup",
    "-perm",
    "-lname",
    "-ilname",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
];

/// Tests whose value is a pattern of names.
const NAME_TESTS: &[&str] =
    &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];

const SHELLS: &[&str] = &["sh", "bash", "dash", "ksh", "zsh"];

pub(super) fn is_find(name: &str) -> bool {
    matches!(name, "find" | "gfind")
}

/// The folders that it walks through.
pub(super) fn starting_points(command: &Command) -> impl Iterator<Item = &Word> {
    let is_option = |word: &&Word| matches!(&*word.marked(), "-H" | "-L" | "-P");
    let is_expression = |word: &&Word| word.marked().starts_with(['-', '(', '!']);
    command.words.iter().skip(1).skip_while(is_option).take_while(move |word| !is_expression(word))
}

/// Whether it removes what it finds, and no test narrows that to some files.
pub(super) fn removes_all(command: &Command) -> bool {
    let steps = Step::parse(&command.words);
    steps.contains(&Step::Remove) && !is_narrowed(&steps)
}

/// Whether it prints what it finds, and no test narrows that to some files.
pub(super) fn prints_all(command: &Command) -> bool {
    let steps = Step::parse(&command.words);
    !steps.contains(&Step::Remove) && !is_narrowed(&steps)
}

/// Whether a command removes the files that are appended to its words.
pub(super) fn removes_operands(mut words: &[Word]) -> bool {
    while let Some(name) = words.first().map(base_name) {
        if REMOVERS.contains(&&*name) {
            return true;
        }
        if SHELLS.contains(&&*name) {
            return words.iter().any(|word| mentions_remover(&word.marked()));
        }
        let Some(wrapper) = Wrapper::named(&name) else { return false };
        words = wrapper.inner(words);
    }
    false
}

fn mentions_remover(script: &str) -> bool {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | '/');
    script.split(is_separator).any(|word| REMOVERS.contains(&word))
}

/// A part of an expression, as far as it matters for what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// What follows applies to other files.
    Or,
    Narrow,
    Remove,
}

impl Step {
    fn parse(words: &[Word]) -> Vec<Self> {
        let texts: Vec<String> = words.iter().map(Word::marked).collect();
        let mut steps = Vec::new();
        // Whether the current group is negated, for each group around it.
        let mut groups = vec![false];
        let mut negates_next = false;
        let mut at = 1;
        while let Some(text) = texts.get(at).map(String::as_str) {
            let value = texts.get(at + 1).map(String::as_str).unwrap_or_default();
            let is_negated = negates_next || groups.last().copied().unwrap_or_default();
            at += 1;
            if matches!(text, "!" | "-not") {
                negates_next = true;
                continue;
            }
            match text {
                "(" => groups.push(is_negated),
                ")" => drop(groups.pop()),
                "-o" | "-or" | "," => steps.push(Self::Or),
                "-delete" => steps.push(Self::Remove),
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let end = texts[at..].iter().position(|text| matches!(&**text, ";" | "+"));
                    let end = end.map_or(texts.len(), |length| at + length);
                    steps.extend(removes_operands(&words[at..end]).then_some(Self::Remove));
                    at = end + 1;
                }
                test if narrows(test, value, is_negated) => steps.push(Self::Narrow),
                _ => {}
            }
            negates_next = false;
        }
        steps
    }
}

/// Whether in each alternative a test before the removal leaves out files.
fn is_narrowed(steps: &[Step]) -> bool {
    let mut alternatives = steps.split(|step| *step == Step::Or);
    alternatives.all(|steps| steps.first() == Some(&Step::Narrow))
}

fn narrows(test: &str, value: &str, is_negated: bool) -> bool {
    match test {
        test if NAME_TESTS.contains(&test) => !is_negated && !matches_all(value),
        "-type" | "-xtype" => !is_negated && !value.contains(['f', 'd']),
        "-empty" => !is_negated,
        test => NARROWING_TESTS.contains(&test) || test.starts_with("-newer"),
    }
}

/// Whether a pattern is nothing but globs: `*`, `*.*`, `./*`.
fn matches_all(pattern: &str) -> bool {
    let is_glob = |c| matches!(c, '*' | '?' | '.' | '/' | GLOB_MANY | GLOB_ONE);
    pattern.chars().all(is_glob)
}
