//! Explains denials of the sandbox that appear in the output of a run.
//!
//! The kernel reports a denial like any missing permission and keeps no log that we could read. So the paths
//! in lines about a denial are checked against the profile: only a path that it does not allow gets a note.

use std::path::{Component, Path, PathBuf};

use super::{AccessRules, Profile};

/// Phrases of a denial, in lowercase.
const DENIAL_PHRASES: &[&str] = &[
    "permission denied",
    "eacces",
    "eperm",
    "operation not permitted",
    "read-only file system",
    "erofs",
    "invalid cross-device link",
];

/// Phrases of a missing network, in lowercase.
const OFFLINE_PHRASES: &[&str] = &[
    "could not resolve host",
    "name resolution",
    "network is unreachable",
    "name or service not known",
    "failed to lookup address",
    "couldn't connect to server",
    "failed to connect",
    "failed to establish a new connection",
    "connection error",
    "eai_again",
    "enotfound",
    "unable to resolve",
    "socket: operation not permitted",
];

/// What sudo and similar programs print when they cannot gain privileges.
const PRIVILEGE_PHRASES: &[&str] =
    &["no new privileges", "must be setuid root", "effective uid is not 0"];

/// More notes add no information.
const MAX_NOTES: usize = 3;

/// Returns notes for a run in `cwd` that printed `output`, each with the setting that allows the access.
pub fn explain_denials(output: &str, cwd: &Path, rules: &AccessRules) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if rules.profile() == Profile::Off {
        return notes;
    }
    for line in output.lines() {
        let lowercase = line.to_ascii_lowercase();
        let note = privilege_note(&lowercase, rules)
            .or_else(|| network_note(line, &lowercase, rules))
            .or_else(|| path_note(line, &lowercase, cwd, rules));
        if let Some(note) = note
            && !notes.contains(&note)
        {
            notes.push(note);
        }
        if notes.len() == MAX_NOTES {
            break;
        }
    }
    notes
}

fn privilege_note(lowercase: &str, rules: &AccessRules) -> Option<String> {
    let profile = rules.profile();
    contains_any(lowercase, PRIVILEGE_PHRASES).then(|| {
        format!(
            "isolation: programs cannot gain privileges under profile {profile}; \
             `forebay run --isolation off` allows it"
        )
    })
}

fn network_note(line: &str, lowercase: &str, rules: &AccessRules) -> Option<String> {
    if rules.has_network() || !contains_any(lowercase, OFFLINE_PHRASES) {
        return None;
    }
    let host = find_host(line).map(|host| format!(" ({host})")).unwrap_or_default();
    Some(format!(
        "isolation: profile strict has no network{host}; isolation.profile = \"project\" allows it"
    ))
}

fn path_note(line: &str, lowercase: &str, cwd: &Path, rules: &AccessRules) -> Option<String> {
    if !contains_any(lowercase, DENIAL_PHRASES) {
        return None;
    }
    let denied = paths(line, cwd).find(|path| !rules.allows_write(path))?;
    if rules.is_denied(&denied) {
        let path = denied.display();
        return Some(format!("isolation: {path} is denied by a permission rule or isolation.deny"));
    }
    let (doing, setting) =
        if rules.allows_read(&denied) { ("writing", "write") } else { ("accessing", "read") };
    let (path, profile) = (denied.display(), rules.profile());
    Some(format!(
        "isolation: {doing} {path} is not allowed by profile {profile}; \
         isolation.{setting} = [\"{path}\"] in your settings allows it (`forebay config` names the file)"
    ))
}

fn contains_any(lowercase: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| lowercase.contains(phrase))
}

/// Returns the paths in a line: absolute ones, and relative ones with a slash or in quotes.
fn paths<'a>(line: &'a str, cwd: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let words = line.split([' ', '\'', '"', '`', '‘', '’', '(', ')', ',', ';', '=']);
    let words = words
        .map(|word| word.trim_end_matches([':', '.']))
        .filter(|word| word.starts_with('/') || word.contains('/') && !word.contains("://"));
    quoted.chain(words).filter(|text| !text.is_empty()).map(|text| normalize(&cwd.join(text)))
}

