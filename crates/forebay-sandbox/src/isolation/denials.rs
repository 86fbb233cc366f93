//! Explains denials of the sandbox that appear in the output of a run.
//!
//! The kernel reports a denial like any missing permission and keeps no log that we could read. So the paths
//! in lines about a denial are checked against the profile and against the permissions of this user: a note
//! is given only where the profile denies what the user could do without it.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::access::is_within;
use super::canonicalize::canonicalize_or_keep;
use super::denial_phrases::{
    ABSENCE_PHRASES, CONNECTION_PHRASES, DENIAL_PHRASES, OFFLINE_PHRASES, PRIVILEGE_PHRASES,
};
use super::line_parts::{find_host, paths, words};
use super::process_denials::{self, hidden_owners, inspection_note, signal_note};
use super::{AccessRules, Profile};
use crate::spec::{Program, RunSpec};

/// More notes add no information.
const MAX_NOTES: usize = 3;

/// What this user could do without isolation.
pub(super) trait UserPermissions {
    fn exists(&self, path: &Path) -> bool;
    fn may_read(&self, path: &Path) -> bool;
    fn may_write(&self, path: &Path) -> bool;
    /// Whether signals of this user reach the process.
    fn may_signal(&self, pid: u32) -> bool;
    /// The call that stops the process, or any process of this kind if it is unknown.
    fn how_to_stop(&self, pid: Option<u32>) -> Option<String>;
}

/// Returns notes for a run of `spec` that printed `output`, each with the setting that allows the access.
///
/// `how_to_stop` returns what stops a process that this program has started elsewhere, if it did; without a process,
/// what stops one of them.
pub fn explain_denials(
    spec: &RunSpec,
    output: &str,
    succeeded: bool,
    how_to_stop: &dyn Fn(Option<u32>) -> Option<String>,
) -> Vec<String> {
    if spec.isolation.profile == Profile::Off {
        return Vec::new();
    }
    let command = match &spec.program {
        Program::Shell(line) => line.clone(),
        Program::Argv(argv) => argv.join(" "),
        Program::Code(_) => String::new(),
    };
    let mut notes = Vec::from_iter(hidden_owners(&command, output, succeeded));
    // Most runs succeed and are denied nothing, and looking up what they can access takes hundreds of system calls.
    let is_denied = || contains_any(&output.to_ascii_lowercase(), DENIAL_PHRASES);
    if (!succeeded || is_denied())
        && let Ok(rules) = AccessRules::new(&spec.isolation, None)
    {
        let user = ThisUser { how_to_stop };
        notes.extend(if succeeded {
            frozen_notes(output, &spec.cwd, &rules)
        } else {
            explain_lines(output, &spec.cwd, &rules, &user)
        });
    }
    notes
}

/// What a command that succeeded could not write all the same: `git push -u` only warns that it cannot set the upstream.
/// Other refusals it got around.
fn frozen_notes(output: &str, cwd: &Path, rules: &AccessRules) -> Vec<String> {
    let mut notes = Vec::new();
    for line in output.lines() {
        let note = frozen_note(line, &line.to_ascii_lowercase(), cwd, rules);
        if let Some(note) = note.filter(|note| !notes.contains(note)) {
            notes.push(note);
        }
    }
    notes.truncate(MAX_NOTES);
    notes
}

/// A file that is frozen for runs, in a line about a denial. Git names its own relative to the top of the project.
fn frozen_note(line: &str, lowercase: &str, cwd: &Path, rules: &AccessRules) -> Option<String> {
    if !contains_any(lowercase, DENIAL_PHRASES) {
        return None;
    }
    let named = words(line).filter(|word| word.contains('/')).find_map(|word| {
        let is_meant = |path: &&PathBuf| path.ends_with(word) || cwd.join(word) == **path;
        // A folder that leads to such a file can be neither removed nor renamed.
        rules.control.iter().find(is_meant).or_else(|| rules.fixed.iter().find(is_meant))
    })?;
    let shown = named.display();
    Some(format!(
        "isolation: {shown} is frozen for runs, because other programs take commands from it, and was not changed; \
         the user can do this step, or allow it with isolation.write = [\"{shown}\"] (`forebay config` names the file)"
    ))
}

