//! Modes, owners, times and attributes where no mounts are possible, as in many containers: system calls are supervised.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
mod fixture;
#[path = "isolation/refused_calls.rs"]
mod refused_calls;

use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use forebay_sandbox::isolation::{missing_mechanisms, self_test};
use forebay_sandbox::{CancelToken, isolation::CheckOutcome};
use forebay_sandbox::{Profile, WritableByRuns};
use rustix::process::geteuid;

use crate::fixture::{Fixture, is_enforced};
use crate::refused_calls::refuse;

/// A home where nothing can be mounted, and in the project the program that attacks; `None` without isolation.
fn fixture() -> Option<Fixture> {
    if !is_enforced() {
        return None;
    }
    refuse(libc::SYS_unshare, libc::EPERM);
    let fixture = Fixture::new(Profile::Project);
    fs::write(fixture.path("project/attack.c"), include_str!("metadata/attack.c")).unwrap();
    fs::write(fixture.path("project/file"), "text\n").unwrap();
    fs::create_dir(fixture.path("project/folder")).unwrap();
    // The linker makes its output executable.
    fixture.run("cc -O1 -pthread -o attack attack.c").succeeded();
    assert_eq!(missing_mechanisms(), ["mount namespaces"]);
    Some(fixture)
}

/// What a change of metadata would change; the last is the time of any such change.
fn state(path: &Path) -> [i64; 6] {
    let found: Metadata = fs::symlink_metadata(path).unwrap();
    let mode = i64::from(found.mode());
    [
        mode,
        i64::from(found.uid()),
        i64::from(found.gid()),
        found.mtime(),
        found.ctime(),
        found.ctime_nsec(),
    ]
}

#[test]
fn nothing_outside_can_be_changed_by_any_call() {
    let Some(fixture) = fixture() else { return };
    symlink(fixture.path("elsewhere/file"), fixture.path("project/link")).unwrap();
    symlink("/proc/self/cwd/../elsewhere/file", fixture.path("project/magic")).unwrap();
    let targets = ["elsewhere/file", "elsewhere", ".ssh", ".aws/credentials", "data/db"];
    let before = targets.map(|target| state(&fixture.path(target)));
    for named in
        ["~/elsewhere/file", "~/elsewhere", "link", "magic", "~/.aws/credentials", "~/data/db"]
    {
        let text =
            fixture.run(&format!("./attack calls {named}; ./attack request {named}")).succeeded();
        // A link can be changed itself.
        let is_link = |line: &str| {
            ["link", "magic"].contains(&named) && (line.starts_with('l') || line.contains("at"))
        };
        let done: Vec<_> =
            text.lines().filter(|line| line.ends_with(": done") && !is_link(line)).collect();
        assert_eq!(done, [""; 0], "{named}: {text}");
        assert!(text.lines().count() > 20, "{text}");
    }
    for line in [
        "chmod 777 ~/elsewhere/file",
        "chmod -R 777 ~/elsewhere",
        "touch -d 2001-01-01 ~/elsewhere/file",
        "touch ~/elsewhere/file",
        "cp -p ~/elsewhere/file copy && chmod --reference=copy ~/.ssh",
        "cd ~/elsewhere && chmod 777 .",
        "cd ~/elsewhere && exec 5< . && cd ~/project && chmod 777 /proc/self/fd/5",
        "chmod 777 /etc",
        "chmod 777 /dev/null",
    ] {
        let note = fixture.run(line).was_denied();
        assert!(!note.contains("No such file"), "{line}: {note}");
    }
    // A link of `/proc` that leads elsewhere for the supervisor is not followed.
    let through_proc = fixture.run("chmod 777 /proc/$$/cwd/../elsewhere/file");
    assert!(!through_proc.finished.ending.is_success(), "{}", through_proc.text);
    assert_eq!(targets.map(|target| state(&fixture.path(target))), before);
}

#[test]
fn everything_in_the_project_can_be_changed_as_without_isolation() {
    let Some(mut fixture) = fixture() else { return };
    let attempts = [
        "./attack calls file",
        "./attack calls folder",
        "cd folder && ../attack calls ../file",
        "./attack nonsense file",
    ];
    for attempt in attempts {
        fixture.isolation.profile = Profile::Project;
        let supervised = fixture.run(attempt).succeeded();
        fixture.isolation.profile = Profile::Off;
        assert_eq!(supervised, fixture.run(attempt).succeeded(), "{attempt}");
        assert!(
            attempt.contains("nonsense") || supervised.contains("fchmod: done"),
            "{supervised}"
        );
    }
    let found = fs::metadata(fixture.path("project/file")).unwrap();
    assert_eq!((found.mode() & 0o7777, found.mtime()), (0o706, 1_000_000_000));
}

