//! What was done with git; looking is no event.

use forebay_domain::hook::ToolResult;
use forebay_domain::{Event, EventKind};
use forebay_text::cut;

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
const LISTING: &[&str] = &["branch", "tag", "worktree", "submodule"];
const LISTING_OPTIONS: &[&str] =
    &["-l", "--list", "-v", "-vv", "--merged", "--no-merged", "--contains"];
/// Options of git itself that take a value.
const VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

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
    let text = match told(verb, result) {
        Some(words) => format!("{line}: {words}"),
        None => line,
    };
    Some(Event::new(EventKind::Git, verb, &text))
}

fn changes_something(verb: &str, rest: &[&str]) -> bool {
    let only_tries = rest.iter().any(|word| matches!(*word, "--help" | "--dry-run"));
    DOING.contains(&verb) && !only_tries && !only_lists(verb, rest)
}

fn only_lists(verb: &str, rest: &[&str]) -> bool {
    if verb == "stash" {
        return matches!(rest.first(), Some(&("list" | "show")));
    }
    let names_something = rest.iter().any(|word| !word.starts_with('-') && *word != "list");
    let asks = rest.iter().any(|word| LISTING_OPTIONS.contains(word));
    LISTING.contains(&verb) && (asks || !names_something)
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