fn explain_lines(
    output: &str,
    cwd: &Path,
    rules: &AccessRules,
    user: &dyn UserPermissions,
) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for line in output.lines() {
        let lowercase = line.to_ascii_lowercase();
        let note = privilege_note(&lowercase, rules)
            .or_else(|| network_note(line, &lowercase, rules))
            .or_else(|| socket_note(line, &lowercase, rules, user))
            .or_else(|| signal_note(line, &lowercase, user))
            .or_else(|| frozen_note(line, &lowercase, cwd, rules))
            .or_else(|| path_note(line, &lowercase, cwd, rules, user))
            .or_else(|| hidden_note(line, &lowercase, cwd, rules, user));
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

/// The user that this process runs as.
struct ThisUser<'a> {
    how_to_stop: &'a dyn Fn(Option<u32>) -> Option<String>,
}

impl UserPermissions for ThisUser<'_> {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn may_read(&self, path: &Path) -> bool {
        access(path, Access::READ_OK).is_ok()
    }

    fn may_write(&self, path: &Path) -> bool {
        // A new file needs a writable directory.
        let existing = path.ancestors().find(|path| path.exists());
        existing.is_some_and(|existing| {
            (existing == path || existing.is_dir()) && access(existing, Access::WRITE_OK).is_ok()
        })
    }

    fn may_signal(&self, pid: u32) -> bool {
        process_denials::may_signal(pid)
    }

    fn how_to_stop(&self, pid: Option<u32>) -> Option<String> {
        (self.how_to_stop)(pid)
    }
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

/// A connection to a socket that is closed to runs, and exists.
fn socket_note(
    line: &str,
    lowercase: &str,
    rules: &AccessRules,
    user: &dyn UserPermissions,
) -> Option<String> {
    if !contains_any(lowercase, CONNECTION_PHRASES) {
        return None;
    }
    let paths = words(line).map(|word| word.strip_prefix("unix://").unwrap_or(word));
    let paths = paths.filter(|word| word.starts_with('/')).map(Path::new);
    let mut paths = paths.map(canonicalize_or_keep);
    let path = paths.find(|path| is_within(path, &rules.closed_sockets) && user.exists(path))?;
    let shown = path.display();
    Some(format!(
        "isolation: {shown} is a socket of a process outside of the run; \
         isolation.sockets = [\"{shown}\"] in your settings opens it (`forebay config` names the file)"
    ))
}

fn path_note(
    line: &str,
    lowercase: &str,
    cwd: &Path,
    rules: &AccessRules,
    user: &dyn UserPermissions,
) -> Option<String> {
    if !contains_any(lowercase, DENIAL_PHRASES) {
        return None;
    }
    paths(line, lowercase, cwd, user).find_map(|path| {
        inspection_note(&path, user)
            .or_else(|| profile_note(&canonicalize_or_keep(&path), rules, user))
    })
}

/// A file that a run does not find because its folder is hidden, and that exists.
fn hidden_note(
    line: &str,
    lowercase: &str,
    cwd: &Path,
    rules: &AccessRules,
    user: &dyn UserPermissions,
) -> Option<String> {
    if !contains_any(lowercase, ABSENCE_PHRASES) {
        return None;
    }
    let is_hidden = |path: &PathBuf| user.exists(path) && !rules.allows_read(path);
    let mut paths = paths(line, lowercase, cwd, user).map(|path| canonicalize_or_keep(&path));
    profile_note(&paths.find(is_hidden)?, rules, user)
}

