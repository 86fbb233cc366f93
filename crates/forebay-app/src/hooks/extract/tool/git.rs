//! Extracts git events; read-only commands are none.

use forebay_domain::hook::ToolResult;
use forebay_domain::{Event, EventKind};
use forebay_text::cut;

/// Verbs that change a repository or the checked-out state.
const CHANGING_VERBS: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "branch",
    "checkout",
    "cherry-pick",
    "clone",
    "commit",
    "fetch",
    "init",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "submodule",
    "switch",
    "tag",
    "worktree",
];
/// Verbs that only list when they get no name.
const LISTING_VERBS: &[&str] = &["branch", "tag", "worktree", "submodule"];
const LISTING_OPTIONS: &[&str] =
    &["-l", "--list", "-v", "-vv", "--merged", "--no-merged", "--contains"];
/// Global options of git that take a value.
const OPTIONS_WITH_VALUE: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

pub(super) fn read(words: &[&str], result: &ToolResult) -> Option<Event> {
    let (program, rest) = words.split_first()?;
    if program.rsplit('/').next() != Some("git") {
        return None;
    }
    let (verb, rest) = without_options(rest).split_first()?;
    if !changes_something(verb, rest) {
        return None;
    }
    let line = cut::one_line(&words.join(" "), 160);
    let text = match outcome(verb, result) {
        Some(words) => format!("{line}: {words}"),
        None => line,
    };
    Some(Event::new(EventKind::Git, verb, &text))
}

fn changes_something(verb: &str, rest: &[&str]) -> bool {
    let only_tries = rest.iter().any(|word| matches!(*word, "--help" | "--dry-run"));
    CHANGING_VERBS.contains(&verb) && !only_tries && !only_lists(verb, rest)
}

fn only_lists(verb: &str, rest: &[&str]) -> bool {
    if verb == "stash" {
        return matches!(rest.first(), Some(&("list" | "show")));
    }
    let names_something = rest.iter().any(|word| !word.starts_with('-') && *word != "list");
    let asks = rest.iter().any(|word| LISTING_OPTIONS.contains(word));
    LISTING_VERBS.contains(&verb) && (asks || !names_something)
}

fn without_options<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let mut rest = words;
    while let Some(word) = rest.first().filter(|word| word.starts_with('-')) {
        let taken = if OPTIONS_WITH_VALUE.contains(word) { 2 } else { 1 };
        rest = rest.get(taken..).unwrap_or_default();
    }
    rest
}

/// Returns git's report: the line of a new commit, or the new HEAD.
fn outcome(verb: &str, result: &ToolResult) -> Option<String> {
    const OUTCOME_PREFIXES: &[&str] =
        &["Switched to ", "HEAD is now at ", "Merge made by", "Fast-forward", "Your branch"];
    let line = |line: &&str| match verb {
        "commit" | "cherry-pick" | "revert" => line.starts_with('[') && line.contains(']'),
        _ => OUTCOME_PREFIXES.iter().any(|words| line.starts_with(words)),
    };
    let mut lines = result.texts().flat_map(|text| cut::prefix(text, 4_000).lines());
    lines.find(line).map(|line| cut::one_line(line, 120))
}
