//! Read-only commands: allowed without asking, unless an option makes them do more.

use super::git::subcommand_at;
use super::options;
use crate::shell::{Command, Word};

/// Commands that no option makes write or run anything.
const READ_ONLY: &[&str] = &[
    "ls", "cat", "echo", "pwd", "head", "tail", "grep", "wc", "which", "diff", "stat", "du", "cd",
    "true", "false", ":",
];
/// Read-only commands and the options that make them do more.
const WITH_EXCEPTIONS: &[(&str, &[&str])] = &[
    (
        "find",
        &[
            "-exec",
            "-execdir",
            "-ok",
            "-okdir",
            "-delete",
            "-fprint",
            "-fprint0",
            "-fprintf",
            "-fls",
            "-files0-from",
        ],
    ),
    ("file", &["-m", "-f", "-C", "--magic-file", "--files-from", "--compile"]),
];
const GIT_READ_ONLY: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "ls-files",
    "ls-tree",
    "blame",
    "describe",
    "shortlog",
    "cat-file",
    "rev-list",
    "name-rev",
    "merge-base",
    "whatchanged",
    "count-objects",
    "for-each-ref",
    "show-ref",
    "diff-tree",
];
const GIT_WRITING_OPTIONS: &[&str] =
    &["--output", "--ext-diff", "--textconv", "--no-index", "-O", "--open-files-in-pager", "-o"];
const DOCKER_READ_ONLY: &[&str] = &["ps", "images", "logs", "inspect", "version", "info"];

/// Whether a command is read-only for every value of its unknown parts.
pub(crate) fn is_read_only(command: &Command) -> bool {
    let Some(name) = command.words.first().and_then(Word::known) else { return false };
    if !command.assignments.is_empty() {
        return false;
    }
    let rest = &command.words[1..];
    if READ_ONLY.contains(&&*name) {
        return true;
    }
    match name.as_str() {
        "git" => is_read_only_git(&command.words),
        "docker" => is_read_only_docker(rest),
        _ => WITH_EXCEPTIONS.iter().any(|(known, doing)| *known == name && lacks(rest, doing)),
    }
}

/// Whether none of the options is present, nor a word that may become one.
fn lacks(words: &[Word], options: &[&str]) -> bool {
    words.iter().all(|word| {
        let clear = word.known();
        clear.is_some_and(|text| !options.iter().any(|option| is_option(&text, option)))
    })
}

/// Whether a word gives an option, also by an abbreviation; a letter counts only where it begins a word, because what
/// stands before it may take the rest as its value.
fn is_option(text: &str, option: &str) -> bool {
    /// Harmless options that look like an abbreviation of another.
    const COMPLETE: &[&str] = &["--text"];
    let is_letter = option.len() == 2 && option.starts_with('-');
    options::given(text, option).is_some()
        && !COMPLETE.contains(&text)
        && (!is_letter || text.starts_with(option))
        && (is_letter || option.starts_with("--") || text == option || text.contains('='))
}

fn is_read_only_git(words: &[Word]) -> bool {
    let own_options = &words[1..subcommand_at(words).min(words.len())];
    let only_paging = own_options.iter().all(|word| word.marked() == "--no-pager");
    let Some((subcommand, rest)) = words[1 + own_options.len()..].split_first() else {
        return own_options.is_empty();
    };
    let listing = |allowed: &[&str]| rest.iter().all(|word| allowed.contains(&&*word.marked()));
    only_paging
        && lacks(rest, GIT_WRITING_OPTIONS)
        && match subcommand.marked().as_str() {
            "branch" => listing(&["-a", "-r", "-v", "-vv", "--all", "--list", "--show-current"]),
            "tag" => listing(&["-l", "--list", "-n"]),
            "remote" => listing(&["-v", "--verbose"]),
            "stash" => rest.first().is_some_and(|word| matches!(&*word.marked(), "list" | "show")),
            "config" => rest.first().is_some_and(|word| {
                matches!(&*word.marked(), "--get" | "--list" | "-l" | "--get-all" | "get" | "list")
            }),
            "reflog" => rest.is_empty(),
            other => GIT_READ_ONLY.contains(&other),
        }
}

/// Only for the local daemon: `-H` and `--context` select another machine.
fn is_read_only_docker(rest: &[Word]) -> bool {
    let looks = rest.first().is_some_and(|word| DOCKER_READ_ONLY.contains(&&*word.marked()));
    looks && lacks(rest, &["-H", "--host", "--context", "-c"])
}