/// Why the profile denies access to `path`, if it does and the user could access it otherwise.
fn profile_note(path: &Path, rules: &AccessRules, user: &dyn UserPermissions) -> Option<String> {
    let reads = rules.allows_read(path);
    if reads && (rules.allows_write(path) || !user.may_write(path)) {
        return None;
    }
    if !reads && !user.may_read(path) {
        return None;
    }
    let (shown, profile) = (path.display(), rules.profile());
    if rules.is_denied(path) {
        return Some(format!(
            "isolation: {shown} is denied by a permission rule or isolation.deny \
             (`forebay rules`, `forebay config`)"
        ));
    }
    if rules.is_control(path) {
        return Some(format!(
            "isolation: {shown} is frozen for runs, because other programs take commands from it; \
             isolation.write = [\"{shown}\"] in your settings allows it (`forebay config` names the file)"
        ));
    }
    if rules.is_read_only(path) {
        return Some(format!(
            "isolation: {shown} is read-only for runs: an Edit rule denies changes (`forebay rules`), or it \
             holds rules, settings or stored data, which only you can change"
        ));
    }
    let (doing, setting) = if reads { ("writing", "write") } else { ("accessing", "read") };
    if is_transient(path) {
        return Some(format!(
            "isolation: {doing} {shown} is not allowed by profile {profile}; `forebay run --isolation off` allows it"
        ));
    }
    Some(format!(
        "isolation: {doing} {shown} is not allowed by profile {profile}; \
         isolation.{setting} = [\"{shown}\"] in your settings allows it (`forebay config` names the file)"
    ))
}

