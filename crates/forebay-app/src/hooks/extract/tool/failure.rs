//! Failures: told by the host, by an exit code, or by lines that only a failing program prints.

use memchr::{memmem, memrchr};

use forebay_domain::hook::{ToolAction, ToolCall, ToolResult};
use forebay_domain::{Event, EventKind};
use forebay_policy::shell;
use forebay_text::cut;

/// How much of an output is looked at from either end; failures stand at the end, or at the start.
const LOOKED_AT: usize = 32_000;

/// How a program ends whose reader had enough, as in `yes | head`.
const CLOSED_PIPE: i32 = 141;

/// The error event of a call that failed.
pub(super) fn read(call: &ToolCall, result: &ToolResult) -> Option<Event> {
    let best_line = || telling_line(result).or_else(|| first_line(result));
    let line = match result.exit_code {
        _ if result.is_error => best_line().unwrap_or_else(|| "failed".to_owned()),
        Some(1) if only_found_nothing(call, result) => return None,
        Some(CLOSED_PIPE) => return None,
        Some(code) if code != 0 => best_line().unwrap_or_else(|| format!("exit {code}")),
        code if tells_by_words(call, code.is_some()) => telling_line(result)?,
        _ => return None,
    };
    Some(Event::new(EventKind::Error, &subject(call), &line))
}

/// Programs that show what others wrote; it may speak of errors and is none.
const SHOWING: &[&str] = &[
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "rg",
    "ag",
    "sed",
    "awk",
    "find",
    "ls",
    "tree",
    "echo",
    "printf",
    "git",
    "gh",
    "curl",
    "wget",
    "jq",
    "docker",
    "kubectl",
    "journalctl",
    "bat",
    "diff",
];
/// Programs that only lead to the one that counts.
const LEADING: &[&str] = &["cd", "pushd", "export", "source", ".", "set", "sudo", "time", "mkdir"];

/// Whether only the output can tell: no exit code is known, or it is that of the last in a pipe.
fn tells_by_words(call: &ToolCall, has_code: bool) -> bool {
    let ToolAction::Shell { command } = &call.action else { return false };
    let script = shell::parse(cut::prefix(command, 20_000));
    let is_piped = script.commands.iter().any(|command| command.piped);
    let programs = script.commands.iter().filter_map(|command| command.words.first());
    let mut programs = programs.map(|word| word.source.rsplit('/').next().unwrap_or_default());
    let leads = |program: &&str| LEADING.contains(program);
    let shows = programs.find(|one| !leads(one)).is_some_and(|one| SHOWING.contains(&one));
    (is_piped || !has_code) && !shows
}

/// What failed: the command, the file, else the tool.
pub(super) fn subject(call: &ToolCall) -> String {
    match &call.action {
        ToolAction::Shell { command } if !command.is_empty() => command.clone(),
        ToolAction::Read { paths } | ToolAction::Edit { paths } | ToolAction::Write { paths }
            if !paths.is_empty() =>
        {
            format!("{} {}", call.name, paths[0])
        }
        _ => call.name.clone(),
    }
}

/// Searches and comparisons end with 1 when they find nothing or a difference.
fn only_found_nothing(call: &ToolCall, result: &ToolResult) -> bool {
    const SEARCHES: &[&str] = &["grep", "egrep", "rg", "ag", "diff", "cmp", "test", "[", "git"];
    let ToolAction::Shell { command } = &call.action else { return false };
    let program = command.split_whitespace().next().unwrap_or_default();
    let is_search = SEARCHES.contains(&program.rsplit('/').next().unwrap_or_default());
    let is_git_look =
        program != "git" || ["git diff", "git grep"].iter().any(|look| command.starts_with(look));
    is_search && is_git_look && telling_line(result).is_none()
}

fn first_line(result: &ToolResult) -> Option<String> {
    let mut lines = result.texts().flat_map(str::lines);
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with("Exit code ");
    lines.find(says).map(|line| cut::one_line(line, 300))
}

/// The line that says best what went wrong.
fn telling_line(result: &ToolResult) -> Option<String> {
    let mut best: Option<(u8, &str)> = None;
    for text in result.texts() {
        let (head, tail) = ends(text);
        for line in suspicious_lines(head).into_iter().chain(suspicious_lines(tail)) {
            let weight = weight(line);
            if weight > best.map_or(0, |(weight, _)| weight) {
                best = Some((weight, line));
            }
        }
    }
    best.map(|(_, line)| cut::one_line(line, 300))
}

fn ends(text: &str) -> (&str, &str) {
    if text.len() <= 2 * LOOKED_AT {
        return (text, "");
    }
    (cut::prefix(text, LOOKED_AT), cut::suffix(text, LOOKED_AT))
}

