//! Detects failures by the host's report, the exit code, or lines that only failing programs print.

use memchr::{memmem, memrchr};

use forebay_domain::hook::{ToolAction, ToolCall, ToolResult};
use forebay_domain::{Event, EventKind};
use forebay_policy::shell;
use forebay_text::cut;

/// Bytes scanned at each end of an output, where failures are reported.
const SCANNED_BYTES: usize = 32_000;

/// Weight of a line that states the cause of a failure.
const CAUSE: u8 = 3;

/// Shorter outputs are quoted whole.
const MAX_QUOTED_BYTES: usize = 200;

/// Exit code of a program killed by SIGPIPE, as in `yes | head`.
const CLOSED_PIPE: i32 = 141;

/// Returns the error event of a failed call.
pub(super) fn read(call: &ToolCall, result: &ToolResult) -> Option<Event> {
    let best_line = || explanation(result).or_else(|| first_line(result));
    let line = match result.exit_code {
        _ if result.is_error => best_line().unwrap_or_else(|| "failed".to_owned()),
        Some(1) if is_empty_result(call, result) => return None,
        Some(CLOSED_PIPE) => return None,
        Some(code) if code != 0 => best_line().unwrap_or_else(|| format!("exit {code}")),
        code if needs_output_check(call, code.is_some()) => {
            best_error_line(result)?;
            explanation(result)?
        }
        _ => return None,
    };
    Some(Event::new(EventKind::Error, &subject(call), &line))
}

/// Programs that display existing text, which may mention errors.
const DISPLAY_PROGRAMS: &[&str] = &[
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
/// Programs that only prepare the actual command.
const PREFIX_PROGRAMS: &[&str] =
    &["cd", "pushd", "export", "source", ".", "set", "sudo", "time", "mkdir"];

/// Whether only the output shows a failure: the exit code is unknown, or that of the last command in a pipe.
fn needs_output_check(call: &ToolCall, has_code: bool) -> bool {
    let ToolAction::Shell { command } = &call.action else { return false };
    let script = shell::parse(cut::prefix(command, 20_000));
    let is_piped = script.commands.iter().any(|command| command.piped);
    let programs = script.commands.iter().filter_map(|command| command.words.first());
    let mut programs = programs.map(|word| word.source.rsplit('/').next().unwrap_or_default());
    let leads = |program: &&str| PREFIX_PROGRAMS.contains(program);
    let shows = programs.find(|one| !leads(one)).is_some_and(|one| DISPLAY_PROGRAMS.contains(&one));
    (is_piped || !has_code) && !shows
}

/// Returns what failed: the command, the file, or else the tool.
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

/// Whether exit code 1 just means no match or a difference, as for searches and comparisons.
fn is_empty_result(call: &ToolCall, result: &ToolResult) -> bool {
    const SEARCHES: &[&str] = &["grep", "egrep", "rg", "ag", "diff", "cmp", "test", "[", "git"];
    let ToolAction::Shell { command } = &call.action else { return false };
    let program = command.split_whitespace().next().unwrap_or_default();
    let is_search = SEARCHES.contains(&program.rsplit('/').next().unwrap_or_default());
    let is_git_look =
        program != "git" || ["git diff", "git grep"].iter().any(|look| command.starts_with(look));
    is_search && is_git_look && best_error_line(result).is_none()
}

/// Returns the line that states the cause, else a short output, else the line that states the failure.
fn explanation(result: &ToolResult) -> Option<String> {
    match best_error_line(result) {
        Some((CAUSE, line)) => Some(line),
        other => short_output(result).or(other.map(|(_, line)| line)),
    }
}

/// Returns an output of a few short lines whole: which of them states the cause needs no guess.
fn short_output(result: &ToolResult) -> Option<String> {
    let mut text = String::new();
    for line in stated_lines(result) {
        if text.len() + line.len() > MAX_QUOTED_BYTES {
            return None;
        }
        if !text.is_empty() {
            text.push_str(" · ");
        }
        text.push_str(line);
    }
    (!text.is_empty()).then_some(text)
}

fn first_line(result: &ToolResult) -> Option<String> {
    stated_lines(result).next().map(|line| cut::one_line(line, 300))
}

/// The lines of an output that are not blank and not the host's.
fn stated_lines(result: &ToolResult) -> impl Iterator<Item = &str> {
    let lines = result.texts().flat_map(str::lines).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("Exit code "))
}

/// Returns the line that best describes the failure, and its weight.
fn best_error_line(result: &ToolResult) -> Option<(u8, String)> {
    let mut best: Option<(u8, &str, Option<&str>)> = None;
    for text in result.texts() {
        let (head, tail) = ends(text);
        for part in [head, tail] {
            for (start, line) in marked_lines(part) {
                let weight = weight(line);
                if weight > best.map_or(0, |(weight, ..)| weight) {
                    best = Some((weight, line, line_after(&part[start + line.len()..])));
                }
            }
        }
    }
    best.map(|(weight, line, after)| match after.filter(|_| line.trim_end().ends_with(':')) {
        Some(after) => (weight, cut::one_line(&format!("{} {after}", line.trim()), 300)),
        None => (weight, cut::one_line(line, 300)),
    })
}

