//! What a keeper is told to do, as one line between two processes of the same program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use forebay_sandbox::{Code, Profile, Program};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Job;
use crate::run::{Command, Options, folder};
use crate::{App, AppError, ErrorKind};

/// One job, described whole. The rules have been asked by whoever writes it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// Who asks, as the history shows it.
    pub client: String,
    pub session: String,
    pub(super) folder: PathBuf,
    pub(super) kept: bool,
    what: What,
    cwd: PathBuf,
    env: BTreeMap<String, String>,
    timeout_ms: Option<u64>,
    budget: Option<u64>,
    intent: Option<String>,
    profile: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Shell(String),
    Argv(Vec<String>),
    Code { language: String, text: String, files: Vec<PathBuf> },
}

impl Order {
    pub(super) fn new(
        app: &App,
        job: &Job,
        command: Command,
        options: &Options,
        kept: bool,
    ) -> Result<Self, AppError> {
        let what = match command.program {
            Program::Shell(line) => What::Shell(line),
            Program::Argv(argv) => What::Argv(argv),
            Program::Code(Code { runtime, text, files, .. }) => {
                What::Code { language: runtime.name.to_owned(), text, files }
            }
        };
        let cwd = folder(app, options);
        if !cwd.is_dir() {
            return Err(AppError::bad_input(
                format!("{} is not a folder", cwd.display()),
                "check cwd",
            ));
        }
        Ok(Self {
            client: app.client.clone(),
            session: app.session.clone(),
            folder: job.folder().to_owned(),
            kept,
            what,
            cwd,
            env: options.env.clone(),
            timeout_ms: options.timeout_ms,
            budget: options.budget,
            intent: options.intent.clone(),
            profile: options.profile.map(|profile| profile.name().to_owned()),
        })
    }

    /// Whether the job outlives whoever ordered it.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    pub(super) fn to_line(&self) -> Result<String, AppError> {
        serde_json::to_string(self).map_err(|error| unreadable_order(&error))
    }

    /// Reads the line that a keeper gets.
    pub fn read(line: &str) -> Result<Self, AppError> {
        serde_json::from_str(line).map_err(|error| unreadable_order(&error))
    }

    pub(super) fn command(&self, app: &App) -> Result<Command, AppError> {
        Ok(match &self.what {
            What::Shell(line) => Command::of_shell(line.clone()),
            What::Argv(argv) => Command::of_arguments(argv.clone()),
            What::Code { language, text, files } if files.is_empty() => {
                Command::of_code(app, Some(language), text.clone())?
            }
            What::Code { language, text, files } => {
                Command::over_files(app, Some(language), text.clone(), files.clone())?
            }
        })
    }

    pub(super) fn options(&self) -> Options {
        Options {
            intent: self.intent.clone(),
            cwd: Some(self.cwd.clone()),
            env: self.env.clone(),
            // A job runs until it ends by itself or somebody stops it.
            timeout_ms: Some(self.timeout_ms.unwrap_or(u64::MAX)),
            budget: self.budget,
            profile: self.profile.as_deref().and_then(Profile::from_name),
        }
    }
}

/// The keeper's word that the job is under way.
pub(super) const READY: &str = "ready";

/// The keeper's word that it is not, and why.
pub(super) fn refusal(error: &AppError) -> String {
    json!({ "message": error.message, "hint": error.hint }).to_string()
}

/// A refusal, as whoever started the keeper reads it.
#[derive(Deserialize)]
struct Refusal {
    message: String,
    hint: Option<String>,
}

pub(super) fn read_answer(line: &str) -> Result<(), AppError> {
    if line.trim() == READY {
        return Ok(());
    }
    let refusal = serde_json::from_str::<Refusal>(line).unwrap_or_else(|_| Refusal {
        message: "the job's keeper ended before the job began".to_owned(),
        hint: Some("the log in the data folder may say why".to_owned()),
    });
    Err(AppError { kind: ErrorKind::BadInput, message: refusal.message, hint: refusal.hint })
}

fn unreadable_order(error: &serde_json::Error) -> AppError {
    AppError::bad_input(
        format!("not the description of a job: {error}"),
        "this command is started by `forebay run --background`, not by hand",
    )
}
