//! Control files: a run can neither change them nor put others in their place.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use forebay_sandbox::Profile;
use rustix::process::geteuid;

use crate::fixture::{Fixture, is_enforced};

const NAMES: &[&str] =
    &[".git/config", ".git/hooks", ".git", ".envrc", ".mcp.json", ".agent", ".forebay.toml"];

/// A repository with settings of several programs.
fn fixture() -> Fixture {
    let mut fixture = Fixture::new(Profile::Project);
    let at = |name: &str| fixture.path("project").join(name);
    for folder in [".git/hooks", ".git/objects", ".git/refs", ".agent", "src"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        .unwrap();
    fs::write(at(".agent/settings.json"), "{}\n").unwrap();
    fs::write(at(".mcp.json"), "{}\n").unwrap();
    fixture.isolation.control_files = NAMES.iter().map(|name| at(name)).collect();
    // A repository's own folder is no control file; a pointer to one is.
    fixture.isolation.control_files.retain(|path| !path.is_dir() || !path.ends_with(".git"));
    fixture
}

/// The frozen files of the project: their names, modes, times and content.
fn state(fixture: &Fixture) -> Vec<String> {
    let project = fixture.path("project");
    let mut left: Vec<PathBuf> =
        ["", ".git", ".git/config", ".mcp.json"].iter().map(|name| project.join(name)).collect();
    let mut state = Vec::new();
    for folder in [".git/hooks", ".agent"].map(|name| project.join(name)) {
        left.extend(
            fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()),
        );
        left.push(folder);
    }
    for path in left {
        let found = fs::symlink_metadata(&path).map(|found| {
            let time = if found.is_dir() { None } else { found.modified().ok() };
            (found.mode(), found.ino(), time)
        });
        let content = fs::read_to_string(&path).ok();
        state.push(format!("{} {found:?} {content:?}", path.display()));
    }
    state.sort();
    state
}

/// Attacks on what is frozen, each of which works without isolation.
const ATTACKS: &[&str] = &[
    "echo x >> .git/config",
    "git config core.fsmonitor evil",
    "echo x > .git/hooks/post-checkout",
    "mv .git .git2",
    "mv .git/hooks .git/hooks2",
    "rm -r .git/hooks",
    "rmdir .git/hooks",
    "ln .git/config linked && echo x >> linked",
    "mv .agent old",
    "echo x > .agent/settings.json",
    "echo x > .agent/new",
    "rm .mcp.json",
    "ln -sf /dev/null .mcp.json",
    "chmod 777 .mcp.json",
    "touch -d 2001-01-01 .mcp.json",
    "mv ../project ../project2",
    "cd / && echo x > /proc/self/root$HOME/project/.mcp.json",
    "unshare -rm sh -c 'mount -o remount,bind,rw .mcp.json; echo x > .mcp.json'",
];

#[test]
fn existing_ones_cannot_be_changed_or_replaced() {
    if !is_enforced() {
        return;
    }
    let fixture = fixture();
    let before = state(&fixture);
    for line in ATTACKS.iter().chain(&["mv src .mcp.json", "umount .git/hooks"]) {
        let ran = fixture.run(line);
        assert!(!ran.finished.ending.is_success(), "{line}: {}", ran.text);
        assert!(ran.finished.set_aside.is_empty(), "{line}: {:?}", ran.finished.set_aside);
        assert_eq!(state(&fixture), before, "{line}: {}", ran.text);
    }
}

#[test]
fn the_attacks_on_existing_ones_work_without_isolation() {
    for line in ATTACKS {
        let mut open = fixture();
        open.isolation.profile = Profile::Off;
        let before = state(&open);
        let ran = open.run(line);
        if line.starts_with("unshare") && !ran.finished.ending.is_success() {
            forebay_test_support::skip("no user namespaces");
            continue;
        }
        let text = ran.succeeded();
        assert_ne!(state(&open), before, "{line}: {text}");
    }
}

#[test]
fn ordinary_work_goes_on() {
    let fixture = fixture();
    let line = "echo x > x && mkdir -p a && mv x a/x && git add a \
                && git -c user.name=a -c user.email=a@b commit -qm one && git checkout -q -b topic \
                && git mv a/x src/x && git status --short && git stash -q && git log --format=%s \
                && mkdir -p src && touch new && mv new src/new && rm -r a src";
    let text = fixture.run(line).succeeded();
    assert!(text.contains("R  a/x -> src/x") && text.ends_with("one\n"), "{text}");
}

