//! Git's global options, before the subcommand.

use super::inner::Inner;
use super::options::{self, Value};
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
    "uploadpack",
    "receivepack",
    "packobjectshook",
    "difffilter",
    "update",
    "tunnel",
    "smtpserver",
    "httpd",
];
/// Subcommands that push as `git push` does; some by their first word.
const PUSHING: &[&str] = &["send-pack", "http-push", "remote-http", "remote-https", "remote-ext"];
const PUSHING_BY_FIRST_WORD: &[(&str, &str)] =
    &[("subtree", "push"), ("lfs", "push"), ("svn", "dcommit"), ("p4", "submit")];
/// Options without a value; an unknown one may have one.
const FLAGS: &[&str] = &[
    "--paginate",
    "--no-pager",
    "--bare",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--html-path",
    "--man-path",
    "--info-path",
    "--version",
    "--help",
];
const GIT_ELSEWHERE: Doubt = Doubt("git takes programs or settings from elsewhere");
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
    let own_options = &words[..at.min(words.len())];
    if own_options.iter().skip(1).any(|word| is_unknown_flag(&word.marked())) && rest.len() > 1 {
        inner.push(Inner::Words(git(&rest[1..])));
    }
    if own_options.iter().any(|word| is_other_program(&word.marked())) {
        inner.push(Inner::Doubt(GIT_ELSEWHERE));
    }
    inner.extend(run_by_subcommand(rest));
    inner
}

fn is_unknown_flag(option: &str) -> bool {
    option.starts_with("--")
        && !option.contains('=')
        && !FLAGS.contains(&option)
        && !VALUED.contains(&option)
}

/// Whether an option takes git's own programs or its settings from elsewhere.
fn is_other_program(option: &str) -> bool {
    option.starts_with("--exec-path=") || option.starts_with("--config-env")
}

/// What a subcommand runs: `rebase -x`, `bisect run`, `submodule foreach`, a transport, a setting.
fn run_by_subcommand(words: &[Word]) -> Vec<Inner> {
    let Some((subcommand, rest)) = words.split_first() else { return Vec::new() };
    let is_operand = |word: &&Word| !word.marked().starts_with('-');
    let operands: Vec<Word> = rest.iter().filter(is_operand).cloned().collect();
    let mut inner: Vec<Inner> = rest
        .iter()
        .filter(|word| word.marked().contains("ext::"))
        .map(|word| Inner::Code(Word::literal(word.marked().replace("% ", " "))))
        .collect();
    let programs = options::values_of_any(rest, &["--receive-pack", "--upload-pack", "--exec"]);
    inner.extend(programs.into_iter().map(Inner::Code));
    match subcommand.marked().as_str() {
        "rebase" | "submodule" | "bisect" | "filter-branch" | "difftool" | "for-each-repo"
        | "clone" | "fetch" | "pull" | "ls-remote" | "archive" | "grep" | "hook" | "instaweb"
        | "send-email" | "filter-repo" | "daemon" => {
            inner.push(Inner::Tails(rest.to_vec()));
        }
        name if is_pushing(name, rest) => inner.push(Inner::Words(git(&pushing(rest)))),
        "config" => {
            let operands: Vec<String> = operands.iter().map(Word::as_script).collect();
            // A name before the key may be a file's: `-f .git/config`.
            let pairs = operands.windows(2).filter(|pair| pair[0].contains('.'));
            inner.extend(
                pairs.flat_map(|pair| from_setting(&pair[0].to_ascii_lowercase(), &pair[1], &[])),
            );
        }
        _ => {}
    }
    if subcommand.marked() == "for-each-repo" {
        inner.push(Inner::Words(git(&operands)));
    }
    // Without a name there are no hooks.
    let hooks =
        options::values(rest, "--template").into_iter().find(|folder| folder.marked() != "");
    if matches!(&*subcommand.marked(), "clone" | "init") && hooks.is_some() {
        inner.push(Inner::Doubt(GIT_ELSEWHERE));
    }
    if subcommand.marked() == "clone" {
        inner.extend(settings(rest).flat_map(|(key, value)| from_setting(&key, &value, &[])));
    }
    inner
}

fn is_pushing(subcommand: &str, rest: &[Word]) -> bool {
    let first = rest.first().map(Word::marked).unwrap_or_default();
    PUSHING.contains(&subcommand)
        || PUSHING_BY_FIRST_WORD.iter().any(|row| *row == (subcommand, &*first))
}

fn pushing(rest: &[Word]) -> Vec<Word> {
    std::iter::once(Word::literal("push")).chain(rest.iter().cloned()).collect()
}

/// `git-push` is `git push`.
pub(super) fn dashed(name: &str, words: &[Word]) -> Vec<Inner> {
    let subcommand = Word::literal(name.trim_start_matches("git-"));
    let words = [Word::literal("git"), subcommand].into_iter().chain(words[1..].iter().cloned());
    vec![Inner::Words(words.collect())]
}

fn git(rest: &[Word]) -> Vec<Word> {
    std::iter::once(Word::literal("git")).chain(rest.iter().cloned()).collect()
}

/// Settings by `-c key=value`, `-ckey=value` and `--config key=value`.
fn settings(options: &[Word]) -> impl Iterator<Item = (String, String)> {
    let texts: Vec<String> = options.iter().map(Word::as_script).collect();
    let given = (0..texts.len()).filter_map(move |at| {
        let text = &texts[at];
        let short = || text.strip_prefix("-c").and_then(|_| options::given(text, "-c"));
        let setting = match options::given(text, "--config").or_else(short)? {
            Value::Attached(attached) => attached,
            Value::Next => texts.get(at + 1)?,
        };
        setting.split_once('=').map(|(key, value)| (key.to_ascii_lowercase(), value.to_owned()))
    });
    given.collect::<Vec<_>>().into_iter()
}

fn from_setting(key: &str, value: &str, rest: &[Word]) -> Vec<Inner> {
    if key.starts_with("alias.") {
        let meaning = match value.strip_prefix('!') {
            Some(command) => Inner::Text(Word::literal(command)),
            None => Inner::Words(git(&aliased(value, rest))),
        };
        return vec![meaning, Inner::Doubt(GIT_ALIAS)];
    }
    let is_elsewhere = key.ends_with("hookspath") || key.ends_with("templatedir");
    if is_elsewhere || key.starts_with("include") {
        return vec![Inner::Doubt(GIT_ELSEWHERE)];
    }
    let is_run =
        key.starts_with("pager.") || RUN_SETTINGS.iter().any(|ending| key.ends_with(ending));
    let value = Word::literal(value.trim_start_matches('!'));
    // Extensions of git run settings of their own.
    vec![if is_run { Inner::Text(value) } else { Inner::Suspects(vec![value]) }]
}

fn aliased(value: &str, rest: &[Word]) -> Vec<Word> {
    value.split_whitespace().map(Word::literal).chain(rest.iter().skip(1).cloned()).collect()
}
