//! A home directory with a project and secrets, and runs under a profile.
//!
//! It is created in the home directory of the user, because the temp directory is writable under `project`.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::run::{Ending, Stream};
use forebay_sandbox::{
    CancelToken, FinishedRun, Isolation, Limits, Profile, Program, RunError, RunSpec, Sink,
    WritableByRuns, isolation, run,
};

pub(crate) struct Fixture {
    home: tempfile::TempDir,
    pub(crate) isolation: Isolation,
    pub(crate) limits: Limits,
}

/// A finished run with its output.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) finished: FinishedRun,
    pub(crate) text: String,
}

impl Completed {
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.finished.ending, Ending::Exited(0), "{}", self.text);
        self.text
    }

    #[track_caller]
    pub(crate) fn was_denied(self) -> String {
        assert!(!self.finished.ending.is_success(), "it was not denied: {}", self.text);
        let denials = [
            "permission denied",
            "operation not permitted",
            "read-only",
            "cross-device",
            "superuser",
        ];
        assert!(
            denials.iter().any(|word| self.text.to_lowercase().contains(word)),
            "{}",
            self.text
        );
        self.text
    }
}

impl Fixture {
    pub(crate) fn new(profile: Profile) -> Self {
        let outside_temp = std::env::home_dir().unwrap();
        let home =
            tempfile::Builder::new().prefix(".forebay-test-").tempdir_in(outside_temp).unwrap();
        let at = |path: &str| home.path().join(path);
        for folder in [".ssh", ".aws", "project", "data", "elsewhere", ".cache"] {
            fs::create_dir(at(folder)).unwrap();
        }
        for file in [".ssh/id_x", ".ssh/id_x.pub", ".aws/credentials", "elsewhere/file", "data/db"]
        {
            fs::write(at(file), "content\n").unwrap();
        }
        let isolation = Isolation {
            profile,
            project_root: Some(at("project")),
            home: Some(home.path().to_owned()),
            data_folder: Some(at("data")),
            ..Isolation::default()
        };
        Self { home, isolation, limits: Limits::default() }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// Runs a line of bash in the project, with HOME set to the fixture.
    pub(crate) fn run(&self, line: &str) -> Completed {
        self.try_run(line).unwrap()
    }

    pub(crate) fn try_run(&self, line: &str) -> Result<Completed, RunError> {
        let mut spec = RunSpec::new(Program::Shell(line.to_owned()), self.path("project"));
        spec.env = vec![("HOME".to_owned(), self.home.path().to_str().unwrap().to_owned())];
        spec.isolation = self.isolation.clone();
        spec.limits = self.limits;
        let mut text = Text(Vec::new());
        let finished = run(&spec, &mut text, &CancelToken::new())?;
        Ok(Completed { finished, text: String::from_utf8_lossy(&text.0).into_owned() })
    }
}

struct Text(Vec<u8>);

impl Sink for Text {
    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// Returns whether the kernel enforces isolation; reports the test as skipped if it has no Landlock.
pub(crate) fn is_enforced() -> bool {
    let report = isolation::self_test(&WritableByRuns::default(), &CancelToken::new()).unwrap();
    let enforced = Path::new("/proc/self").exists() && report.passed();
    if !enforced && report.mechanisms.iter().any(|mechanism| mechanism.contains("no Landlock")) {
        forebay_test_support::skip("the kernel has no Landlock");
        return false;
    }
    assert!(enforced, "{report:?}");
    true
}