/// Returns the next line that is not blank: what a line ending in a colon announces.
fn line_after(rest: &str) -> Option<&str> {
    rest.lines().map(str::trim).find(|line| !line.is_empty())
}

fn ends(text: &str) -> (&str, &str) {
    if text.len() <= 2 * SCANNED_BYTES {
        return (text, "");
    }
    (cut::prefix(text, SCANNED_BYTES), cut::suffix(text, SCANNED_BYTES))
}

/// Markers that every line about a failure contains, and few others.
const FAILURE_MARKERS: &[&str] = &[
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

/// Returns the lines with a marker and their places, in order; a prefilter that skips most lines.
fn marked_lines(text: &str) -> Vec<(usize, &str)> {
    let starts = FAILURE_MARKERS.iter().flat_map(|sign| {
        let places = memmem::find_iter(text.as_bytes(), sign.as_bytes());
        places.map(|place| memrchr(b'\n', &text.as_bytes()[..place]).map_or(0, |end| end + 1))
    });
    let mut starts: Vec<usize> = starts.collect();
    starts.sort_unstable();
    starts.dedup();
    let line = |start: usize| Some((start, text[start..].lines().next()?));
    starts.into_iter().filter_map(line).collect()
}

/// Prefixes of lines about a failure: weight 3 states the cause, 2 only the fact.
const LINE_PREFIXES: &[(&str, u8)] = &[
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
    ("Failed asserting ", 3),
    ("--- FAIL", 2),
    ("Segmentation fault", 3),
    ("make: ***", 2),
    ("bash: ", 2),
    ("sh: ", 2),
    ("zsh: ", 2),
];
/// Parts of lines about a failure.
const LINE_PARTS: &[(&str, u8)] = &[
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
    (" FAILED", 2),
    ("Build failed", 2),
    ("BUILD FAILED", 2),
    ("Connection refused", 3),
];

/// Rates how well a line describes a failure; a count of zero means success.
fn weight(line: &str) -> u8 {
    let line = line.trim_start();
    if reports_zero_failures(line) {
        return 0;
    }
    let opening =
        LINE_PREFIXES.iter().filter(|(words, _)| line.starts_with(words)).map(|row| row.1);
    let within = LINE_PARTS.iter().filter(|(words, _)| line.contains(words)).map(|row| row.1);
    opening.chain(within).max().unwrap_or_else(|| u8::from(reports_failures(line)))
}

/// Whether a line is a summary of a success: `0 failed`, `no errors`.
fn reports_zero_failures(line: &str) -> bool {
    let lower = line.to_lowercase();
    let says = |words: &str| lower.contains(words);
    (says("0 failed")
        || says("0 errors")
        || says("no errors")
        || says("0 failures")
        || says("errors: 0"))
        && !reports_failures(line)
}

const COUNT_WORDS: &[&str] = &["failed", "failures", "failing", "errors"];
const COUNT_LABELS: &[&str] = &["Failures: ", "Errors: ", "failures: ", "failed: "];

/// Whether a line counts failures above zero: `3 failed`, `2 errors`, `Failures: 1`.
fn reports_failures(line: &str) -> bool {
    let is_some = |word: &str| word.parse::<u32>().is_ok_and(|count| count > 0);
    let is_no_word = |c: char| !c.is_alphanumeric();
    let words: Vec<&str> = line.split(is_no_word).filter(|word| !word.is_empty()).collect();
    let labelled = |label: &&str| {
        line.split_once(*label)
            .is_some_and(|(_, rest)| rest.split(is_no_word).next().is_some_and(is_some))
    };
    words.windows(2).any(|pair| is_some(pair[0]) && COUNT_WORDS.contains(&pair[1]))
        || COUNT_LABELS.iter().any(labelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_pattern_contains_a_marker() {
        let opening = LINE_PREFIXES.iter().chain(LINE_PARTS).map(|(words, _)| *words);
        for words in opening.chain(COUNT_WORDS.iter().chain(COUNT_LABELS).copied()) {
            assert!(FAILURE_MARKERS.iter().any(|sign| words.contains(sign)), "{words}");
        }
    }

    #[test]
    fn returns_marked_lines_once_and_in_order() {
        let text = "all well\n  error: a failed panic\r\nfine\n\nFAILED x\nno";
        let lines: Vec<&str> = marked_lines(text).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, ["  error: a failed panic", "FAILED x"]);
        assert!(marked_lines("").is_empty());
    }
}
