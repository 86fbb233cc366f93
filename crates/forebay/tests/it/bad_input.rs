//! External failures: locks, corruption, unusable folders and full disks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use serde_json::json;

use crate::env::{Output, TestEnv, finish, finished, wait_until};
use crate::texts::varied_log;

#[test]
fn a_write_waits_for_another_writer_and_succeeds() {
    let env = TestEnv::new();
    env.noted("first");
    let mut connection = Connection::open(env.database()).unwrap();
    let lock = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let mut child = env.command(["note", "second"]).spawn().unwrap();
    let ended = wait_until(Duration::from_millis(700), || child.try_wait().unwrap().is_some());
    assert!(!ended, "the write waits for the lock");
    lock.commit().unwrap();
    let noted = finished(child).ok();
    assert_eq!(env.forebay(["get", &noted.reference()]).ok().body(), "second");
}

#[test]
fn a_reader_does_not_wait_for_a_writer() {
    let env = TestEnv::new();
    let reference = env.noted("readable");
    let mut connection = Connection::open(env.database()).unwrap();
    let lock = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    assert_eq!(env.forebay(["get", "--raw", &reference]).ok().stdout, b"readable");
    lock.commit().unwrap();
}

/// Runs `forebay` with this data folder.
fn run_with_data_folder<const N: usize>(
    env: &TestEnv,
    data: &Path,
    arguments: [&str; N],
) -> Output {
    let mut command = env.command(arguments);
    command.env("FOREBAY_HOME", data);
    finish(command, b"")
}

/// Asserts that an unusable data folder is reported with a hint and that no command runs.
#[track_caller]
fn assert_data_folder_rejected(data: &Path) {
    let env = TestEnv::new();
    for line in [["run", "--", "touch ran"], ["note", "--", "text"]] {
        let refused = run_with_data_folder(&env, data, line);
        assert!(matches!(refused.code(), Some(1 | 2)), "{refused:?}");
        assert!(refused.stdout.is_empty(), "{refused:?}");
        let stderr = &refused.stderr;
        assert!(
            stderr.contains("error: ") && stderr.contains(&*data.to_string_lossy()),
            "{stderr}"
        );
        assert!(stderr.contains("hint: ") && stderr.contains("FOREBAY_HOME"), "{stderr}");
    }
    assert!(!env.project().join("ran").exists(), "the command did not run");
    let doctor = run_with_data_folder(&env, data, ["doctor"]);
    assert_eq!(doctor.code(), Some(1), "{doctor:?}");
    assert!(doctor.text().contains("BROKEN data"), "{doctor:?}");
}

#[test]
fn rejects_a_data_folder_that_is_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert_data_folder_rejected(file.path());
}

#[test]
fn rejects_a_data_folder_below_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert_data_folder_rejected(&file.path().join("below"));
}

#[test]
fn rejects_a_data_folder_that_cannot_be_created() {
    assert_data_folder_rejected(Path::new("/proc/nope"));
}

#[test]
fn a_server_without_a_data_folder_reports_errors_and_keeps_running() {
    let env = TestEnv::new();
    fs::write(env.root().join("file"), "").unwrap();
    let mut command = env.command(["mcp"]);
    command.env("FOREBAY_HOME", env.root().join("file/below"));
    let mut mcp = crate::mcp_client::McpClient::initialized(command);
    for _ in 0..2 {
        let answer = mcp.error("ctx_annotate", json!({ "text": "x" }));
        assert!(answer.contains("file/below") && answer.contains("\nhint: "), "{answer}");
    }
}

#[test]
fn reports_an_unwritable_folder() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    if rustix::process::getuid().is_root()
        && finish(unprivileged(&env, "true"), b"").code() != Some(0)
    {
        return forebay_test_support::skip("root cannot drop its capabilities with setpriv");
    }
    let closed = env.root().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    let mut command = unprivileged(&env, env!("CARGO_BIN_EXE_forebay"));
    command.args(["run", "--", "touch ran"]).env("FOREBAY_HOME", closed.join("data"));
    let ran = finish(command, b"");
    ran.refused(1, "cannot write the store", "FOREBAY_HOME");
    assert!(!env.project().join("ran").exists());
}

