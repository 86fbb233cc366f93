//! Isolation where the system gives no mount namespace, as many containers do.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

#[path = "isolation/stage.rs"]
mod stage;

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;

use forebay_sandbox::Profile;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::stage::{Stage, is_enforced};

/// Has the kernel refuse namespaces to this thread and to all that it starts.
fn give_up_namespaces() {
    let refused = BTreeMap::from([(libc::SYS_unshare, Vec::new())]);
    let refusal = SeccompAction::Errno(libc::EPERM as u32);
    let arch: TargetArch = ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, refusal, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

#[test]
fn what_is_denied_stays_out_of_reach_without_mounts() {
    if !is_enforced() {
        return;
    }
    give_up_namespaces();
    let mut stage = Stage::new(Profile::Project);
    fs::write(stage.at("project/.env"), "secret\n").unwrap();
    fs::write(stage.at("project/main.rs"), "code\n").unwrap();
    stage.isolation.deny = vec![stage.at("project/.env")];
    // The first run finds out that there are no namespaces, the second knows.
    for _ in 0..2 {
        stage.run("cat .env").was_refused();
        stage.run("echo x > .env").was_refused();
        assert_eq!(stage.run("cat main.rs && echo new >> main.rs").succeeded(), "code\n");
        fs::write(stage.at("project/main.rs"), "code\n").unwrap();
    }
    assert_eq!(fs::read_to_string(stage.at("project/.env")).unwrap(), "secret\n");
}
