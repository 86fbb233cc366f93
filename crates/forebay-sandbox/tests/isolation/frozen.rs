//! Control files: a run can neither change them nor put others in their place.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use forebay_sandbox::Profile;

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

#[test]
fn existing_ones_cannot_be_changed_or_replaced() {
    if !is_enforced() {
        return;
    }
    let fixture = fixture();
    for line in [
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
        "mv src .mcp.json",
        "ln -sf /dev/null .mcp.json",
        "chmod 777 .mcp.json",
        "touch -d 2001-01-01 .mcp.json",
        "mv ../project ../project2",
        "cd / && echo x > /proc/self/root$HOME/project/.mcp.json",
        "umount .git/hooks",
        "unshare -rm sh -c 'mount -o remount,bind,rw .mcp.json; echo x > .mcp.json'",
    ] {
        let ran = fixture.run(line);
        assert!(!ran.finished.ending.is_success(), "{line}: {}", ran.text);
        assert!(ran.finished.set_aside.is_empty(), "{line}: {:?}", ran.finished.set_aside);
    }
    let read = |name: &str| fs::read_to_string(fixture.path("project").join(name)).unwrap();
    assert!(!read(".git/config").contains("evil") && !read(".git/config").contains('x'));
    assert_eq!((read(".mcp.json"), read(".agent/settings.json")), ("{}\n".into(), "{}\n".into()));
    assert_eq!(fs::read_dir(fixture.path("project/.git/hooks")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(fixture.path("project/.agent")).unwrap().count(), 1);
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

#[test]
fn metadata_outside_cannot_be_changed() {
    if !is_enforced() {
        return;
    }
    for profile in [Profile::Project, Profile::Strict] {
        let fixture = Fixture::new(profile);
        let file = fixture.path("elsewhere/file");
        let before = fs::metadata(&file).unwrap();
        for line in [
            "chmod 777 ~/elsewhere/file",
            "chmod 777 ~/elsewhere",
            "touch -d 2001-01-01 ~/elsewhere/file",
            "setfattr -n user.x -v y ~/elsewhere/file || exit 1",
            "chown 1 ~/elsewhere/file",
            "chmod 777 /etc",
        ] {
            let ran = fixture.run(line);
            assert!(!ran.finished.ending.is_success(), "{profile} {line}: {}", ran.text);
        }
        let after = fs::metadata(&file).unwrap();
        assert_eq!(before.permissions().mode(), after.permissions().mode());
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    }
}
