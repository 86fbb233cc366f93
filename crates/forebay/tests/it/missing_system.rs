//! Systems that lack what is needed: no random bytes, no namespaces. Nothing starts with less without a word.

#![cfg(target_os = "linux")]

#[path = "../../../forebay-sandbox/tests/isolation/refused_calls.rs"]
mod refused_calls;

use std::fs;

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use self::refused_calls::{refuse, refuse_by};
use crate::env::{TestEnv, finish};

/// A known key would let anybody take over a session.
#[test]
fn a_server_without_a_key_for_its_sessions_does_not_start() {
    const FLAGS: u8 = 2;
    let env = TestEnv::new();
    // Random bytes for hash tables have other flags.
    let for_keys =
        SeccompCondition::new(FLAGS, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0).unwrap();
    refuse_by(libc::SYS_getrandom, libc::EIO, vec![SeccompRule::new(vec![for_keys]).unwrap()]);
    for command in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["ui", "--no-open"],
        &["token", "create", "ann"],
    ] {
        let output = finish(env.command(command), b"");
        assert_ne!(output.code(), Some(0), "{command:?}: {output:?}");
        let told = format!("{}{}", output.text(), output.stderr);
        assert!(told.contains("cannot get random bytes"), "{command:?}: {told}");
        assert!(!told.contains("://127.0.0.1"), "{command:?} listened: {told}");
    }
}

#[test]
fn a_run_without_mount_namespaces_says_what_is_missing() {
    let env = TestEnv::outside_temp();
    let outside = env.home().join("file");
    fs::write(&outside, "").unwrap();
    let modified = || fs::metadata(&outside).unwrap().modified().unwrap();
    let before = modified();
    refuse(libc::SYS_unshare, libc::EPERM);
    let ran = env.forebay(["run", "--", "touch own && chmod 700 own"]).ok().text();
    assert!(ran.contains("NOT complete, this system has no mount namespaces; see doctor"), "{ran}");
    for line in ["touch -d 2001-01-01 ~/file", "chmod 777 ~/file"] {
        let denied = env.forebay(["run", "--", line]).text();
        assert!(denied.contains("is not allowed by profile project"), "{denied}");
    }
    assert_eq!(modified(), before);
    env.forebay(["run", "--isolation", "strict", "--", "true"]).refused(
        2,
        "no mount namespaces",
        "isolation.required",
    );
    let mut required = env.command(["run", "--", "true"]);
    required.env("FOREBAY_ISOLATION_REQUIRED", "true");
    finish(required, b"").refused(2, "no mount namespaces", "isolation.required");
    let doctor = env.forebay(["doctor"]).text();
    let row = |escape: &str| doctor.lines().find(|line| line.contains(escape)).unwrap().to_owned();
    assert!(row("change modes elsewhere").ends_with("blocked   blocked"), "{doctor}");
    assert!(row("change control files").ends_with("POSSIBLE  blocked"), "{doctor}");
    assert!(doctor.contains("control files, terminals and sockets are NOT protected"), "{doctor}");
}
