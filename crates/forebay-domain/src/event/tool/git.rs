//! What was done with git; looking is no event.

use super::super::{Event, EventKind};
use crate::hook::ToolResult;
use crate::text::cut;

/// What changes a repository or the place in it.
const DOING: &[&str] = &[
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
/// Some of those only list when they get no name.
const LISTING: &[&str] = &["branch", "stash", "tag", "worktree", "submodule"];
/// Options of git itself that take a value.
const VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

pub(super) fn read(words: &[&str], result: &ToolResult) -> Option<Event> {
    let (program, rest) = words.split_first()?;
    if program.rsplit('/').next() != Some("git") {
        return None;
    }
    let rest = without_options(rest);
    let (verb, rest) = rest.split_first()?;
    let only_lists = LISTING.contains(verb)
        && rest.first().is_none_or(|word| word.starts_with('-') || *word == "list");
    let deletes = rest.iter().any(|word| matches!(*word, "-d" | "-D" | "-m" | "--delete"));
    if !DOING.contains(verb)
        || (only_lists && !deletes && *verb != "stash")
        || is_stash_look(verb, rest)
    {
        return None;
    }
    let line = cut::one_line(&words.join(" "), 160);
    let text = match told(verb, result) {
        Some(words) => format!("{line}: {words}"),
        None => line,
    };
    Some(Event::new(EventKind::Git, verb, &text))
}

fn is_stash_look(verb: &str, rest: &[&str]) -> bool {
    verb == "stash" && matches!(rest.first(), Some(&("list" | "show")))
}

fn without_options<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let mut rest = words;
    while let Some(word) = rest.first().filter(|word| word.starts_with('-')) {
        let taken = if VALUED.contains(word) { 2 } else { 1 };
        rest = rest.get(taken..).unwrap_or_default();
    }
    rest
}

/// What git said of it: a commit's own line, or where one is now.
fn told(verb: &str, result: &ToolResult) -> Option<String> {
    const SAYING: &[&str] =
        &["Switched to ", "HEAD is now at ", "Merge made by", "Fast-forward", "Your branch"];
    let line = |line: &&str| match verb {
        "commit" | "cherry-pick" | "revert" => line.starts_with('[') && line.contains(']'),
        _ => SAYING.iter().any(|words| line.starts_with(words)),
    };
    let mut lines = result.texts().flat_map(|text| cut::prefix(text, 4_000).lines());
    lines.find(line).map(|line| cut::one_line(line, 120))
}
