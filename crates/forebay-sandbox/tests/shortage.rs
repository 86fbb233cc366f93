//! A shortage of descriptors refuses a run; it never turns isolation off.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod fixture;

use std::fs;

use forebay_sandbox::isolation::missing_mechanisms;
use forebay_sandbox::{Limits, Profile};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::fixture::{Fixture, is_enforced};

/// The attacks: a write outside, a change that only mounts prevent, a read of stored data and of a secret.
const ATTACKS: &str = "echo evil >> ../elsewhere/file; touch -d 2001-01-01 ../elsewhere/file; \
                       cat ../data/db ~/.ssh/id_x; echo done";

#[track_caller]
fn assert_isolated(fixture: &Fixture, what: &str) -> bool {
    let before = fs::metadata(fixture.path("elsewhere/file")).unwrap().modified().unwrap();
    let outcome = fixture.try_run(ATTACKS);
    if let Ok(run) = &outcome {
        assert!(!run.text.contains("content"), "{what}: {}", run.text);
    }
    let after = fs::metadata(fixture.path("elsewhere/file")).unwrap().modified().unwrap();
    assert_eq!(before, after, "{what}: {outcome:?}");
    if let Err(error) = &outcome {
        assert!(error.hint().is_some_and(|hint| hint.contains("ulimit -n")), "{what}: {error}");
    }
    outcome.is_ok_and(|run| run.text.contains("done"))
}

#[test]
fn a_shortage_of_descriptors_refuses_the_run() {
    if !is_enforced() {
        return;
    }
    let limit = getrlimit(Resource::Nofile);
    for profile in [Profile::Project, Profile::Strict] {
        let fixture = Fixture::new(profile);
        assert!(assert_isolated(&fixture, "before"));
        let (mut refused, mut ran) = (0, 0);
        for descriptors in 3..48 {
            setrlimit(Resource::Nofile, Rlimit { current: Some(descriptors), ..limit }).unwrap();
            let has_run = assert_isolated(&fixture, &format!("{profile} with {descriptors}"));
            setrlimit(Resource::Nofile, limit).unwrap();
            if has_run { ran += 1 } else { refused += 1 }
        }
        assert!(refused > 0 && ran > 0, "{profile}: {refused} refused, {ran} ran");
        assert!(assert_isolated(&fixture, "afterwards"));
        assert_eq!(missing_mechanisms(), <[&str; 0]>::default());
    }
}

#[test]
fn a_low_limit_of_the_run_does_not_concern_its_isolation() {
    if !is_enforced() {
        return;
    }
    let mut fixture = Fixture::new(Profile::Project);
    fixture.limits = Limits { open_files: Some(5), ..Limits::default() };
    assert_isolated(&fixture, "five descriptors");
    assert_eq!(missing_mechanisms(), <[&str; 0]>::default());
}
