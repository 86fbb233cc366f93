//! The profile `strict`: no network, and nothing to read but the project and the system.

use std::fs;
use std::net::TcpListener;

use forebay_sandbox::Profile;

use crate::stage::{Stage, is_enforced};

#[test]
fn there_is_no_network() {
    if !is_enforced() {
        return;
    }
    let host = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let dial = format!("exec 3<>/dev/tcp/127.0.0.1/{}", host.local_addr().unwrap().port());
    Stage::new(Profile::Strict).run(&dial).was_refused();
    Stage::new(Profile::Project).run(&dial).succeeded();
}

#[test]
fn only_the_project_and_the_system_are_read() {
    if !is_enforced() {
        return;
    }
    let stage = Stage::new(Profile::Strict);
    for line in ["cat ~/elsewhere/file", "cat ~/.aws/credentials", "ls ~", "cat ~/.ssh/id_x.pub"] {
        stage.run(line).was_refused();
    }
    stage.run("ls /usr/bin >/dev/null && echo x > y && cat y /etc/hosts").succeeded();
}

#[test]
fn temp_is_its_own_and_goes_with_the_run() {
    if !is_enforced() {
        return;
    }
    let stage = Stage::new(Profile::Strict);
    stage.run("echo x > /tmp/forebay-strict-test").was_refused();
    let text = stage.run("f=$(mktemp) && echo x > $f && echo $TMPDIR").succeeded();
    assert!(!fs::exists(text.trim()).unwrap(), "{text}");
}

#[test]
fn processes_still_talk_with_each_other() {
    let stage = Stage::new(Profile::Strict);
    stage.run("echo x > /dev/shm/forebay-test-$$ && rm /dev/shm/forebay-test-$$").succeeded();
    assert_eq!(stage.run("seq 3 | sort -r | { read x; echo $x; }").succeeded(), "3\n");
}
