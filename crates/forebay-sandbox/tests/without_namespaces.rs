//! Isolation on a system without mount namespaces, as in many containers.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "isolation/fixture.rs"]
mod fixture;
#[path = "isolation/refused_calls.rs"]
mod refused_calls;

use std::fs;

use forebay_sandbox::Profile;
use forebay_sandbox::isolation::missing_mechanisms;

use crate::fixture::{Fixture, is_enforced};
use crate::refused_calls::refuse;

#[test]
fn denied_paths_stay_denied_without_mounts() {
    if !is_enforced() {
        return;
    }
    refuse(libc::SYS_unshare, libc::EPERM);
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
    assert_eq!(missing_mechanisms(), ["mount namespaces"]);
    fixture.isolation.profile = Profile::Strict;
    assert!(fixture.try_run("true").unwrap_err().to_string().contains("no mount namespaces"));
    fixture.isolation.profile = Profile::Project;
    fixture.isolation.is_required = true;
    assert!(fixture.try_run("true").is_err());
}

#[test]
fn changes_of_control_files_are_named_without_mounts() {
    if !is_enforced() {
        return;
    }
    refuse(libc::SYS_unshare, libc::EPERM);
    let mut fixture = Fixture::new(Profile::Project);
    let names = [".mcp.json", ".envrc", ".agent", ".new"];
    let path = |name: &str| fixture.path("project").join(name);
    fs::create_dir(path(".agent")).unwrap();
    for name in [".mcp.json", ".envrc", ".agent/settings"] {
        fs::write(path(name), "text\n").unwrap();
    }
    let control_files = names.map(path);
    fixture.isolation.control_files = control_files.to_vec();
    let [replaced, _, folder, new] = control_files;
    // The first run detects the missing namespaces.
    let ran = fixture.run("cp -p .mcp.json copy && mv copy .mcp.json && : > .new");
    assert_eq!((ran.finished.changed, ran.finished.set_aside), (vec![replaced], vec![new]));
    let ran = fixture.run("echo evil > .agent/hooks && cat .envrc");
    assert_eq!((ran.finished.changed, ran.finished.set_aside), (vec![folder], Vec::new()));
}
