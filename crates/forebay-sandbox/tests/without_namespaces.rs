//! Isolation on a system without mount namespaces, as in many containers.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
mod fixture;

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;

use forebay_sandbox::Profile;
use forebay_sandbox::isolation::missing_mechanisms;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::fixture::{Fixture, is_enforced};

/// Makes the kernel deny namespaces to this thread and its children.
fn block_namespaces() {
    let refused = BTreeMap::from([(libc::SYS_unshare, Vec::new())]);
    let refusal = SeccompAction::Errno(libc::EPERM as u32);
    let arch: TargetArch = ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, refusal, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

#[test]
fn denied_paths_stay_denied_without_mounts() {
    if !is_enforced() {
        return;
    }
    block_namespaces();
    let mut fixture = Fixture::new(Profile::Project);
    fs::write(fixture.path("project/.env"), "secret\n").unwrap();
    fs::write(fixture.path("project/main.rs"), "code\n").unwrap();
    fixture.isolation.deny = vec![fixture.path("project/.env")];
    // The first run detects the missing namespaces; the second uses the cached result.
    for _ in 0..2 {
        fixture.run("cat .env").was_denied();
        fixture.run("echo x > .env").was_denied();
        assert_eq!(fixture.run("cat main.rs && echo new >> main.rs").succeeded(), "code\n");
        fs::write(fixture.path("project/main.rs"), "code\n").unwrap();
    }
    assert_eq!(fs::read_to_string(fixture.path("project/.env")).unwrap(), "secret\n");
    assert_eq!(missing_mechanisms(), ["user namespaces"]);
    fixture.isolation.profile = Profile::Strict;
    assert!(fixture.try_run("true").unwrap_err().to_string().contains("no user namespaces"));
    fixture.isolation.profile = Profile::Project;
    fixture.isolation.is_required = true;
    assert!(fixture.try_run("true").is_err());
}