/// Builds a command that is subject to file permissions even as root.
fn unprivileged(env: &TestEnv, program: &str) -> Command {
    if !rustix::process::getuid().is_root() {
        return env.program(program);
    }
    let mut command = env.program("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--", program]);
    command
}

/// Lists the databases that were set aside.
fn databases_set_aside(env: &TestEnv) -> Vec<PathBuf> {
    let folder = env.database().parent().unwrap().to_owned();
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .filter(|path| path.to_string_lossy().contains(".damaged-"))
        .filter(|path| !path.to_string_lossy().ends_with("-wal"))
        .filter(|path| !path.to_string_lossy().ends_with("-shm"))
        .collect()
}

/// Replaces the database with text.
fn replace_database_with_garbage(env: &TestEnv) {
    let database = env.database();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", database.display()));
    }
    fs::write(database, "this is no database, but it was somebody's data ".repeat(200)).unwrap();
}

/// Asserts that a corrupt database is kept under a new name, the name is reported, and the call succeeds.
#[track_caller]
fn assert_corrupt_database_set_aside<const N: usize>(arguments: [&str; N]) {
    let env = TestEnv::new();
    env.noted("before");
    replace_database_with_garbage(&env);
    let done = env.forebay(arguments).ok();
    let aside = databases_set_aside(&env);
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert!(fs::read_to_string(&aside[0]).unwrap().starts_with("this is no database"));
    let name = aside[0].file_name().unwrap().to_string_lossy().into_owned();
    let answer = format!("{}{}", done.text(), done.stderr);
    assert!(answer.contains(&name), "{name} is not reported: {answer}");
    let noted = env.noted("after");
    assert_eq!(env.forebay(["get", &noted]).ok().body(), "after");
}

#[test]
fn note_sets_a_corrupt_database_aside_and_reports_its_new_name() {
    assert_corrupt_database_set_aside(["note", "x"]);
}

#[test]
fn run_sets_a_corrupt_database_aside_and_reports_its_new_name() {
    assert_corrupt_database_set_aside(["run", "--", "echo hi"]);
}

#[test]
fn doctor_sets_a_corrupt_database_aside_and_reports_its_new_name() {
    assert_corrupt_database_set_aside(["doctor"]);
}

#[test]
fn repair_sets_a_corrupt_database_aside_and_reports_its_new_name() {
    assert_corrupt_database_set_aside(["doctor", "--repair"]);
}

#[test]
fn the_server_reports_a_corrupt_database() {
    let env = TestEnv::new();
    env.noted("before");
    replace_database_with_garbage(&env);
    let mut mcp = env.mcp();
    let answer = mcp.text("ctx_annotate", json!({ "text": "x" }));
    assert_eq!(databases_set_aside(&env).len(), 1);
    assert!(answer.contains("damaged-"), "{answer}");
}

/// Overwrites pages in the middle of a database, which can still be opened.
fn overwrite_middle_pages(env: &TestEnv) {
    env.stored(varied_log(40_000));
    env.wait_for_checkpoint();
    let database = env.database();
    Connection::open(&database)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let mut bytes = fs::read(&database).unwrap();
    let (from, to) = (bytes.len() / 2 / 4096 * 4096, bytes.len() * 3 / 4 / 4096 * 4096);
    bytes[from..to].fill(0xA5);
    fs::write(&database, bytes).unwrap();
}

