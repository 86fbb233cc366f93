//! `TestEnv`: a separate project and data folder, and the binary started in them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forebay_sandbox::{WritableByRuns, runtimes};
use serde_json::Value;
use tempfile::TempDir;

use crate::samples::{SAMPLES, Sample};

/// Generous for a busy machine.
const RUN_TIMEOUT: Duration = Duration::from_mins(2);

/// Returns the samples whose language is installed; a missing required language is reported as skipped.
pub(crate) fn installed() -> Vec<&'static Sample> {
    let is_installed = |sample: &&Sample| {
        let runtime = runtimes::find(sample.language).unwrap();
        let is_installed = runtime.is_installed(Path::new("/"), &WritableByRuns::default());
        if !is_installed && sample.required {
            forebay_test_support::skip(&format!("{} is not installed", sample.language));
        }
        is_installed
    };
    SAMPLES.iter().filter(is_installed).collect()
}

/// A project with two text files.
pub(crate) struct TestEnv {
    root: TempDir,
}

/// The result of a finished `forebay` process.
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Output {
    /// Returns stdout and stderr as text.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", String::from_utf8_lossy(&self.stdout), self.stderr)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let env = Self { root: tempfile::tempdir().unwrap() };
        for folder in ["app/.git", "home", "tmp"] {
            fs::create_dir_all(env.root.path().join(folder)).unwrap();
        }
        env.write("a.txt", "alpha\n");
        env.write("b.txt", "beta\n");
        env
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path("app").join(name), text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Runs code with the binary; `options` precede the code.
    pub(crate) fn run(&self, language: &str, options: &[&str], code: &str) -> Output {
        self.run_with_stdin(language, options, code, b"")
    }

    pub(crate) fn run_with_stdin(
        &self,
        language: &str,
        options: &[&str],
        code: &str,
        stdin: &[u8],
    ) -> Output {
        let mut command = self.forebay();
        command.args(["run", "--language", language]).args(options).args(["--", code]);
        let started = Instant::now();
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(started.elapsed() < RUN_TIMEOUT, "{language} hung");
        self.assert_no_temp_file_is_left(language);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Output { stdout: output.stdout, stderr, code: output.status.code() }
    }

    pub(crate) fn purge_everything(&self) {
        let output = self.forebay().args(["purge", "--everything", "--yes"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// Asserts that the run removed its script folder.
    fn assert_no_temp_file_is_left(&self, language: &str) {
        let left: Vec<_> = fs::read_dir(self.path("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("forebay-"))
            .collect();
        assert_eq!(left, <[String; 0]>::default(), "{language}");
    }

    #[expect(clippy::disallowed_methods, reason = "the tests drive the real binary from outside")]
    fn forebay(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command
            .env("HOME", self.path("home"))
            .env("FOREBAY_HOME", self.path("data"))
            .env("TMPDIR", self.path("tmp"))
            .env("RUSTUP_HOME", rustup_home())
            .env_remove("VIRTUAL_ENV")
            .current_dir(self.path("app"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Returns the folder of rustup's toolchains, which it looks for below HOME by default.
fn rustup_home() -> PathBuf {
    let below_home = || std::env::home_dir().unwrap_or_default().join(".rustup");
    std::env::var_os("RUSTUP_HOME").map_or_else(below_home, PathBuf::from)
}
