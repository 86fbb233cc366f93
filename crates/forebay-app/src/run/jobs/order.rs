//! The description of a job, sent to its supervisor process as one JSON line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use forebay_sandbox::{Code, Profile, Program};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Job;
use crate::run::{Command, Delivery, Options, folder};
use crate::{App, AppError, ErrorKind};

/// The complete description of a job. Its creator has already checked the permission rules.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The caller, as the history shows it.
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

    /// Whether the job outlives the process that started it.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    pub(super) fn to_line(&self) -> Result<String, AppError> {
        serde_json::to_string(self).map_err(|error| invalid_order(&error))
    }

    /// Parses the line that a supervisor receives.
    pub fn parse(line: &str) -> Result<Self, AppError> {
        serde_json::from_str(line).map_err(|error| invalid_order(&error))
    }

    pub(super) fn command(&self, app: &App) -> Result<Command, AppError> {
        Ok(match &self.what {
            What::Shell(line) => Command::from_shell(line.clone()),
            What::Argv(argv) => Command::from_arguments(argv.clone()),
            What::Code { language, text, files } if files.is_empty() => {
                Command::from_code(app, Some(language), text.clone())?
            }
            What::Code { language, text, files } => {
                Command::for_files(app, Some(language), text.clone(), files.clone())?
            }
        })
    }

    pub(super) fn options(&self) -> Options {
        Options {
            delivery: Delivery::Nowhere,
            intent: self.intent.clone(),
            cwd: Some(self.cwd.clone()),
            env: self.env.clone(),
            // A job has no timeout: it runs until it ends or is stopped.
            timeout_ms: Some(self.timeout_ms.unwrap_or(u64::MAX)),
            budget: self.budget,
            profile: self.profile.as_deref().and_then(Profile::from_name),
        }
    }
}

/// The supervisor's reply when the job has started.
pub(super) const READY_REPLY: &str = "ready";

/// The supervisor's reply when the job did not start, with the reason.
pub(super) fn error_reply(error: &AppError) -> String {
    json!({ "message": error.message, "hint": error.hint }).to_string()
}

/// A parsed error reply.
#[derive(Deserialize)]
struct ErrorReply {
    message: String,
    hint: Option<String>,
}

pub(super) fn parse_reply(line: &str) -> Result<(), AppError> {
    if line.trim() == READY_REPLY {
        return Ok(());
    }
    let error_reply = serde_json::from_str::<ErrorReply>(line).unwrap_or_else(|_| ErrorReply {
        message: "the job's supervisor exited before the job started".to_owned(),
        hint: Some("see the log in the data folder".to_owned()),
    });
    Err(AppError {
        kind: ErrorKind::BadInput,
        message: error_reply.message,
        hint: error_reply.hint,
    })
}

fn invalid_order(error: &serde_json::Error) -> AppError {
    AppError::bad_input(
        format!("invalid job description: {error}"),
        "`forebay run --background` starts this command; do not run it by hand",
    )
}
