//! Tries out what isolation promises, with real processes.
//!
//! Each promise is tried twice: under its profile, where it must hold, and under none, where the same
//! command must succeed. Without the second a command that fails for any other reason would look like
//! a fence.

use std::fs::{self, Permissions};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use forebay_domain::run::Stream;

use super::fence::in_force;
use super::{Isolation, Profile};
use crate::{Cancel, Program, RunError, RunSpec, Sink, run};

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// What the system offers, in words.
    pub offered: Vec<String>,
    pub trials: Vec<Trial>,
}

impl Proof {
    pub fn holds(&self) -> bool {
        self.trials.iter().all(|trial| trial.outcome == Outcome::Held)
    }
}

/// One promise, tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    pub promise: &'static str,
    pub outcome: Outcome,
}

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Held,
    Broken,
    /// The command failed without isolation too.
    Unknown,
}

/// Tries every promise.
pub fn prove(cancel: &Cancel) -> Result<Proof, RunError> {
    let stage = Stage::new().map_err(RunError::io("set the stage for a trial"))?;
    let port = stage.listener.local_addr().map_err(RunError::io("listen"))?.port();
    let trials = [
        (Profile::Project, "no write outside of the project", ": > ../data/probe".to_owned()),
        (
            Profile::Project,
            "no read of a denied path",
            "read -r line < ../denied/secret".to_owned(),
        ),
        (Profile::Project, "no run of a denied program", "./tool".to_owned()),
        (Profile::Strict, "no read outside of the project", "read -r line < ../other".to_owned()),
        (Profile::Strict, "no network", format!("exec 3<>/dev/tcp/127.0.0.1/{port}")),
    ];
    let trials = trials.into_iter().map(|(profile, promise, line)| {
        Ok(Trial { promise, outcome: stage.outcome(profile, &line, cancel)? })
    });
    Ok(Proof { offered: in_force(), trials: trials.collect::<Result<_, RunError>>()? })
}

/// A small world: a project, data, a denied folder, and a host.
struct Stage {
    folder: tempfile::TempDir,
    listener: TcpListener,
}

impl Stage {
    fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["project", "data", "denied"] {
            fs::create_dir(folder.path().join(name))?;
        }
        fs::write(folder.path().join("denied/secret"), "secret\n")?;
        fs::write(folder.path().join("other"), "other\n")?;
        let tool = folder.path().join("project/tool");
        fs::write(&tool, "#!/bin/sh\n")?;
        fs::set_permissions(&tool, Permissions::from_mode(0o700))?;
        Ok(Self { folder, listener: TcpListener::bind(("127.0.0.1", 0))? })
    }

    fn outcome(&self, profile: Profile, line: &str, cancel: &Cancel) -> Result<Outcome, RunError> {
        let held = !self.succeeds(profile, line, cancel)?;
        let would_succeed = self.succeeds(Profile::Off, line, cancel)?;
        Ok(match (held, would_succeed) {
            (true, true) => Outcome::Held,
            (false, _) => Outcome::Broken,
            (true, false) => Outcome::Unknown,
        })
    }

    fn succeeds(&self, profile: Profile, line: &str, cancel: &Cancel) -> Result<bool, RunError> {
        let project = self.at("project");
        let mut spec = RunSpec::new(Program::Shell(line.to_owned()), project.clone());
        spec.isolation = Isolation {
            profile,
            project_root: Some(project),
            data_folder: Some(self.at("data")),
            deny: vec![self.at("denied")],
            programs: vec![self.at("project/tool")],
            ..Isolation::default()
        };
        Ok(run(&spec, &mut Unheard, cancel)?.ending.is_success())
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        Path::new(self.folder.path()).join(name)
    }
}

struct Unheard;

impl Sink for Unheard {
    fn write(&mut self, _: Stream, _: &[u8]) {}
}
