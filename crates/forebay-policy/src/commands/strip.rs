//! What an allow rule is laid beside: a command without what does not matter.

use super::base_name;
use super::wrappers::Wrapper;
use crate::shell::{Command, Word, join};

/// Variables that change no more than how a program talks or is built; the host documents the first.
const SAFE_VARIABLES: &[&str] =
    &["NODE_ENV", "LANG", "LC_ALL", "TZ", "NO_COLOR", "FORCE_COLOR", "RUST_BACKTRACE", "RUST_LOG"];
/// Commands that run another in a way a prefix rule must not grant.
const EXACT_ONLY: &[&str] = &["watch", "setsid", "ionice", "flock"];

/// The texts an allow rule may match.
pub(crate) struct Allowable {
    pub(crate) texts: Vec<String>,
    /// Only a rule without wildcards may.
    pub(crate) exact_only: bool,
}

/// The command as written and as it is without harmless wrappers and assignments.
pub(crate) fn allowable(command: &Command) -> Allowable {
    let assigned =
        command.assignments.iter().map(|each| format!("{}={}", each.name, each.value.source));
    let whole = assigned.chain([command.source()]).collect::<Vec<_>>().join(" ");
    let mut texts = vec![whole];
    let mut exact_only = false;
    if command.assignments.iter().all(is_safe) {
        let mut words = command.words.clone();
        loop {
            exact_only |= needs_exact_rule(&words);
            texts.push(join(words.iter().map(|word| word.source.as_str())));
            texts.push(resolved(&words));
            match unwrapped(&words) {
                Some(inner) => words = inner,
                None => break,
            }
        }
    }
    Allowable { texts, exact_only }
}

fn is_safe(assignment: &crate::shell::Assignment) -> bool {
    SAFE_VARIABLES.contains(&&*assignment.name) && assignment.value.known().is_some()
}

/// Words without quotes where these make no difference.
fn resolved(words: &[Word]) -> String {
    let text = |word: &Word| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
        word.known()
            .filter(|text| !text.is_empty() && text.chars().all(plain))
            .unwrap_or_else(|| word.source.clone())
    };
    words.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// What a harmless wrapper runs; `xargs` only without options.
fn unwrapped(words: &[Word]) -> Option<Vec<Word>> {
    let name = words.first()?.known()?;
    let inner = match name.as_str() {
        "xargs" => {
            let bare = words.get(1).is_some_and(|word| !word.marked().starts_with('-'));
            bare.then(|| words[1..].to_vec())?
        }
        "command" if words.get(1).is_some_and(|word| word.marked().starts_with('-')) => {
            return None;
        }
        _ => Wrapper::harmless(&name)?.inner(words).to_vec(),
    };
    (!inner.is_empty()).then_some(inner)
}

fn needs_exact_rule(words: &[Word]) -> bool {
    let Some(name) = words.first().map(base_name) else { return false };
    let acts = |word: &Word| {
        matches!(&*word.marked(), "-exec" | "-execdir" | "-ok" | "-okdir" | "-delete")
    };
    EXACT_ONLY.contains(&&*name) || (name == "find" && words.iter().any(acts))
}

/// An assignment of its own changes nothing outside, unless later programs obey the variable.
pub(crate) fn is_plain_assignment(command: &Command) -> bool {
    const OBEYED: &[&str] = &[
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "CDPATH",
        "SHELLOPTS",
        "BASHOPTS",
        "PROMPT_COMMAND",
        "PS4",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "HOME",
    ];
    const OBEYED_PREFIXES: &[&str] =
        &["LD_", "DYLD_", "GIT_", "NODE_", "PYTHON", "PERL", "RUBY", "LESS", "BASH_"];
    command.words.is_empty()
        && command.assignments.iter().all(|assignment| {
            !OBEYED.contains(&&*assignment.name)
                && !OBEYED_PREFIXES.iter().any(|prefix| assignment.name.starts_with(prefix))
        })
}
