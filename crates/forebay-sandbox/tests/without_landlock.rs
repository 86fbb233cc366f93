//! Isolation on a kernel without Landlock: never silently open.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
mod fixture;
#[path = "isolation/refused_calls.rs"]
mod refused_calls;

use forebay_sandbox::Profile;
use forebay_sandbox::isolation::missing_mechanisms;

use crate::fixture::{Fixture, is_enforced};
use crate::refused_calls::refuse;

#[test]
fn strict_refuses_and_project_says_so() {
    if !is_enforced() {
        return;
    }
    // As a kernel that has none.
    refuse(libc::SYS_landlock_create_ruleset, libc::ENOSYS);
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