#[test]
fn new_ones_are_set_aside() {
    let fixture = fixture();
    let ran = fixture.run("echo evil > .envrc && echo profile > .forebay.toml && echo ok > other");
    let project = fixture.path("project");
    assert_eq!(ran.finished.set_aside, [project.join(".envrc"), project.join(".forebay.toml")]);
    assert!(project.join(".envrc.from-run").exists() && project.join("other").exists());
    assert!(!project.join(".envrc").exists() && !project.join(".forebay.toml").exists());
}

#[test]
fn a_new_repository_works() {
    let mut fixture = Fixture::new(Profile::Project);
    let at = |name: &str| fixture.path("project").join(name);
    fixture.isolation.control_files = NAMES.iter().map(|name| at(name)).collect();
    fixture.isolation.control_files.retain(|path| !path.ends_with(".git"));
    let ran = fixture.run("git init -q . && git config user.name Ann");
    assert!(ran.finished.set_aside.is_empty(), "{:?}", ran.finished.set_aside);
    ran.succeeded();
    assert!(fixture.path("project/.git/config").exists());
}

#[test]
fn folders_on_the_way_to_a_denied_file_keep_their_names() {
    if !is_enforced() {
        return;
    }
    let mut fixture = Fixture::new(Profile::Project);
    fs::create_dir_all(fixture.path("project/deep/inner")).unwrap();
    fs::write(fixture.path("project/deep/inner/key"), "secret\n").unwrap();
    fixture.isolation.deny = vec![fixture.path("project/deep/inner/key")];
    fixture.isolation.fixed = vec![fixture.path("project/deep/inner")];
    for line in ["mv deep other", "mv deep/inner deep/other", "mv deep/inner/key k", "rm -r deep"] {
        let ran = fixture.run(line);
        assert!(!ran.finished.ending.is_success(), "{line}: {}", ran.text);
    }
    fixture.run("cat deep/inner/key").was_denied();
}

/// Attacks on the mode, owner, times and attributes of a file outside.
fn metadata_attacks() -> Vec<String> {
    let attribute = format!(
        "perl -e 'my ($path, $name, $value) = (\"$ENV{{HOME}}/elsewhere/file\", \"user.x\", \"y\"); \
         exit(syscall({}, $path, $name, $value, 1, 0) < 0)'",
        libc::SYS_setxattr
    );
    let mut attacks: Vec<String> = [
        "chmod 777 ~/elsewhere/file",
        "chmod 777 ~/elsewhere",
        "touch -d 2001-01-01 ~/elsewhere/file",
        "chown \"$(id -u)\" ~/elsewhere/file",
    ]
    .map(str::to_owned)
    .into();
    // Only root can give files away.
    attacks.extend(geteuid().is_root().then(|| "chown 1 ~/elsewhere/file".to_owned()));
    attacks.push(attribute);
    attacks
}

/// What `stat` shows of a file and its folder, with the time of the last change of these, and its attributes.
fn metadata(fixture: &Fixture) -> Vec<String> {
    let of = |name: &str| {
        let path = fixture.path(name);
        let found = fs::metadata(&path).unwrap();
        let changed = (found.ctime(), found.ctime_nsec());
        let attribute = rustix::fs::getxattr(&path, "user.x", &mut [0_u8; 8][..]);
        let of_owner = (found.mode(), found.uid(), found.mtime());
        format!("{of_owner:?} {changed:?} {attribute:?}")
    };
    vec![of("elsewhere/file"), of("elsewhere")]
}

#[test]
fn metadata_outside_cannot_be_changed() {
    if !is_enforced() {
        return;
    }
    for profile in [Profile::Project, Profile::Strict] {
        let fixture = Fixture::new(profile);
        let before = metadata(&fixture);
        for line in metadata_attacks().iter().map(String::as_str).chain(["chmod 777 /etc"]) {
            let ran = fixture.run(line);
            assert!(!ran.finished.ending.is_success(), "{profile} {line}: {}", ran.text);
            assert_eq!(metadata(&fixture), before, "{profile} {line}: {}", ran.text);
        }
    }
}

#[test]
fn the_attacks_on_metadata_work_without_isolation() {
    for line in metadata_attacks() {
        let fixture = Fixture::new(Profile::Off);
        let before = metadata(&fixture);
        let probe = fixture.path("elsewhere/file");
        let flags = rustix::fs::XattrFlags::empty();
        if line.starts_with("perl")
            && rustix::fs::setxattr(&probe, "user.probe", b"x", flags).is_err()
        {
            forebay_test_support::skip("this file system has no attributes");
            continue;
        }
        let text = fixture.run(&line).succeeded();
        assert_ne!(metadata(&fixture), before, "{line}: {text}");
    }
}