#[test]
fn frozen_and_denied_files_in_the_project_cannot_be_changed() {
    let Some(mut fixture) = fixture() else { return };
    let names = [".envrc", ".env", "rules.json"].map(|name| fixture.path("project").join(name));
    let before = names.each_ref().map(|name| {
        fs::write(name, "text\n").unwrap();
        fs::set_permissions(name, Permissions::from_mode(0o600)).unwrap();
        state(name)
    });
    let [control, denied, read_only] = names.clone();
    fixture.isolation.control_files = vec![control];
    fixture.isolation.deny = vec![denied];
    fixture.isolation.read_only = vec![read_only];
    for line in
        ["chmod 777 .envrc", "chmod 777 .env", "touch -d 2001-01-01 rules.json", "chmod -R 777 ."]
    {
        fixture.run(line).was_denied();
    }
    assert_eq!(names.each_ref().map(|name| state(name)), before);
}

#[test]
fn swapping_what_a_call_names_leads_nowhere() {
    let Some(fixture) = fixture() else { return };
    let outside = fixture.path("elsewhere/file");
    let before = state(&outside);
    // Some calls hit the file inside, so the race took place.
    fixture.run("./attack race \"$PWD/file\" \"$HOME/elsewhere/file\"").succeeded();
    assert_eq!(state(&outside), before);
}

#[test]
fn ordinary_tools_work() {
    let Some(fixture) = fixture() else { return };
    for line in [
        "mkdir -p a/b && echo x > a/b/c && chmod 750 a/b/c && cp -a a copy && tar cf a.tar a && rm -r a && tar xpf a.tar",
        "stat -c %a a/b/c copy/b/c | sort -u | grep -x 750",
        "install -m 755 file tool && touch -d 2001-01-01 tool && test \"$(stat -c %Y tool)\" = \"$(date -d 2001-01-01 +%s)\"",
        "umask 077 && f=$(mktemp) && chmod u+x \"$f\" && mv \"$f\" moved && test -x moved",
        "git init -q r && cd r && touch x && chmod +x x && git add x && git -c user.name=a -c user.email=a@b commit -qm x",
        "git -C r ls-files -s x | grep ^100755",
        "exec 5<> file && chmod 640 /dev/fd/5 && test \"$(stat -c %a file)\" = 640",
        "touch ~/.cache/x && chmod 600 ~/.cache/x",
        "for n in $(seq 50); do (chmod 60$((n % 8)) file & chmod 70$((n % 8)) folder) & done; wait",
    ] {
        fixture.run(line).succeeded();
    }
}

#[test]
fn another_user_changes_what_is_its_own() {
    if !geteuid().is_root() {
        return forebay_test_support::skip("this user is not root");
    }
    let Some(fixture) = fixture() else { return };
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    let line = format!(
        "cd \"$(mktemp -d)\" && trap 'rm -r \"$PWD\"' EXIT && chmod 755 . && touch own other && chown 65534 own \
         && {nobody} chmod 604 own && test \"$(stat -c %a own)\" = 604 && ! {nobody} chmod 777 other \
         && ! {nobody} chown 65534 other && chmod 600 own other && chown 0 own"
    );
    fixture.run(&line).succeeded();
}

#[test]
fn the_self_test_says_what_is_enforced() {
    let Some(_fixture) = fixture() else { return };
    let report = self_test(&WritableByRuns::default(), &CancelToken::new()).unwrap();
    let outcome = |escape: &str| {
        let check = report.checks.iter().find(|check| check.escape == escape).unwrap();
        (check.project, check.strict)
    };
    assert_eq!(outcome("change modes elsewhere"), (CheckOutcome::Enforced, CheckOutcome::Enforced));
    // `strict` refuses to run here.
    assert_eq!(outcome("change control files"), (CheckOutcome::Violated, CheckOutcome::Enforced));
    assert_eq!(outcome("outlive the run"), (CheckOutcome::Enforced, CheckOutcome::Enforced));
    assert!(!report.passed());
    let mechanisms = report.mechanisms.join(", ");
    assert!(
        mechanisms.contains("control files, terminals and sockets are NOT protected"),
        "{mechanisms}"
    );
}
