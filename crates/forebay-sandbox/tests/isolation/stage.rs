//! A home folder with a project in it, secrets beside it, and runs held to a profile.
//!
//! The stage stands in the user's home: temp can be written under `project`, which would prove nothing.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::run::{Ending, Stream};
use forebay_sandbox::{
    Cancel, Finished, Isolation, Limits, Profile, Program, RunSpec, Sink, isolation, run,
};

pub(crate) struct Stage {
    home: tempfile::TempDir,
    pub(crate) isolation: Isolation,
    pub(crate) limits: Limits,
}

/// A finished run with all it printed.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) finished: Finished,
    pub(crate) text: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.finished.ending, Ending::Exited(0), "{}", self.text);
        self.text
    }

    #[track_caller]
    pub(crate) fn was_refused(self) -> String {
        assert!(!self.finished.ending.is_success(), "it was not refused: {}", self.text);
        let refusals = [
            "permission denied",
            "operation not permitted",
            "read-only",
            "cross-device",
            "superuser",
        ];
        assert!(
            refusals.iter().any(|word| self.text.to_lowercase().contains(word)),
            "{}",
            self.text
        );
        self.text
    }
}

impl Stage {
    pub(crate) fn new(profile: Profile) -> Self {
        let outside_of_temp = std::env::home_dir().unwrap();
        let home =
            tempfile::Builder::new().prefix(".forebay-test-").tempdir_in(outside_of_temp).unwrap();
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

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// Runs a line of bash in the project, with HOME on the stage.
    pub(crate) fn run(&self, line: &str) -> Ran {
        let mut spec = RunSpec::new(Program::Shell(line.to_owned()), self.at("project"));
        spec.env = vec![("HOME".to_owned(), self.home.path().to_str().unwrap().to_owned())];
        spec.isolation = self.isolation.clone();
        spec.limits = self.limits;
        let mut text = Text(Vec::new());
        let finished = run(&spec, &mut text, &Cancel::new()).unwrap();
        Ran { finished, text: String::from_utf8_lossy(&text.0).into_owned() }
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
    let proof = isolation::prove(&Cancel::new()).unwrap();
    let enforced = Path::new("/proc/self").exists() && proof.holds();
    if !enforced && proof.offered.iter().any(|offer| offer.contains("no Landlock")) {
        forebay_test_support::skip("the kernel has no Landlock");
        return false;
    }
    assert!(enforced, "{proof:?}");
    true
}
