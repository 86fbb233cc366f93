//! Tells from a run's output what isolation refused.
//!
//! The kernel refuses with the same words as any missing permission and keeps no log for us. So the
//! paths in lines that speak of a refusal are looked up in what the profile allows: only one that it
//! does not allow is worth a remark.

use std::path::{Component, Path, PathBuf};

use super::{Profile, Reach};

/// Words of a refusal, in small letters.
const REFUSALS: &[&str] = &[
    "permission denied",
    "eacces",
    "eperm",
    "operation not permitted",
    "read-only file system",
    "erofs",
    "invalid cross-device link",
];

/// Words of a missing network, in small letters; the host may follow.
const OFFLINE: &[&str] = &[
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

/// What sudo and its like say when a run cannot gain rights.
const RIGHTS: &[&str] = &["no new privileges", "must be setuid root", "effective uid is not 0"];

/// Beyond these the reader has understood.
const MOST_REMARKS: usize = 3;

/// The remarks for a run in `cwd` that printed `output`, each naming the setting that would allow it.
pub fn explain(output: &str, cwd: &Path, reach: &Reach) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    if reach.profile() == Profile::Off {
        return remarks;
    }
    for line in output.lines() {
        let small = line.to_ascii_lowercase();
        let remark = rights(&small, reach)
            .or_else(|| network(line, &small, reach))
            .or_else(|| path(line, &small, cwd, reach));
        if let Some(remark) = remark
            && !remarks.contains(&remark)
        {
            remarks.push(remark);
        }
        if remarks.len() == MOST_REMARKS {
            break;
        }
    }
    remarks
}

fn rights(small: &str, reach: &Reach) -> Option<String> {
    let profile = reach.profile();
    contains_any(small, RIGHTS).then(|| {
        format!(
            "isolation: no program gains rights under profile {profile}; \
             `forebay run --isolation off` allows it"
        )
    })
}

fn network(line: &str, small: &str, reach: &Reach) -> Option<String> {
    if reach.has_network() || !contains_any(small, OFFLINE) {
        return None;
    }
    let host = host(line).map(|host| format!(" ({host})")).unwrap_or_default();
    Some(format!(
        "isolation: profile strict has no network{host}; isolation.profile = \"project\" allows it"
    ))
}

fn path(line: &str, small: &str, cwd: &Path, reach: &Reach) -> Option<String> {
    if !contains_any(small, REFUSALS) {
        return None;
    }
    let refused = paths(line, cwd).find(|path| !reach.may_write(path))?;
    if reach.is_denied(&refused) {
        let path = refused.display();
        return Some(format!("isolation: {path} is denied by a permission rule or isolation.deny"));
    }
    let (doing, setting) =
        if reach.may_read(&refused) { ("writing", "write") } else { ("using", "read") };
    let (path, profile) = (refused.display(), reach.profile());
    Some(format!(
        "isolation: {doing} {path} is not allowed by profile {profile}; \
         isolation.{setting} = [\"{path}\"] in your settings allows it (`forebay config` names the file)"
    ))
}

fn contains_any(small: &str, words: &[&str]) -> bool {
    words.iter().any(|word| small.contains(word))
}

/// The paths a line names: absolute ones, and relative ones with a slash or in quotes.
fn paths<'a>(line: &'a str, cwd: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let words = line.split([' ', '\'', '"', '`', '‘', '’', '(', ')', ',', ';', '=']);
    let words = words
        .map(|word| word.trim_end_matches([':', '.']))
        .filter(|word| word.starts_with('/') || word.contains('/') && !word.contains("://"));
    quoted.chain(words).filter(|text| !text.is_empty()).map(|text| without_dots(&cwd.join(text)))
}

/// `/a/b/../c` as `/a/c`, so that dots cannot hide where a path leads.
fn without_dots(path: &Path) -> PathBuf {
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

/// The first word that looks like a host.
fn host(line: &str) -> Option<&str> {
    line.split([' ', '\'', '"', '(', ')', ',', '/'])
        .map(|word| word.trim_matches([':', '.']))
        .map(|word| word.split(':').next().unwrap_or(word))
        .find(|word| looks_like_a_host(word))
}

fn looks_like_a_host(word: &str) -> bool {
    let labels = word.split('.');
    labels.clone().count() > 1
        && labels.into_iter().all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(profile: Profile) -> Reach {
        Reach {
            profile,
            read: (profile == Profile::Strict).then(|| vec!["/p".into(), "/usr".into()]),
            write: vec!["/p".into(), "/tmp".into()],
            hidden: vec!["/h/.ssh".into()],
            shown: Vec::new(),
            denied: Vec::new(),
            programs: Vec::new(),
            frozen: Vec::new(),
        }
    }

    /// `expect` is what the remark must say; nothing stands for no remark.
    #[track_caller]
    fn check(profile: Profile, line: &str, expect: &str) {
        let remarks = explain(line, Path::new("/p/src"), &reach(profile)).join("\n");
        assert_eq!(expect.is_empty(), remarks.is_empty(), "{remarks}");
        assert!(remarks.contains(expect), "{remarks}");
    }

    #[test]
    fn a_refused_path_is_named_with_its_setting() {
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
        check(Profile::Strict, "cat: ../../h/x: Permission denied", "using /h/x");
    }

    #[test]
    fn what_the_profile_allows_is_not_its_doing() {
        check(Profile::Project, "cat: /p/secret: Permission denied", "");
        check(Profile::Project, "./run.sh: Permission denied", "");
        check(Profile::Project, "git@github.com: Permission denied (publickey).", "");
        check(Profile::Project, "writing /etc/x", "");
        check(Profile::Off, "bash: /etc/x: Permission denied", "");
    }

    #[test]
    fn a_missing_network_is_named_under_strict_alone() {
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
    fn a_refused_sudo_says_why() {
        let line = "sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.";
        check(Profile::Project, line, "--isolation off");
    }

    #[test]
    fn remarks_are_few_and_different() {
        let lines: String =
            (0..9).map(|n| format!("cat: /etc/{}: Permission denied\n", n / 2)).collect();
        assert_eq!(explain(&lines, Path::new("/p"), &reach(Profile::Project)).len(), MOST_REMARKS);
    }
}
