//! The profile `strict`: no network, and reads only of the project and the system.

use std::fs;
use std::net::TcpListener;

use forebay_sandbox::Profile;

use crate::fixture::{Fixture, is_enforced};

#[test]
fn denies_the_network() {
    if !is_enforced() {
        return;
    }
    let host = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let dial = format!("exec 3<>/dev/tcp/127.0.0.1/{}", host.local_addr().unwrap().port());
    Fixture::new(Profile::Strict).run(&dial).was_denied();
    Fixture::new(Profile::Project).run(&dial).succeeded();
}

#[test]
fn allows_reads_of_the_project_and_the_system_only() {
    if !is_enforced() {
        return;
    }
    let fixture = Fixture::new(Profile::Strict);
    for line in ["cat ~/elsewhere/file", "cat ~/.aws/credentials", "ls ~", "cat ~/.ssh/id_x.pub"] {
        fixture.run(line).was_denied();
    }
    fixture.run("ls /usr/bin >/dev/null && echo x > y && cat y /etc/hosts").succeeded();
}

#[test]
fn has_a_private_temp_dir() {
    if !is_enforced() {
        return;
    }
    let fixture = Fixture::new(Profile::Strict);
    fixture.run("echo x > /tmp/forebay-strict-test").was_denied();
    let text = fixture.run("f=$(mktemp) && echo x > $f && echo $TMPDIR").succeeded();
    assert!(!fs::exists(text.trim()).unwrap(), "{text}");
}

#[test]
fn allows_communication_between_processes() {
    let fixture = Fixture::new(Profile::Strict);
    fixture.run("echo x > /dev/shm/forebay-test-$$ && rm /dev/shm/forebay-test-$$").succeeded();
    assert_eq!(fixture.run("seq 3 | sort -r | { read x; echo $x; }").succeeded(), "3\n");
}