#[test]
fn doctor_finds_damage_and_repair_keeps_the_file() {
    let env = TestEnv::new();
    overwrite_middle_pages(&env);
    let report = env.forebay(["doctor"]);
    assert_eq!(report.code(), Some(1), "{report:?}");
    assert!(
        report.text().contains("BROKEN store") && report.text().contains("--repair"),
        "{report:?}"
    );
    assert!(databases_set_aside(&env).is_empty(), "doctor without --repair changes nothing");

    let damaged = fs::read(env.database()).unwrap();
    let repaired = env.forebay(["doctor", "--repair"]).ok().text();
    let aside = databases_set_aside(&env);
    assert_eq!(aside.len(), 1, "{repaired}");
    assert!(repaired.contains(&*aside[0].to_string_lossy()), "{repaired}");
    assert!(fs::read(&aside[0]).unwrap() == damaged, "the damaged file is kept unchanged");
    env.forebay(["doctor"]).ok();
}

#[test]
fn repair_leaves_an_intact_store_alone() {
    let env = TestEnv::new();
    let reference = env.noted("kept");
    let text = env.forebay(["doctor", "--repair"]).ok().text();
    assert!(text.contains("is intact; nothing to repair"), "{text}");
    assert!(databases_set_aside(&env).is_empty());
    assert_eq!(env.forebay(["get", &reference]).ok().body(), "kept");
}

#[test]
fn refuses_a_store_of_a_newer_version_and_leaves_it_unchanged() {
    let env = TestEnv::new();
    let reference = env.noted("kept");
    let connection = Connection::open(env.database()).unwrap();
    connection
        .execute_batch("INSERT INTO migration (name, checksum) VALUES ('9999_future', 'x')")
        .unwrap();
    env.forebay(["get", &reference]).refused(1, "9999_future", "newer forebay");
    env.forebay(["run", "--", "touch ran"]).refused(1, "newer Forebay", "FOREBAY_HOME");
    assert!(!env.project().join("ran").exists());
    connection.execute_batch("DELETE FROM migration WHERE name = '9999_future'").unwrap();
    assert_eq!(env.forebay(["get", &reference]).ok().body(), "kept");
}

#[test]
fn a_full_disk_prevents_storing_but_not_the_answer() {
    let env = TestEnv::new();
    let before = env.noted("written before");
    // A file size limit simulates a full disk; its signal is ignored.
    let mut shell = env.program("bash");
    let line = "trap '' XFSZ; ulimit -f 1500; exec \"$0\" \"$@\"";
    shell.args(["-c", line, env!("CARGO_BIN_EXE_forebay"), "run", "--"]);
    shell.arg("head -c 6000000 /dev/urandom | base64; echo the last line; exit 3");
    let ran = finish(shell, b"");
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    assert!(ran.text().starts_with("NOT STORED exit 3 · "), "{}", ran.text());
    assert!(ran.text().contains("its output is not stored: "), "{}", ran.text());
    assert!(ran.text().contains("the last line"), "the digest is still shown: {}", ran.text());
    env.forebay(["doctor"]).ok();
    assert_eq!(env.forebay(["get", &before]).ok().body(), "written before");
}

#[test]
fn a_note_that_cannot_be_stored_fails() {
    let env = TestEnv::new();
    env.noted("written before");
    let text = format!("{:?}", crate::texts::binary(2_000_000));
    env.write("note", &text);
    let mut shell = env.program("bash");
    let line = "trap '' XFSZ; ulimit -f 300; exec \"$0\" note - < note";
    shell.args(["-c", line, env!("CARGO_BIN_EXE_forebay")]);
    let noted = finish(shell, b"");
    assert_eq!(noted.code(), Some(1), "{noted:?}");
    assert!(noted.stderr.starts_with("error: ") && noted.stdout.is_empty(), "{noted:?}");
}

#[test]
fn home_and_root_folders_are_never_projects() {
    let env = TestEnv::new();
    for folder in [env.home(), PathBuf::from("/")] {
        let doctor = env.forebay_in(&folder, ["doctor"]).ok().text();
        assert!(doctor.contains("note   project     none (home"), "{doctor}");
    }
}
