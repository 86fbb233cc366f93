//! The profile `project`: builds work, secrets and other directories are protected.

use std::fs;
use std::os::unix::fs::symlink;

use forebay_sandbox::Profile;

use crate::fixture::{Fixture, is_enforced};

#[test]
fn allows_builds_in_the_project() {
    let fixture = Fixture::new(Profile::Project);
    let line = "mkdir -p a/b && echo x > a/b/c && mv a/b/c d && ln -s d e && ln d f && cat e f \
                && sed -i s/x/y/ d && rm -r a && chmod +x d && truncate -s 1 d";
    assert_eq!(fixture.run(line).succeeded(), "x\nx\n");
}

#[test]
fn allows_git() {
    let fixture = Fixture::new(Profile::Project);
    let line = "git init -q . && echo x > x && git add x \
                && git -c user.name=a -c user.email=a@b commit -qm one && git log --format=%s";
    assert!(fixture.run(line).succeeded().ends_with("one\n"));
}

#[test]
fn allows_temp_devices_and_caches() {
    let fixture = Fixture::new(Profile::Project);
    let line = "f=$(mktemp) && echo x > $f && cat $f && rm $f && echo x > /dev/null \
                && echo x > /dev/stderr && echo y | tee /dev/stdout && cat <(echo z) \
                && mkdir ~/.cache/tool && echo x > ~/.cache/tool/x";
    assert_eq!(fixture.run(line).succeeded().lines().count(), 5);
}

#[test]
fn allows_reads_except_secrets() {
    let fixture = Fixture::new(Profile::Project);
    let line = "cat ~/elsewhere/file ~/.ssh/id_x.pub && ls ~ / /etc >/dev/null";
    assert_eq!(fixture.run(line).succeeded(), "content\ncontent\n");
}

#[test]
fn a_program_that_is_named_gets_its_credentials() {
    let mut fixture = Fixture::new(Profile::Project);
    if is_enforced() {
        fixture.run("cat ~/.aws/credentials").was_denied();
        fixture.run("cat ~/data/db").was_denied();
    }
    fixture.isolation.programs = vec!["aws".to_owned()];
    assert_eq!(fixture.run("cat ~/.aws/credentials").succeeded(), "content\n");
}

#[test]
fn denies_writes_outside() {
    if !is_enforced() {
        return;
    }
    let fixture = Fixture::new(Profile::Project);
    for line in [
        "echo x > ~/x",
        "echo x > ~/elsewhere/file",
        "echo x >> ~/.bashrc",
        "touch /etc/forebay-test",
        "rm ~/elsewhere/file",
        "mkdir ~/new",
        "mv ~/elsewhere/file .",
        "truncate -s 0 ~/elsewhere/file",
        "ln -s x ~/link",
        "echo x > ~/data/db",
        "mount -t tmpfs none /mnt",
    ] {
        fixture.run(line).was_denied();
    }
    assert_eq!(fs::read_to_string(fixture.path("elsewhere/file")).unwrap(), "content\n");
}

#[test]
fn denies_secrets_on_every_path() {
    if !is_enforced() {
        return;
    }
    let fixture = Fixture::new(Profile::Project);
    symlink(fixture.path(".ssh/id_x"), fixture.path("project/link")).unwrap();
    symlink(fixture.path(".ssh"), fixture.path("elsewhere/keys")).unwrap();
    for line in [
        "cat ~/.ssh/id_x",
        "cat link",
        "cat ~/elsewhere/keys/id_x",
        "cat ../.ssh/id_x",
        "cat /proc/self/root$HOME/.ssh/id_x",
        "cd ~/.ssh && cat id_x",
        "cp ~/.ssh/id_x .",
        "ln ~/.ssh/id_x hard",
        "mv ~/.ssh .",
        "cat /etc/shadow",
        "tar cf - -C ~ .ssh/id_x",
    ] {
        fixture.run(line).was_denied();
    }
}

#[test]
fn masks_a_denied_file_but_not_its_siblings() {
    if !is_enforced() {
        return;
    }
    let mut fixture = Fixture::new(Profile::Project);
    fs::write(fixture.path("project/.env"), "secret\n").unwrap();
    fs::create_dir(fixture.path("project/private")).unwrap();
    fs::write(fixture.path("project/private/key"), "secret\n").unwrap();
    fixture.isolation.deny = vec![fixture.path("project/.env"), fixture.path("project/private")];
    fixture.run("cat .env").was_denied();
    fixture.run("mv .env other; cat other .env").was_denied();
    // The masked directory is empty for root and inaccessible for other users.
    assert!(!fixture.run("cat private/key").text.contains("secret"));
    assert_eq!(fixture.run("echo new > made && cat made").succeeded(), "new\n");
    assert_eq!(fs::read_to_string(fixture.path("project/.env")).unwrap(), "secret\n");
}

#[test]
fn settings_add_access() {
    let mut fixture = Fixture::new(Profile::Project);
    fixture.isolation.write = vec![fixture.path("elsewhere")];
    fixture.isolation.read = vec![fixture.path(".ssh/id_x")];
    fixture.run("echo x > ~/elsewhere/new && cat ~/.ssh/id_x").succeeded();
}

#[test]
fn cannot_kill_its_parent() {
    if !is_enforced() {
        return;
    }
    let fixture = Fixture::new(Profile::Project);
    fixture.run("kill -9 $PPID").was_denied();
    fixture.run("sleep 100 & kill $!; wait; true").succeeded();
}

#[test]
fn profile_off_restricts_nothing() {
    let fixture = Fixture::new(Profile::Off);
    fixture.run("echo x > ~/x && cat ~/.ssh/id_x && echo x > ~/data/db").succeeded();
}
