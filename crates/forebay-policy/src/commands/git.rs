//! Git's global options, before the subcommand.

use super::inner::Inner;
use crate::shell::{Doubt, Word};

const VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];
/// Configuration keys whose value git executes, by suffix.
const RUN_SETTINGS: &[&str] = &[
    "pager",
    "editor",
    "sshcommand",
    "fsmonitor",
    "external",
    "textconv",
    "cmd",
    "helper",
    "program",
    "askpass",
    "driver",
    "clean",
    "smudge",
    "process",
    "command",
    "proxy",
];
const GIT_ALIAS: Doubt = Doubt("a git alias on the command line changes the meaning of a word");

/// Index of the subcommand, after git's global options.
pub(crate) fn subcommand_at(words: &[Word]) -> usize {
    let mut at = 1;
    while let Some(option) = words.get(at).map(Word::marked)
        && option.starts_with('-')
    {
        at += 1 + usize::from(VALUED.contains(&&*option));
    }
    at
}

/// The command without global options, and what its `-c` settings execute.
pub(super) fn inner(words: &[Word]) -> Vec<Inner> {
    let at = subcommand_at(words);
    let rest = words.get(at..).unwrap_or_default();
    let mut inner: Vec<Inner> = settings(&words[..at.min(words.len())])
        .flat_map(|(key, value)| from_setting(&key, &value, rest))
        .collect();
    if at > 1 && !rest.is_empty() {
        inner.push(Inner::Words(git(rest)));
    }
    inner
}

fn git(rest: &[Word]) -> Vec<Word> {
    std::iter::once(Word::literal("git")).chain(rest.iter().cloned()).collect()
}

fn settings(options: &[Word]) -> impl Iterator<Item = (String, String)> {
    options.windows(2).filter(|pair| pair[0].marked() == "-c").filter_map(|pair| {
        let text = pair[1].as_script();
        text.split_once('=').map(|(key, value)| (key.to_ascii_lowercase(), value.to_owned()))
    })
}

fn from_setting(key: &str, value: &str, rest: &[Word]) -> Vec<Inner> {
    if key.starts_with("alias.") {
        let meaning = match value.strip_prefix('!') {
            Some(command) => Inner::Text(Word::literal(command)),
            None => Inner::Words(git(&aliased(value, rest))),
        };
        return vec![meaning, Inner::Doubt(GIT_ALIAS)];
    }
    let is_run = RUN_SETTINGS.iter().any(|ending| key.ends_with(ending));
    if is_run {
        vec![Inner::Text(Word::literal(value.trim_start_matches('!')))]
    } else {
        Vec::new()
    }
}

fn aliased(value: &str, rest: &[Word]) -> Vec<Word> {
    value.split_whitespace().map(Word::literal).chain(rest.iter().skip(1).cloned()).collect()
}
