//! Checks the guarantees of isolation with real processes.
//!
//! Each check runs twice: under its profile, where the command must fail, and without isolation, where it must
//! succeed. Otherwise, a command that fails for another reason would look like an enforced guarantee.

use std::fs::{self, Permissions};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use forebay_domain::run::Stream;

use super::restrictions::mechanisms;
use super::{Isolation, Profile};
use crate::{CancelToken, Program, RunError, RunSpec, Sink, run, trusted_path};

/// The result of the self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfTestReport {
    /// Describes the mechanisms of this system.
    pub mechanisms: Vec<String>,
    pub checks: Vec<GuaranteeCheck>,
}

impl SelfTestReport {
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.outcome == CheckOutcome::Enforced)
    }
}

/// The result for one guarantee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuaranteeCheck {
    pub guarantee: &'static str,
    pub outcome: CheckOutcome,
}

/// The outcome of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    Enforced,
    Violated,
    /// The command also failed without isolation.
    Inconclusive,
}

/// Checks every guarantee.
///
/// Half of its commands run without isolation, so programs of `project` must not take part.
pub fn self_test(project: &Path, cancel: &CancelToken) -> Result<SelfTestReport, RunError> {
    let fixture = Fixture::new(project).map_err(RunError::io("prepare the self-test"))?;
    let port =
        fixture.listener.local_addr().map_err(RunError::io("listen on a local port"))?.port();
    let checks = [
        (Profile::Project, "no write outside the project", ": > ../data/probe".to_owned()),
        (
            Profile::Project,
            "no read of a denied path",
            "read -r line < ../denied/secret".to_owned(),
        ),
        (Profile::Project, "no execution of a denied program", "./tool".to_owned()),
        (Profile::Strict, "no read outside the project", "read -r line < ../other".to_owned()),
        (Profile::Strict, "no network", format!("exec 3<>/dev/tcp/127.0.0.1/{port}")),
    ];
    let checks = checks.into_iter().map(|(profile, guarantee, line)| {
        Ok(GuaranteeCheck { guarantee, outcome: fixture.outcome(profile, &line, cancel)? })
    });
    Ok(SelfTestReport {
        mechanisms: mechanisms(),
        checks: checks.collect::<Result<_, RunError>>()?,
    })
}

/// A project, a data directory, a denied directory and a listening host.
struct Fixture {
    folder: tempfile::TempDir,
    listener: TcpListener,
    search_path: String,
}

impl Fixture {
    fn new(project: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["project", "data", "denied"] {
            fs::create_dir(folder.path().join(name))?;
        }
        fs::write(folder.path().join("denied/secret"), "secret\n")?;
        fs::write(folder.path().join("other"), "other\n")?;
        let tool = folder.path().join("project/tool");
        fs::write(&tool, "#!/bin/sh\n")?;
        fs::set_permissions(&tool, Permissions::from_mode(0o700))?;
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        Ok(Self { folder, listener, search_path: trusted_path(project) })
    }

    fn outcome(
        &self,
        profile: Profile,
        line: &str,
        cancel: &CancelToken,
    ) -> Result<CheckOutcome, RunError> {
        let is_denied = !self.succeeds(profile, line, cancel)?;
        let succeeds_without = self.succeeds(Profile::Off, line, cancel)?;
        Ok(match (is_denied, succeeds_without) {
            (true, true) => CheckOutcome::Enforced,
            (false, _) => CheckOutcome::Violated,
            (true, false) => CheckOutcome::Inconclusive,
        })
    }

    fn succeeds(
        &self,
        profile: Profile,
        line: &str,
        cancel: &CancelToken,
    ) -> Result<bool, RunError> {
        let project = self.path("project");
        let mut spec = RunSpec::new(Program::Shell(line.to_owned()), project.clone());
        spec.env = vec![("PATH".to_owned(), self.search_path.clone())];
        spec.isolation = Isolation {
            profile,
            project_root: Some(project),
            data_folder: Some(self.path("data")),
            deny: vec![self.path("denied")],
            denied_programs: vec![self.path("project/tool")],
            ..Isolation::default()
        };
        Ok(run(&spec, &mut DiscardOutput, cancel)?.ending.is_success())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        Path::new(self.folder.path()).join(name)
    }
}

struct DiscardOutput;

impl Sink for DiscardOutput {
    fn write(&mut self, _: Stream, _: &[u8]) {}
}