/// What stands in every line that tells of a failure, and in few others.
const SIGNS: &[&str] = &[
    "rror",
    "ERROR",
    "ail",
    "FAIL",
    "fatal:",
    "panic",
    "npm ERR!",
    "E   ",
    "xception",
    "Uncaught ",
    "Unhandled ",
    "Traceback",
    "Segmentation",
    "make: ***",
    "sh: ",
    "not found",
    "No such file",
    "Permission denied",
    "Connection refused",
];

/// The lines that have one of the signs, in order: most have none, and nobody looks at them.
fn suspicious_lines(text: &str) -> Vec<&str> {
    let starts = SIGNS.iter().flat_map(|sign| {
        let places = memmem::find_iter(text.as_bytes(), sign.as_bytes());
        places.map(|place| memrchr(b'\n', &text.as_bytes()[..place]).map_or(0, |end| end + 1))
    });
    let mut starts: Vec<usize> = starts.collect();
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().filter_map(|start| text[start..].lines().next()).collect()
}

/// Openings of lines that name a failure: 3 says what, 2 says that.
const OPENINGS: &[(&str, u8)] = &[
    ("error[", 3),
    ("error:", 3),
    ("Error:", 3),
    ("ERROR:", 3),
    ("fatal:", 3),
    ("panic:", 3),
    ("npm ERR!", 2),
    ("npm error", 2),
    ("E   ", 3),
    ("Exception in thread", 3),
    ("Uncaught ", 3),
    ("Unhandled ", 2),
    ("Traceback (most recent call last)", 2),
    ("FAILED", 2),
    ("FAIL ", 2),
    ("--- FAIL", 2),
    ("Segmentation fault", 3),
    ("make: ***", 2),
    ("bash: ", 2),
    ("sh: ", 2),
    ("zsh: ", 2),
];
/// Words within lines that name a failure.
const WITHIN: &[(&str, u8)] = &[
    ("' panicked at ", 3),
    ("panicked at ", 3),
    (": command not found", 3),
    (": No such file or directory", 3),
    (": Permission denied", 3),
    ("Error: ", 3),
    ("Exception: ", 3),
    ("AssertionError", 3),
    ("error TS", 3),
    (": error: ", 3),
    ("test result: FAILED", 2),
    ("Build failed", 2),
    ("BUILD FAILED", 2),
    ("Connection refused", 3),
];

/// How well a line tells of a failure; a count of none tells of success.
fn weight(line: &str) -> u8 {
    let line = line.trim_start();
    if counts_nothing(line) {
        return 0;
    }
    let opening = OPENINGS.iter().filter(|(words, _)| line.starts_with(words)).map(|row| row.1);
    let within = WITHIN.iter().filter(|(words, _)| line.contains(words)).map(|row| row.1);
    opening.chain(within).max().unwrap_or_else(|| u8::from(counts_failures(line)))
}

/// `0 failed`, `no errors`: a summary of something that went well.
fn counts_nothing(line: &str) -> bool {
    let lower = line.to_lowercase();
    let says = |words: &str| lower.contains(words);
    (says("0 failed")
        || says("0 errors")
        || says("no errors")
        || says("0 failures")
        || says("errors: 0"))
        && !counts_failures(line)
}

const COUNTED: &[&str] = &["failed", "failures", "failing", "errors"];
const LABELS: &[&str] = &["Failures: ", "Errors: ", "failures: ", "failed: "];

/// `3 failed`, `2 errors`, `Failures: 1`, with a count above none.
fn counts_failures(line: &str) -> bool {
    let is_some = |word: &str| word.parse::<u32>().is_ok_and(|count| count > 0);
    let is_no_word = |c: char| !c.is_alphanumeric();
    let words: Vec<&str> = line.split(is_no_word).filter(|word| !word.is_empty()).collect();
    let labelled = |label: &&str| {
        line.split_once(*label)
            .is_some_and(|(_, rest)| rest.split(is_no_word).next().is_some_and(is_some))
    };
    words.windows(2).any(|pair| is_some(pair[0]) && COUNTED.contains(&pair[1]))
        || LABELS.iter().any(labelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_tells_of_a_failure_has_a_sign() {
        let opening = OPENINGS.iter().chain(WITHIN).map(|(words, _)| *words);
        for words in opening.chain(COUNTED.iter().chain(LABELS).copied()) {
            assert!(SIGNS.iter().any(|sign| words.contains(sign)), "{words}");
        }
    }

    #[test]
    fn suspicious_lines_are_told_once_and_in_order() {
        let text = "all well\n  error: a failed panic\r\nfine\n\nFAILED x\nno";
        assert_eq!(suspicious_lines(text), ["  error: a failed panic", "FAILED x"]);
        assert!(suspicious_lines("").is_empty());
    }
}