/// Turns `/a/b/../c` into `/a/c`, so that dots cannot disguise a path.
fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the first word that looks like a host name.
fn find_host(line: &str) -> Option<&str> {
    line.split([' ', '\'', '"', '(', ')', ',', '/'])
        .map(|word| word.trim_matches([':', '.']))
        .map(|word| word.split(':').next().unwrap_or(word))
        .find(|word| is_host_name(word))
}

fn is_host_name(word: &str) -> bool {
    let labels = word.split('.');
    labels.clone().count() > 1
        && labels.into_iter().all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(profile: Profile) -> AccessRules {
        AccessRules {
            profile,
            read: (profile == Profile::Strict).then(|| vec!["/p".into(), "/usr".into()]),
            write: vec!["/p".into(), "/tmp".into()],
            hidden: vec!["/h/.ssh".into()],
            exceptions: Vec::new(),
            denied: Vec::new(),
            denied_programs: Vec::new(),
            read_only: Vec::new(),
        }
    }

    /// `expect` must occur in the notes; if it is empty, there must be none.
    #[track_caller]
    fn check(profile: Profile, line: &str, expect: &str) {
        let notes = explain_denials(line, Path::new("/p/src"), &rules(profile)).join("\n");
        assert_eq!(expect.is_empty(), notes.is_empty(), "{notes}");
        assert!(notes.contains(expect), "{notes}");
    }

    #[test]
    fn names_a_denied_path_and_its_setting() {
        for line in [
            "bash: line 1: /etc/x: Permission denied",
            "touch: cannot touch '/etc/x': Permission denied",
            "Error: EACCES: permission denied, open '/etc/x'",
            "PermissionError: [Errno 13] Permission denied: '/etc/x'",
            "rm: cannot remove ‘/etc/x’: Operation not permitted",
            "error: failed to open /etc/x (os error 30): Read-only file system",
        ] {
            check(Profile::Project, line, "writing /etc/x is not allowed by profile project");
            check(Profile::Project, line, "isolation.write = [\"/etc/x\"]");
        }
        check(
            Profile::Project,
            "cat: /h/.ssh/id: Permission denied",
            "isolation.read = [\"/h/.ssh/id\"]",
        );
        check(Profile::Strict, "cat: ../../h/x: Permission denied", "accessing /h/x");
    }

    #[test]
    fn ignores_denials_of_allowed_paths() {
        check(Profile::Project, "cat: /p/secret: Permission denied", "");
        check(Profile::Project, "./run.sh: Permission denied", "");
        check(Profile::Project, "git@github.com: Permission denied (publickey).", "");
        check(Profile::Project, "writing /etc/x", "");
        check(Profile::Off, "bash: /etc/x: Permission denied", "");
    }

    #[test]
    fn explains_a_missing_network_only_under_strict() {
        let line = "curl: (6) Could not resolve host: crates.io";
        check(Profile::Strict, line, "no network (crates.io)");
        check(Profile::Project, line, "");
        check(
            Profile::Strict,
            "Error: getaddrinfo EAI_AGAIN registry.npmjs.org",
            "(registry.npmjs.org)",
        );
        check(Profile::Strict, "connect: Network is unreachable", "no network;");
    }

    #[test]
    fn explains_a_denied_sudo() {
        let line = "sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.";
        check(Profile::Project, line, "--isolation off");
    }

    #[test]
    fn limits_and_deduplicates_notes() {
        let lines: String =
            (0..9).map(|n| format!("cat: /etc/{}: Permission denied\n", n / 2)).collect();
        assert_eq!(
            explain_denials(&lines, Path::new("/p"), &rules(Profile::Project)).len(),
            MAX_NOTES
        );
    }
}
