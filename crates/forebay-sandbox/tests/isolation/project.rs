//! The profile `project`: builds work, secrets and other folders are out of reach.

use std::fs;
use std::os::unix::fs::symlink;

use forebay_sandbox::Profile;

use crate::stage::{Stage, is_enforced};

#[test]
fn the_project_can_be_built_in() {
    let stage = Stage::new(Profile::Project);
    let line = "mkdir -p a/b && echo x > a/b/c && mv a/b/c d && ln -s d e && ln d f && cat e f \
                && sed -i s/x/y/ d && rm -r a && chmod +x d && truncate -s 1 d";
    assert_eq!(stage.run(line).succeeded(), "x\nx\n");
}

#[test]
fn git_works() {
    let stage = Stage::new(Profile::Project);
    let line = "git init -q . && echo x > x && git add x \
                && git -c user.name=a -c user.email=a@b commit -qm one && git log --format=%s";
    assert!(stage.run(line).succeeded().ends_with("one\n"));
}

#[test]
fn temp_devices_and_caches_work() {
    let stage = Stage::new(Profile::Project);
    let line = "f=$(mktemp) && echo x > $f && cat $f && rm $f && echo x > /dev/null \
                && echo x > /dev/stderr && echo y | tee /dev/stdout && cat <(echo z) \
                && mkdir ~/.cache/tool && echo x > ~/.cache/tool/x";
    assert_eq!(stage.run(line).succeeded().lines().count(), 5);
}

#[test]
fn reading_is_free_outside_of_secrets() {
    let stage = Stage::new(Profile::Project);
    let line = "cat ~/elsewhere/file ~/.aws/credentials ~/.ssh/id_x.pub && ls ~ / /etc >/dev/null";
    assert_eq!(stage.run(line).succeeded(), "content\ncontent\ncontent\n");
}

#[test]
fn nothing_is_written_outside() {
    if !is_enforced() {
        return;
    }
    let stage = Stage::new(Profile::Project);
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
        stage.run(line).was_refused();
    }
    assert_eq!(fs::read_to_string(stage.at("elsewhere/file")).unwrap(), "content\n");
}

#[test]
fn secrets_are_not_read_by_any_road() {
    if !is_enforced() {
        return;
    }
    let stage = Stage::new(Profile::Project);
    symlink(stage.at(".ssh/id_x"), stage.at("project/link")).unwrap();
    symlink(stage.at(".ssh"), stage.at("elsewhere/keys")).unwrap();
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
        stage.run(line).was_refused();
    }
}

#[test]
fn a_denied_file_of_the_project_is_covered_and_its_neighbours_are_not() {
    if !is_enforced() {
        return;
    }
    let mut stage = Stage::new(Profile::Project);
    fs::write(stage.at("project/.env"), "secret\n").unwrap();
    fs::create_dir(stage.at("project/private")).unwrap();
    fs::write(stage.at("project/private/key"), "secret\n").unwrap();
    stage.isolation.deny = vec![stage.at("project/.env"), stage.at("project/private")];
    stage.run("cat .env").was_refused();
    stage.run("mv .env other; cat other .env").was_refused();
    // To root the folder is empty, to others it is closed.
    assert!(!stage.run("cat private/key").text.contains("secret"));
    assert_eq!(stage.run("echo new > made && cat made").succeeded(), "new\n");
    assert_eq!(fs::read_to_string(stage.at("project/.env")).unwrap(), "secret\n");
}

#[test]
fn settings_open_what_they_name() {
    let mut stage = Stage::new(Profile::Project);
    stage.isolation.write = vec![stage.at("elsewhere")];
    stage.isolation.read = vec![stage.at(".ssh/id_x")];
    stage.run("echo x > ~/elsewhere/new && cat ~/.ssh/id_x").succeeded();
}

#[test]
fn the_one_who_started_it_cannot_be_killed() {
    if !is_enforced() {
        return;
    }
    let stage = Stage::new(Profile::Project);
    stage.run("kill -9 $PPID").was_refused();
    stage.run("sleep 100 & kill $!; wait; true").succeeded();
}

#[test]
fn off_holds_nothing_back() {
    let stage = Stage::new(Profile::Off);
    stage.run("echo x > ~/x && cat ~/.ssh/id_x && echo x > ~/data/db").succeeded();
}
