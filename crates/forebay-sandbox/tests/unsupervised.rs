//! Isolation where neither mounts nor the supervision of system calls are possible: a run says so.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
mod fixture;
#[path = "isolation/refused_calls.rs"]
mod refused_calls;

use forebay_sandbox::isolation::{CheckOutcome, missing_mechanisms, self_test};
use forebay_sandbox::{CancelToken, Profile, WritableByRuns};

use crate::fixture::{Fixture, is_enforced};
use crate::refused_calls::{refuse, refuse_flags};

/// As for a process that is supervised itself: it can have no second listener.
#[test]
fn what_is_not_protected_is_said() {
    if !is_enforced() {
        return;
    }
    refuse(libc::SYS_unshare, libc::EPERM);
    refuse_flags(libc::SYS_seccomp, libc::EBUSY, 1, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
    let mut fixture = Fixture::new(Profile::Project);
    fixture.run("touch x && chmod 600 x").succeeded();
    assert_eq!(missing_mechanisms(), ["mount namespaces", "supervision of system calls"]);
    fixture.run("echo x > ~/elsewhere/file").was_denied();
    let report = self_test(&WritableByRuns::default(), &CancelToken::new()).unwrap();
    let check =
        report.checks.iter().find(|check| check.escape == "change modes elsewhere").unwrap();
    assert_eq!((check.project, check.strict), (CheckOutcome::Violated, CheckOutcome::Enforced));
    assert!(report.mechanisms.join(" ").contains("modes and times of other files"), "{report:?}");
    fixture.isolation.is_required = true;
    assert!(fixture.try_run("true").unwrap_err().to_string().contains("supervision"));
}
