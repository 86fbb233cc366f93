//! Isolation on a kernel without Landlock: never silently open.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
mod fixture;

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use forebay_sandbox::Profile;
use forebay_sandbox::isolation::missing_mechanisms;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::fixture::{Fixture, is_enforced};

/// Makes the kernel deny Landlock to this thread and its children, as one that has none.
fn block_landlock() {
    let refused = BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]);
    let refusal = SeccompAction::Errno(libc::ENOSYS as u32);
    let arch: TargetArch = ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, refusal, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

#[test]
fn strict_refuses_and_project_says_so() {
    if !is_enforced() {
        return;
    }
    block_landlock();
    assert_eq!(missing_mechanisms(), ["Landlock"]);
    let mut fixture = Fixture::new(Profile::Strict);
    let refusal = fixture.try_run("true").unwrap_err();
    assert!(refusal.to_string().contains("no Landlock"), "{refusal}");
    fixture.isolation.profile = Profile::Project;
    fixture.run("true").succeeded();
    // Mounts alone still keep everything outside read-only, and files closed.
    fixture.run("echo x > ~/elsewhere/file").was_denied();
    fixture.isolation.is_required = true;
    assert!(fixture.try_run("true").is_err());
}
