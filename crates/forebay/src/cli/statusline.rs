//! `forebay statusline`: one line in an agent's status line.
//!
//! An agent draws its status line often and shows what it gets, so this is quick and never fails: if anything is wrong, it
//! prints nothing and exits with 0.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use forebay_app::AppError;
use forebay_app::ledger::status_line;
use forebay_domain::usage::HOOK_SESSION;
use forebay_platforms::status::{self, HostStatus};
use forebay_platforms::{Platform, find};

use super::{Common, project_root};
use crate::doors::deadline::Deadline;

const NAME: &str = "statusline";
/// An agent sends about a kilobyte.
const MAX_INPUT: u64 = 1024 * 1024;
/// Without an answer by then, nothing is shown.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Print one line for an agent's status line (agents call this themselves)
///
/// Reads the agent's JSON on stdin. The line has the tokens saved in the session, their net in money, the context used and
/// the share of input that came from the model's cache; what is not known is left out. On any error it prints nothing and exits with 0.
#[derive(Debug, Args)]
pub(super) struct StatusLine {
    /// The agent, as `forebay init` names it
    platform: String,
}

/// The exit code, when that is what was called; the command line's own errors would be shown in the status line.
pub(super) fn called() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != NAME {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return None;
    }
    let platform = words.first().map(|word| word.to_string_lossy().into_owned());
    Some(StatusLine { platform: platform.unwrap_or_default() }.print())
}

impl StatusLine {
    pub(super) fn print(self) -> ExitCode {
        // Panics are not shown.
        panic::set_hook(Box::new(|_| {}));
        forebay_app::set_busy_timeout(TIMEOUT);
        let Ok(deadline) = Deadline::start(TIMEOUT, 0, || ()) else { return ExitCode::SUCCESS };
        let line = panic::catch_unwind(AssertUnwindSafe(|| line(&self.platform)));
        deadline.met();
        if let Some(line) = line.ok().flatten().filter(|line| !line.is_empty()) {
            // An agent that stopped reading has its reasons.
            let _ = writeln!(io::stdout(), "{line}");
        }
        ExitCode::SUCCESS
    }
}

fn line(platform: &str) -> Option<String> {
    let platform = find(platform)?;
    let status = status::parse(platform, &input()?)?;
    line_of(platform, status).ok()
}

/// What the agent writes to stdin.
fn input() -> Option<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut bytes = Vec::new();
    stdin.lock().take(MAX_INPUT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The line about the conversation and the project that the agent names.
fn line_of(platform: &Platform, status: HostStatus) -> Result<String, AppError> {
    let HostStatus { session, project, context_percent } = status;
    let directory = project.map(PathBuf::from).filter(|folder| folder.is_dir());
    let common = Common { directory, session, set: Vec::new(), json: false };
    let cwd = common.working_folder()?;
    let (settings, _) = common.valid_settings(&project_root(&cwd))?;
    let app = common.app_with(settings, cwd.clone(), &cwd, platform.id, HOOK_SESSION)?;
    status_line::line(&app, context_percent)
}
