//! Isolation through the real binary: settings, enforcement and answers.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests report failures by panicking")]

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

/// A user whose home is outside the temp folder, which every run can write.
struct User {
    home: TempDir,
}

/// The output of `forebay` on both streams, and its exit code.
struct Output {
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
            fs::create_dir_all(user.path(folder)).unwrap();
        }
        fs::write(user.path(".ssh/id_x"), "secret\n").unwrap();
        user
    }

    /// Installs a program that does nothing.
    fn install(&self, name: &str) {
        fs::create_dir_all(self.path("bin")).unwrap();
        fs::write(self.path("bin").join(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(self.path("bin").join(name), fs::Permissions::from_mode(0o700))
            .unwrap();
    }

    fn search_path(&self) -> OsString {
        let own = std::iter::once(self.path("bin"));
        let path = std::env::var_os("PATH").unwrap();
        std::env::join_paths(own.chain(std::env::split_paths(&path))).unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    #[expect(clippy::disallowed_methods, reason = "the tests drive the real binary from outside")]
    fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command
            .env_clear()
            .env("PATH", self.search_path())
            .env("HOME", self.home.path())
            .env("FOREBAY_HOME", self.path("data"))
            .env("LD_AUDIT", "/no/such.so")
            .current_dir(self.path("app"))
            .args(arguments);
        command
    }

    fn forebay<const N: usize>(&self, arguments: [&str; N]) -> Output {
        let output = self.command(arguments).output().unwrap();
        let text =
            String::from_utf8(output.stdout).unwrap() + str::from_utf8(&output.stderr).unwrap();
        Output { code: output.status.code(), text }
    }

    /// Returns whether the kernel enforces isolation; reports the test as skipped if it has no Landlock.
    fn is_isolation_enforced(&self) -> bool {
        let doctor = self.forebay(["doctor"]).text;
        let is_enforced = doctor.contains("ok     isolation   profile project; Landlock");
        assert!(is_enforced || doctor.contains("no Landlock"), "{doctor}");
        if !is_enforced {
            forebay_test_support::skip("the kernel has no Landlock");
        }
        is_enforced
    }
}

#[test]
fn doctor_reports_and_tests_the_isolation() {
    let user = User::new();
    if user.is_isolation_enforced() {
        let output = user.forebay(["doctor"]).text;
        for escape in ["write outside the project", "reach other sockets", "outlive the run"] {
            let row = output.lines().find(|line| line.contains(escape)).unwrap();
            assert!(row.ends_with("blocked   blocked") && row.len() <= 80, "{row}");
        }
        assert!(!output.contains("POSSIBLE") && output.contains("allowed   blocked"), "{output}");
    }
}

#[test]
fn answer_names_the_refused_path_and_the_setting_that_allows_it() {
    let user = User::new();
    if !user.is_isolation_enforced() {
        return;
    }
    let output = user.forebay(["run", "echo x > ../outside"]);
    assert_eq!(output.code, Some(1), "{}", output.text);
    let path = user.path("outside");
    let expect = format!("isolation: writing {} is not allowed by profile project", path.display());
    assert!(output.text.contains(&expect), "{}", output.text);
    assert!(output.text.contains("isolation.write = ["), "{}", output.text);
    assert!(!path.exists());
}

/// Below a hidden folder, programs find nothing: that is not the user's fault.
#[test]
fn answer_says_why_a_secret_is_not_found() {
    let user = User::new();
    if !user.is_isolation_enforced() {
        return;
    }
    let output = user.forebay(["run", "cat ~/.ssh/id_x"]);
    let setting = format!("isolation.read = [\"{}\"]", user.path(".ssh/id_x").display());
    assert!(output.text.contains(&setting), "{}", output.text);
    let missing = user.forebay(["run", "cat ~/.ssh/id_y"]).text;
    assert!(!missing.contains("isolation:"), "{missing}");
}

#[test]
fn a_command_that_only_reads_makes_no_caches() {
    let user = User::new();
    user.install("npm");
    for command in ["echo hi", "ls -la | head -3", "git status; cat ~/x"] {
        user.forebay(["run", command]);
        let made = [".cache", ".npm"].map(|cache| user.path(cache).exists());
        assert_eq!(made, [false, false], "{command}");
    }
    user.forebay(["run", "sh -c 'true'; ./build.sh"]);
    assert!(user.path(".npm").exists(), "a script may call npm, which needs its cache");
}

#[test]
fn answer_says_why_a_process_is_out_of_reach() {
    let user = User::new();
    if !user.is_isolation_enforced() {
        return;
    }
    let own = std::process::id();
    for (command, expect) in [
        (format!("kill -0 {own}"), "isolation: a run can signal only processes that it started"),
        (
            format!("readlink -v /proc/{own}/exe"),
            "isolation: a run can inspect only its own processes",
        ),
        (format!("ls -l /proc/{own}/fd"), "isolation: a run can inspect only its own processes"),
    ] {
        let output = user.forebay(["run", &command]);
        assert!(output.text.contains(expect), "{command}: {}", output.text);
        assert!(output.text.contains("isolation.profile = \"off\""), "{}", output.text);
        assert!(!output.text.contains("isolation: writing"), "{}", output.text);
    }
    let reachable = user.forebay(["run", "--digest", "sleep 9 & kill $! && echo ended"]);
    assert!(reachable.text.contains("ended"), "{}", reachable.text);
}

#[test]
fn answer_blames_isolation_for_no_path_it_did_not_refuse() {
    let user = User::new();
    if !user.is_isolation_enforced() {
        return;
    }
    let lines =
        "can't open it and/or 'x': Permission denied\nrole 'admin' on 'shop': permission denied";
    let command = format!("cd ..; printf '%s\\n' \"{lines}\"; exit 1");
    let output = user.forebay(["run", &command]);
    assert!(!output.text.contains("isolation:"), "{}", output.text);
}

#[test]
fn credentials_are_closed_but_to_the_tools_that_own_them() {
    let user = User::new();
    if !user.is_isolation_enforced() {
        return;
    }
    fs::create_dir_all(user.path(".config/git")).unwrap();
    fs::create_dir_all(user.path(".codex")).unwrap();
    user.install("codex");
    let stores = [
        (".git-credentials", "git"),
        (".config/git/credentials", "git"),
        (".codex/auth.json", "codex"),
    ];
    for (store, _) in stores {
        fs::write(user.path(store), "secret\n").unwrap();
    }
    let doctor = user.forebay(["doctor"]).text;
    for (store, owner) in stores {
        assert!(doctor.contains(&format!("~/{store}")), "{doctor}");
        let read = format!("cat ~/{store}");
        let by_owner = format!("{owner} --version >&2; {read}");
        assert_eq!(user.forebay(["run", &by_owner]).code, Some(0), "{store}");
        let refused = [
            user.forebay(["run", &read]),
            user.forebay(["run", "--isolation", "strict", &by_owner]),
        ];
        for refused in refused {
            assert!(!refused.text.contains("secret\n"), "{store}: {}", refused.text);
            assert_ne!(refused.code, Some(0), "{store}");
        }
    }
    let opened = user.forebay(["--set", "isolation.read=['~/.git-credentials']", "doctor"]).text;
    assert!(opened.contains("every run can read ~/.git-credentials"), "{opened}");
}

#[test]
fn user_can_loosen_isolation_but_a_project_cannot() {
    let user = User::new();
    assert_eq!(user.forebay(["run", "--isolation", "off", "cat ~/.ssh/id_x"]).code, Some(0));
    fs::write(user.path("app/.forebay.toml"), "isolation.profile = 'off'").unwrap();
    let output = user.forebay(["run", "true"]);
    assert!(output.text.contains("a project cannot loosen `isolation.profile`"), "{}", output.text);
}

#[test]
fn project_can_tighten_isolation() {
    let user = User::new();
    if !user.is_isolation_enforced() {
        return;
    }
    fs::write(user.path("app/.env"), "secret\n").unwrap();
    fs::write(user.path("app/.forebay.toml"), "isolation.deny = ['.env']").unwrap();
    let output = user.forebay(["run", "cat .env; echo new > made && cat made"]);
    assert!(output.text.contains("new") && !output.text.contains("secret"), "{}", output.text);
}

#[test]
fn endless_output_is_ended_by_the_named_limit() {
    let user = User::new();
    let output = user.forebay(["--set", "limits.output_mb=1", "run", "yes"]);
    assert_eq!(output.code, Some(137), "{}", output.text);
    assert!(output.text.contains("exceeded its output limit"), "{}", output.text);
    assert!(output.text.contains("ended by limits.output_mb; the output so far is kept"));
}

#[test]
fn loader_variables_are_not_passed_on() {
    let user = User::new();
    let output = user.forebay(["run", "--digest", "echo \"[$LD_AUDIT]\""]);
    assert!(output.text.contains("[]"), "{}", output.text);
}

#[test]
fn strict_profile_removes_its_temp_folder() {
    let user = User::new();
    let output = user.forebay(["run", "--isolation", "strict", "--digest", "echo at:$TMPDIR"]);
    let folder = output.text.split("at:").nth(1).unwrap().lines().next().unwrap();
    assert!(!fs::exists(folder).unwrap(), "{}", output.text);
}

#[test]
fn killing_forebay_ends_its_command() {
    let user = User::new();
    let fifo = user.path("app/line");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    let mut forebay = user.command(["run", "exec sleep 1000 3> line"]).spawn().unwrap();
    // Blocks until the command opens the write end, and reads end-of-file once that is closed.
    let mut reader = fs::File::open(&fifo).unwrap();
    forebay.kill().unwrap();
    forebay.wait().unwrap();
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(reader.read_to_end(&mut Vec::new()).is_ok()));
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(true));
}
