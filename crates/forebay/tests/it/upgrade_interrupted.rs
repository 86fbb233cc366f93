//! An upgrade that is killed, has no space or no right to write leaves a program that works.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::env::{TestEnv, finish, finished, wait_until};
use crate::release_server::{
    Behaviour, INSTALLED, Installation, NEWER, Publisher, ReleaseServer, script,
};

#[test]
fn killed_in_the_middle_of_a_download() {
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let server = ReleaseServer::with_behaviour(&publisher.folder, |path| {
        if path.ends_with("tar.gz") { Behaviour::HangAfter(500) } else { Behaviour::Send }
    });
    let child = installed.upgrade_command(&server.url, &publisher.key(), &[]).spawn().unwrap();
    let is_downloading = || server.requests.lock().unwrap().len() == 3;
    assert!(wait_until(Duration::from_secs(30), is_downloading));
    let busy = installed.upgrade_from(&publisher, &[]);
    assert!(busy.stderr.contains("another upgrade is running"), "{busy:?}");
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    finished(child);
    assert_eq!(installed.version(), format!("forebay {INSTALLED}"));
    installed.upgrade_from(&publisher, &[]).ok();
    assert_eq!(installed.version(), format!("forebay {NEWER}"));
    assert_eq!(installed.files().0, [".forebay.previous", "forebay"]);
}

/// Kills the upgrade at moments that spread over its whole length.
#[test]
#[expect(clippy::disallowed_methods, reason = "the moment of the kill is what is tried")]
fn killed_at_any_moment() {
    const ROUNDS: u32 = 12;
    let env = TestEnv::new();
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let started = Instant::now();
    installed.upgrade_from(&publisher, &[]).ok();
    let whole = started.elapsed();
    for round in 0..ROUNDS {
        let _ = fs::remove_file(&installed.executable);
        let fresh = Installation::new(&env);
        let folder = publisher.folder.to_string_lossy().into_owned();
        let mut command = fresh.upgrade_command("", &publisher.key(), &["--from", &folder]);
        let child = command.spawn().unwrap();
        std::thread::sleep(whole * round / ROUNDS);
        let _ = kill_process(Pid::from_child(&child), Signal::KILL);
        finished(child);
        let version = fresh.version();
        let is_whole = [INSTALLED, NEWER].iter().any(|one| version == format!("forebay {one}"));
        assert!(is_whole, "round {round}: {version}");
    }
}

/// Each state in which a kill between two steps leaves the folder.
#[test]
fn the_next_upgrade_puts_in_order_what_a_killed_one_left() {
    let env = TestEnv::new();
    let publisher = Publisher::new(&env);
    publisher.publish(NEWER, &script(NEWER));
    let folder =
        |name: &str| Installation::installed_at(&env, &env.root().join(name).join("forebay"));
    let beside = |installed: &Installation<'_>, role: &str| {
        installed.executable.with_file_name(format!(".forebay.{role}"))
    };

    let written = folder("written");
    fs::write(beside(&written, "new"), "half a prog").unwrap();
    written.upgrade_from(&publisher, &[]).ok();
    assert_eq!(written.version(), format!("forebay {NEWER}"));
    assert_eq!(written.files().0, [".forebay.previous", "forebay"]);

    let linked = folder("linked");
    fs::hard_link(&linked.executable, beside(&linked, "replaced")).unwrap();
    fs::write(beside(&linked, "previous"), script("0.0.9")).unwrap();
    make_executable(&beside(&linked, "previous"));
    linked.upgrade("", "", &["--rollback"]).ok();
    assert_eq!(linked.version(), "forebay 0.0.9", "the version before was not overwritten");

    let swapped = folder("swapped");
    fs::write(beside(&swapped, "replaced"), script("0.0.9")).unwrap();
    make_executable(&beside(&swapped, "replaced"));
    swapped.upgrade("", "", &["--rollback"]).ok();
    assert_eq!(swapped.version(), "forebay 0.0.9", "the last step was made up for");
    assert_eq!(swapped.files().0, [".forebay.previous", "forebay"]);
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether a namespace can be made; reports that the test is skipped otherwise.
fn has_namespaces(env: &TestEnv) -> bool {
    let mut probe = env.program("unshare");
    probe.args(["--user", "--map-root-user", "--mount", "true"]);
    let has = probe.status().is_ok_and(|status| status.success());
    if !has {
        forebay_test_support::skip("user namespaces are not available");
    }
    has
}

#[test]
fn without_the_right_to_write_the_command_that_has_it_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    if !has_namespaces(&env) {
        return;
    }
    let (installed, publisher) = (Installation::new(&env), Publisher::new(&env));
    publisher.publish(NEWER, &script(NEWER));
    let folder = installed.executable.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere, unless it is in a namespace that does not know it.
    let mut command = env.program("unshare");
    command.args(["--user", "--", installed.executable.to_str().unwrap(), "upgrade", "--from"]);
    command.arg(&publisher.folder).env("FOREBAY_UPGRADE_KEY", publisher.key());
    let output = finish(command, b"");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(output.stderr.contains("cannot be replaced"), "{output:?}");
    let sudo = format!("sudo {} upgrade", installed.executable.canonicalize().unwrap().display());
    assert!(output.stderr.contains(&sudo), "{output:?}");
    assert_eq!(installed.version(), format!("forebay {INSTALLED}"));
}

#[test]
fn on_a_full_disk_nothing_changes() {
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size="$1" tmpfs "$2" || exit 3
        cp "$3" "$2/forebay"
        "$2/forebay" upgrade --from "$4" 2>&1; echo "exits with $?"
        "$2/forebay" --version; ls -A "$2""#;
    let env = TestEnv::new();
    if !has_namespaces(&env) {
        return;
    }
    let publisher = Publisher::new(&env);
    publisher.publish(NEWER, &[script(NEWER), vec![b'#'; 5_000_000]].concat());
    let built = env!("CARGO_BIN_EXE_forebay");
    let size = fs::metadata(built).unwrap().len() + 1_000_000;
    let disk = env.root().join("bin");
    fs::create_dir(&disk).unwrap();
    let mut command = env.program("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]);
    command.arg(size.to_string()).arg(&disk).arg(built).arg(&publisher.folder);
    command.env("FOREBAY_UPGRADE_KEY", publisher.key());
    let output = finish(command, b"").ok().text();
    assert!(output.contains("no space left for the new version"), "{output}");
    let end = format!("exits with 1\nforebay {INSTALLED}\nforebay");
    assert!(output.ends_with(&end), "{output}");
}
