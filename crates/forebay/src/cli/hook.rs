//! `forebay hook`: what agent hosts call when something happens.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use forebay_app::{AppError, Settings};
use forebay_domain::hook::HookCall;
use forebay_domain::usage::HOOK_SESSION;
use forebay_platforms::{Output, Platform};
use forebay_sandbox::ProcessClock;

use super::{Common, data_folder, project_root};
use crate::config::environment;
use crate::doors::hook::{self, HookApp};

/// How long a hook waits for another process to be done with the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(1);

/// Answer an agent's hook (agents call this themselves)
///
/// Reads the event as JSON on stdin and prints the answer in the agent's format. On any error it
/// prints nothing, exits with 0 and writes to the log.
#[derive(Debug, Args)]
pub(super) struct Hook {
    /// The agent, as `forebay init` names it
    platform: String,
    /// The event, as the agent names it
    event: String,
}

/// The exit code of a hook, when that is what was called.
///
/// The command line's own errors end with 2, which hosts read as a denial. So a hook is found before
/// its command line is read, and reads it itself; it also starts sooner that way.
pub(super) fn called() -> Option<ExitCode> {
    let clock = ProcessClock::start();
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    let asks_for_help = |word: &OsString| word == "--help" || word == "-h";
    if words.iter().any(asks_for_help) {
        return None;
    }
    let word = |index: usize| words.get(index).map(|word| word.to_string_lossy().into_owned());
    let hook = Hook { platform: word(0).unwrap_or_default(), event: word(1).unwrap_or_default() };
    Some(hook.answer(&clock))
}

impl Hook {
    pub(super) fn answer(self, clock: &ProcessClock) -> ExitCode {
        forebay_app::set_busy_timeout(STORE_TIMEOUT);
        let Self { platform, event } = &self;
        let (late_platform, late_event) = (platform.clone(), event.clone());
        let late = move |fault: String| log(&late_platform, &late_event, &fault);
        match hook::answer(platform, event, make_app, late) {
            Ok(answer) => {
                let code = write_output(&answer.output);
                answer.finish(clock.elapsed());
                code
            }
            Err(fault) => {
                log(platform, event, &fault);
                ExitCode::SUCCESS
            }
        }
    }
}

/// The app of the conversation and the folder that the payload names.
fn make_app(platform: &Platform, call: &HookCall) -> Result<HookApp, AppError> {
    let folder = call.cwd.as_deref().map(PathBuf::from).filter(|folder| folder.is_dir());
    let common =
        Common { directory: folder, session: call.session.clone(), set: Vec::new(), json: false };
    let cwd = common.working_folder()?;
    let project = project_folder(platform).unwrap_or_else(|| cwd.clone());
    // Rules must be enforced even if a settings file has an error.
    let (settings, fault) = match common.valid_settings(&project_root(&project)) {
        Ok(valid) => valid,
        Err(unusable) => {
            let Ok(settings) = Settings::with(BTreeMap::new()) else { return Err(unusable) };
            let app = common.app_with(settings, cwd, &project, platform.id, HOOK_SESSION)?;
            return Ok(HookApp { app, unusable_settings: Some(unusable) });
        }
    };
    if fault.is_some() {
        // The log is in the data folder.
        let _ = data_folder()?.create();
    }
    let app = common.app_with(settings, cwd, &project, platform.id, HOOK_SESSION)?;
    if let Some(fault) = fault {
        tracing::warn!(platform = platform.id, %fault, "hook ignores the project's settings");
    }
    Ok(HookApp { app, unusable_settings: None })
}

/// The folder that the conversation was started in, if the host names it.
///
/// What a hook captures belongs there even if the model changed into another repository: the MCP server
/// of the conversation looks for it there.
fn project_folder(platform: &Platform) -> Option<PathBuf> {
    let folder = environment::read(platform.project_env?).map(PathBuf::from);
    folder.filter(|folder| folder.is_dir())
}

/// A host that stopped reading has its reasons; that is no failure of the hook.
fn write_output(output: &Output) -> ExitCode {
    let _ = io::stderr().write_all(output.stderr.as_bytes());
    let mut stdout = io::stdout();
    let _ = stdout.write_all(output.stdout.as_bytes()).and_then(|()| stdout.flush());
    ExitCode::from(output.exit_code)
}

/// One line in the log, if there is a place for one.
fn log(platform: &str, event: &str, fault: &str) {
    let Ok(home) = data_folder() else { return };
    if home.create().is_ok() {
        crate::log::start(&home.log_file());
        let fault = fault.replace('\n', "; ");
        tracing::warn!(platform, event, %fault, "hook");
    }
}