/// Whether a setting cannot name the path: it is another one in the next run, or a part of the kernel.
fn is_transient(path: &Path) -> bool {
    ["/proc", "/sys", "/dev/pts", "/dev/fd", "/dev/tty"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

pub(super) fn contains_any(lowercase: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| lowercase.contains(phrase))
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
            control: vec!["/p/.git/config".into()],
            fixed: Vec::new(),
            closed_sockets: vec!["/run/x.sock".into(), "/tmp/tmux-7".into()],
            shared_memory: None,
        }
    }

    /// A user who may do everything, on a machine with only these paths.
    struct Everything;

    impl UserPermissions for Everything {
        fn exists(&self, path: &Path) -> bool {
            [
                "/p",
                "/p/src",
                "/p/.git/config",
                "/etc",
                "/etc/x",
                "/h",
                "/h/x",
                "/h/.ssh",
                "/h/.ssh/id",
                "/proc/7",
                "/run/x.sock",
            ]
            .contains(&&*path.to_string_lossy())
        }

        fn may_read(&self, path: &Path) -> bool {
            !path.starts_with("/etc/private")
        }

        fn may_write(&self, path: &Path) -> bool {
            !path.starts_with("/etc/private") && !path.starts_with("/etc/x/not")
        }

        fn may_signal(&self, pid: u32) -> bool {
            [7, 70].contains(&pid)
        }

        fn how_to_stop(&self, pid: Option<u32>) -> Option<String> {
            match pid {
                None => Some("stop a job".to_owned()),
                Some(70) => Some("stop j3".to_owned()),
                Some(_) => None,
            }
        }
    }

    fn notes(profile: Profile, output: &str) -> String {
        explain_lines(output, Path::new("/p/src"), &rules(profile), &Everything).join("\n")
    }

    /// `expect` must occur in the notes; if it is empty, there must be none.
    #[track_caller]
    fn check(profile: Profile, line: &str, expect: &str) {
        let notes = notes(profile, line);
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
    fn explains_a_file_that_a_run_does_not_see() {
        let hidden = "cat: /h/.ssh/id: No such file or directory";
        check(Profile::Project, hidden, "isolation.read = [\"/h/.ssh/id\"]");
        check(Profile::Project, "cat: /h/.ssh/other: No such file or directory", "");
        check(Profile::Project, "cat: /p/src/missing: No such file or directory", "");
    }

    #[test]
    fn explains_frozen_files() {
        for line in [
            "error: could not write config file /p/.git/config: Device or resource busy",
            "sh: 1: cannot create ../.git/config: Read-only file system",
        ] {
            check(Profile::Project, line, "/p/.git/config is frozen for runs");
        }
        let of_git = "error: could not write config file .git/config: Device or resource busy";
        check(Profile::Project, of_git, "/p/.git/config is frozen for runs");
        let warned = frozen_notes(of_git, Path::new("/p/src"), &rules(Profile::Project));
        assert_eq!(warned.len(), 1, "{warned:?}");
        assert!(
            frozen_notes("wrote .git/config", Path::new("/p"), &rules(Profile::Project)).is_empty()
        );
    }

    #[test]
    fn suggests_no_setting_for_a_path_that_changes() {
        for path in ["/proc/7/oom_score_adj", "/proc/sys/kernel/panic", "/sys/x", "/dev/pts/3"] {
            let line = format!("bash: line 1: {path}: Permission denied");
            assert!(!notes(Profile::Project, &line).contains("isolation.write"), "{path}");
        }
    }

    #[test]
    fn ignores_denials_of_allowed_paths() {
        check(Profile::Project, "cat: /p/secret: Permission denied", "");
        check(Profile::Project, "./run.sh: Permission denied", "");
        check(Profile::Project, "git@github.com: Permission denied (publickey).", "");
        check(Profile::Project, "writing /etc/x", "");
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
    fn explains_a_socket_out_of_reach() {
        for line in [
            "Cannot connect to the daemon at unix:///run/x.sock. Is it running?",
            "error connecting to /run/x.sock (Connection refused)",
            "connect ECONNREFUSED /run/x.sock",
        ] {
            check(Profile::Project, line, "isolation.sockets = [\"/run/x.sock\"]");
        }
        check(Profile::Project, "error connecting to /tmp/tmux-7/default (No such file)", "");
        check(Profile::Project, "cannot connect to /p/src/own.sock", "");
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
        assert_eq!(notes(Profile::Project, &lines).lines().count(), MAX_NOTES);
    }

    #[test]
    fn does_not_blame_isolation_for_what_the_user_may_not_do_either() {
        check(Profile::Project, "cat: /etc/private: Permission denied", "");
        check(Profile::Project, "ls: cannot open directory '/etc/private': Permission denied", "");
    }

    #[test]
    fn names_no_path_that_is_not_one() {
        for line in [
            "can't open it and/or don't: Permission denied",
            "Permission denied for role 'admin' on database 'shop'",
            "error: EPERM in the I/O layer of 'x/y/z'",
            "see https://example.com/a/b: permission denied",
        ] {
            check(Profile::Strict, line, "");
        }
        check(Profile::Strict, "can't open '../../h/x': Permission denied", "accessing /h/x");
    }

    #[test]
    fn explains_signals_and_processes_out_of_reach() {
        for line in [
            "bash: line 1: kill: (7) - Operation not permitted",
            "kill: sending signal to 7 failed: Operation not permitted",
            "pkill: killing pid 7 failed: Operation not permitted",
            "Error: kill EPERM",
        ] {
            check(Profile::Project, line, "can signal only");
        }
        let of_job = "bash: line 1: kill: (70) - Operation not permitted";
        check(Profile::Project, of_job, "that it started; stop j3");
        check(Profile::Project, "Error: kill EPERM", "; stop a job; `forebay run --isolation off`");
        check(Profile::Project, "kill: (7) - Operation not permitted", "started; `forebay run");
        check(Profile::Project, "bash: line 1: kill: (8) - Operation not permitted", "");
        check(Profile::Project, "bash: line 1: kill: (9) - No such process", "");
        check(Profile::Project, "cat: /proc/7/environ: Permission denied", "inspect only");
        check(Profile::Project, "cat: /proc/8/environ: Permission denied", "");
    }
}
