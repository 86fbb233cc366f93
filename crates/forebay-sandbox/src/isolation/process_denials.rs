//! Explains why a run cannot signal or inspect processes of others.
//!
//! Landlock lets a process signal and trace only processes of its own domain. So `kill` of another process fails,
//! its files in `/proc` cannot be read, and `ss -p`, `lsof` and `fuser` do not see what it has open.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use rustix::process::geteuid;

use super::denials::{UserPermissions, contains_any};

/// How to get around it, for a person or with a person's consent.
const REMEDY: &str =
    "`forebay run --isolation off` or isolation.profile = \"off\" in your settings lifts it";

/// A signal that was denied to a process which signals of this user would reach.
pub(super) fn signal_note(
    line: &str,
    lowercase: &str,
    user: &dyn UserPermissions,
) -> Option<String> {
    let is_denied = contains_any(lowercase, &["operation not permitted", "eperm"]);
    if !is_denied || !lowercase.contains("kill") {
        return None;
    }
    let named: Vec<u32> = after_kill(line).filter_map(|word| word.parse().ok()).collect();
    if !named.is_empty() && !named.iter().any(|pid| user.may_signal(*pid)) {
        return None;
    }
    let reachable = named.iter().find(|pid| user.may_signal(**pid)).copied();
    let what = "isolation: a run can signal only processes that it started";
    // The process of a job needs no exception from isolation, so none is suggested.
    Some(match (user.how_to_stop(reachable), reachable) {
        (Some(call), Some(_)) => format!("{what}; {call}"),
        (Some(call), None) => format!("{what}; {call}; {REMEDY}"),
        (None, _) => format!("{what}; {REMEDY}"),
    })
}

/// The numbers in a line, from the name of the program on: `line 3: kill: (7)` is about process 7.
fn after_kill(line: &str) -> impl Iterator<Item = &str> {
    let start = line.find("kill").unwrap_or_default();
    line[start..]
        .split(|character: char| !character.is_ascii_digit())
        .filter(|word| !word.is_empty())
}

/// A file in `/proc` of a process that this user could inspect.
pub(super) fn inspection_note(path: &Path, user: &dyn UserPermissions) -> Option<String> {
    let pid = process_of(path)?;
    user.may_signal(pid).then(|| {
        format!("isolation: a run can inspect only its own processes (not /proc/{pid}); {REMEDY}")
    })
}

fn process_of(path: &Path) -> Option<u32> {
    let mut parts = path.strip_prefix("/proc").ok()?.components();
    match parts.next()? {
        Component::Normal(pid) => pid.to_str()?.parse().ok(),
        _ => None,
    }
}

/// Commands that name the owners of sockets and files, if they could not.
pub(super) fn hidden_owners(command: &str, output: &str, succeeded: bool) -> Option<String> {
    let is_hidden = commands(command).any(|mut words| match words.next() {
        Some("ss") => {
            words.any(names_processes) && !output.trim().is_empty() && !output.contains("users:((")
        }
        Some("netstat") => output.contains("Not all processes could be identified"),
        Some("lsof" | "fuser") => !succeeded && output.trim().is_empty(),
        _ => false,
    });
    is_hidden.then(|| {
        format!("isolation: a run sees sockets and open files of its own processes only; {REMEDY}")
    })
}

fn names_processes(word: &str) -> bool {
    word == "--processes"
        || word.strip_prefix('-').is_some_and(|flags| {
            flags.contains('p') && flags.chars().all(|flag| flag.is_ascii_alphanumeric())
        })
}

/// The commands of a line as words, without `sudo`; quotes do not matter for these programs.
fn commands(line: &str) -> impl Iterator<Item = impl Iterator<Item = &str>> {
    line.split([';', '|', '&', '\n', '(', ')']).map(|command| {
        command
            .split_whitespace()
            .skip_while(|word| *word == "sudo")
            .map(|word| word.rsplit('/').next().unwrap_or(word))
    })
}

/// Whether the process exists, and signals of this user reach it.
pub(super) fn may_signal(pid: u32) -> bool {
    let owner = fs::metadata(format!("/proc/{pid}")).map(|process| process.uid());
    owner.is_ok_and(|owner| geteuid().is_root() || geteuid().as_raw() == owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_sockets_without_an_owner() {
        let sockets = "State  Recv-Q Local\nLISTEN 0 127.0.0.1:80\n";
        for (command, output, succeeded, noted) in [
            ("ss -ltnp", sockets, true, true),
            ("cd /p && ss -ltnp | grep 80", sockets, true, true),
            ("ss -ltn", sockets, true, false),
            ("ss -ltnp", "LISTEN 0 127.0.0.1:80 users:((\"x\",pid=7,fd=3))\n", true, false),
            ("ss -ltnp", "", true, false),
            ("lsof -i :80", "", false, true),
            ("sudo lsof -i :80", "", false, true),
            ("lsof -i :80", "node 7 u TCP *:80\n", true, false),
            ("fuser 80/tcp", "", false, true),
            ("echo lsof", "", false, false),
        ] {
            assert_eq!(hidden_owners(command, output, succeeded).is_some(), noted, "{command}");
        }
    }
}
