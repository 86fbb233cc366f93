//! Isolation as a user and an agent meet it: the real binary, its settings, its answers.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

/// A user outside of temp, for temp can be written by every run.
struct User {
    home: TempDir,
}

/// What `forebay` said on both streams, and its exit code.
struct Said {
    code: Option<i32>,
    text: String,
}

impl User {
    fn new() -> Self {
        let outside_of_temp = std::env::home_dir().unwrap();
        let home =
            tempfile::Builder::new().prefix(".forebay-test-").tempdir_in(outside_of_temp).unwrap();
        let user = Self { home };
        for folder in [".ssh", "app/.git", "data"] {
            fs::create_dir_all(user.at(folder)).unwrap();
        }
        fs::write(user.at(".ssh/id_x"), "secret\n").unwrap();
        user
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    #[expect(clippy::disallowed_methods, reason = "the tests drive the real binary from outside")]
    fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .env("FOREBAY_HOME", self.at("data"))
            .env("LD_AUDIT", "/no/such.so")
            .current_dir(self.at("app"))
            .args(arguments);
        command
    }

    fn forebay<const N: usize>(&self, arguments: [&str; N]) -> Said {
        let output = self.command(arguments).output().unwrap();
        let text =
            String::from_utf8(output.stdout).unwrap() + str::from_utf8(&output.stderr).unwrap();
        Said { code: output.status.code(), text }
    }

    /// Returns whether the kernel enforces isolation; reports the test as skipped if it has no Landlock.
    fn is_held_back(&self) -> bool {
        let doctor = self.forebay(["doctor"]).text;
        let held = doctor.contains("ok     isolation   profile project; Landlock");
        assert!(held || doctor.contains("no Landlock"), "{doctor}");
        if !held {
            forebay_test_support::skip("the kernel has no Landlock");
        }
        held
    }
}

#[test]
fn doctor_says_what_is_in_force_and_has_tried_it() {
    let user = User::new();
    if user.is_held_back() {
        let said = user.forebay(["doctor"]).text;
        assert!(said.contains("tested: no write outside the project"), "{said}");
        assert!(said.contains("no network"), "{said}");
    }
}

#[test]
fn the_answer_names_what_was_refused_and_what_would_allow_it() {
    let user = User::new();
    if !user.is_held_back() {
        return;
    }
    let said = user.forebay(["run", "echo x > ../outside"]);
    assert_eq!(said.code, Some(1), "{}", said.text);
    let path = user.at("outside");
    let expect = format!("isolation: writing {} is not allowed by profile project", path.display());
    assert!(said.text.contains(&expect), "{}", said.text);
    assert!(said.text.contains("isolation.write = ["), "{}", said.text);
    assert!(!path.exists());
}

#[test]
fn a_person_may_loosen_and_a_project_may_not() {
    let user = User::new();
    assert_eq!(user.forebay(["run", "--isolation", "off", "cat ~/.ssh/id_x"]).code, Some(0));
    fs::write(user.at("app/.forebay.toml"), "isolation.profile = 'off'").unwrap();
    let said = user.forebay(["run", "true"]);
    assert!(said.text.contains("a project cannot loosen `isolation.profile`"), "{}", said.text);
}

#[test]
fn a_project_may_tighten() {
    let user = User::new();
    if !user.is_held_back() {
        return;
    }
    fs::write(user.at("app/.env"), "secret\n").unwrap();
    fs::write(user.at("app/.forebay.toml"), "isolation.deny = ['.env']").unwrap();
    let said = user.forebay(["run", "cat .env; echo new > made && cat made"]);
    assert!(said.text.contains("new") && !said.text.contains("secret"), "{}", said.text);
}

#[test]
fn an_endless_writer_is_ended_with_its_limit_named() {
    let user = User::new();
    let said = user.forebay(["--set", "limits.output_mb=1", "run", "yes"]);
    assert_eq!(said.code, Some(137), "{}", said.text);
    assert!(said.text.contains("exceeded its output limit"), "{}", said.text);
    assert!(said.text.contains("ended by limits.output_mb; the output so far is kept"));
}

#[test]
fn a_hijacking_variable_does_not_arrive() {
    let user = User::new();
    let said = user.forebay(["run", "--digest", "echo \"[$LD_AUDIT]\""]);
    assert!(said.text.contains("[]"), "{}", said.text);
}

#[test]
fn strict_leaves_no_temp_behind() {
    let user = User::new();
    let said = user.forebay(["run", "--isolation", "strict", "--digest", "echo at:$TMPDIR"]);
    let folder = said.text.split("at:").nth(1).unwrap().lines().next().unwrap();
    assert!(!fs::exists(folder).unwrap(), "{}", said.text);
}

#[test]
fn a_killed_forebay_takes_its_command_with_it() {
    let user = User::new();
    let line = user.at("app/line");
    rustix::fs::mkfifoat(rustix::fs::CWD, &line, rustix::fs::Mode::RWXU).unwrap();
    let mut forebay = user.command(["run", "exec sleep 1000 3> line"]).spawn().unwrap();
    // Opens once the command has opened its end, and ends when nobody holds that any more.
    let mut reader = fs::File::open(&line).unwrap();
    forebay.kill().unwrap();
    forebay.wait().unwrap();
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(reader.read_to_end(&mut Vec::new()).is_ok()));
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(true));
}
