//! Normalizes a command for allow rules by removing harmless parts.

use super::wrappers::Wrapper;
use super::{base_name, variables};
use crate::shell::{Command, Word, join};

/// Variables that only affect a program's output or build, or pass a file to code; the host documents the first.
const SAFE_VARIABLES: &[&str] = &[
    "NODE_ENV",
    "LANG",
    "LC_ALL",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "FILE_PATH",
];
/// Commands that run another, which a prefix rule must not grant.
const EXACT_ONLY: &[&str] = &["watch", "setsid", "ionice", "flock"];

/// The texts an allow rule may match.
pub(crate) struct AllowTexts {
    pub(crate) texts: Vec<String>,
    /// Only a rule without wildcards may match.
    pub(crate) exact_only: bool,
}

/// The command as written, and without harmless wrappers and assignments.
pub(crate) fn allow_texts(command: &Command) -> AllowTexts {
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
    AllowTexts { texts, exact_only }
}

fn is_safe(assignment: &crate::shell::Assignment) -> bool {
    is_safe_variable(&assignment.name) && assignment.value.known().is_some()
}

/// Whether a variable leaves what a command does as it is.
pub(crate) fn is_safe_variable(name: &str) -> bool {
    SAFE_VARIABLES.contains(&name)
}

/// Words without quotes where they make no difference.
fn resolved(words: &[Word]) -> String {
    let text = |word: &Word| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
        word.known()
            .filter(|text| !text.is_empty() && text.chars().all(plain))
            .unwrap_or_else(|| word.source.clone())
    };
    words.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// The command in a harmless wrapper; `xargs` only without options.
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
        _ => match Wrapper::transparent_to_allow(&name)?.candidates(words).as_slice() {
            [inner] => inner.to_vec(),
            _ => return None,
        },
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

/// A bare assignment has no effect outside, unless later programs read the variable.
pub(crate) fn is_plain_assignment(command: &Command) -> bool {
    /// Families of variables that programs obey, beyond those with a known effect.
    const READ_LATER: &[&str] =
        &["GIT_", "NODE_", "PYTHON", "PERL", "RUBY", "LESS", "BASH_", "CDPATH"];
    command.words.is_empty()
        && command.assignments.iter().all(|assignment| {
            let name = &*assignment.name;
            variables::effect(name).is_none()
                && !READ_LATER.iter().any(|start| name.starts_with(start))
        })
}
