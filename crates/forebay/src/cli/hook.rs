//! `forebay hook`: what agent hosts call when something happens.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use forebay_app::hooks::{self, FailedOutcome, Failure};
use forebay_app::{App, AppError, Settings, rules};
use forebay_domain::hook::HookCall;
use forebay_domain::usage::HOOK_SESSION;
use forebay_platforms::{Output, Platform, find};
use forebay_sandbox::ProcessClock;

use super::{Common, data_folder, project_root, user_home};
use crate::config::environment;
use crate::doors::hook::{self, HookApp, Progress};

/// How long a hook waits for another process to be done with the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(1);

/// Answer an agent's hook (agents call this themselves)
///
/// Reads the event as JSON on stdin and prints the answer in the agent's format. On any error it
/// prints nothing, exits with 0 and writes to the log; `forebay watch` shows the error.
#[derive(Debug, Clone, Args)]
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
        let failed = FailedHook { hook: self, progress: Arc::default(), clock: *clock };
        let late = failed.clone();
        let late = move |error: &AppError| late.report(FailedOutcome::TimedOut, error);
        let Self { platform, event } = &failed.hook;
        match hook::answer(platform, event, make_app, &failed.progress, late) {
            Ok(answer) => {
                let code = write_output(&answer.output);
                answer.finish(clock.elapsed());
                code
            }
            Err(error) => {
                hook::do_rest(0, || failed.report(FailedOutcome::Failed, &error));
                ExitCode::SUCCESS
            }
        }
    }
}

/// A hook that gives no answer: the log and the list of hook calls tell why.
#[derive(Clone)]
struct FailedHook {
    hook: Hook,
    progress: Arc<Progress>,
    clock: ProcessClock,
}

impl FailedHook {
    fn report(&self, outcome: FailedOutcome, error: &AppError) {
        let took = self.clock.elapsed();
        let Hook { platform, event } = &self.hook;
        log(platform, event, error);
        let failure = Failure { outcome, error, event: &self.event_name() };
        if let Some(app) = self.progress.app() {
            return hooks::log_failure(app, self.progress.call(), &failure, took);
        }
        if let Ok(app) = self.app_of_the_folder() {
            hooks::log_failure(&app, self.progress.call(), &failure, took);
            // As after an answer, destructors are skipped.
            std::mem::forget(app);
        }
    }

    /// What the host reported, as far as the command line tells.
    fn event_name(&self) -> String {
        let Hook { platform, event } = &self.hook;
        let moment = find(platform).and_then(|platform| platform.moment(event));
        moment.map_or_else(|| event.clone(), |moment| moment.description().to_owned())
    }

    /// The app, with default settings, of the folder that the host works in.
    fn app_of_the_folder(&self) -> Result<App, AppError> {
        let call = self.progress.call();
        let folder = call.and_then(working_folder);
        let common = common(folder, call.and_then(|call| call.session.clone()));
        let cwd = common.working_folder()?;
        let platform = find(&self.hook.platform);
        let project = platform.and_then(project_folder).unwrap_or_else(|| cwd.clone());
        let settings = default_settings()?;
        let client = platform.map_or(HOOK_SESSION, |platform| platform.id);
        common.app_with(settings, cwd, &project, client, HOOK_SESSION)
    }
}

/// The app of the conversation and the folder that the payload names.
fn make_app(platform: &Platform, call: &HookCall) -> Result<HookApp, AppError> {
    let common = common(working_folder(call), call.session.clone());
    let cwd = common.working_folder()?;
    let project = project_folder(platform).unwrap_or_else(|| cwd.clone());
    let project = session_project(&common, &project).unwrap_or(project);
    // Rules must be enforced even if a settings file has an error.
    let (settings, fault) = match common.valid_settings(&project_root(&project)) {
        Ok(valid) => valid,
        Err(unusable) => {
            let app =
                common.app_with(default_settings()?, cwd, &project, platform.id, HOOK_SESSION)?;
            return Ok(HookApp { app, unusable_settings: Some(unusable), ignored_settings: None });
        }
    };
    if fault.is_some() {
        // The log is in the data folder.
        let _ = data_folder()?.create();
    }
    let app = common.app_with(settings, cwd, &project, platform.id, HOOK_SESSION)?;
    let ignored_settings = fault.map(super::wrong_settings);
    Ok(HookApp { app, unusable_settings: None, ignored_settings })
}

fn default_settings() -> Result<Settings, AppError> {
    let settings = Settings::with(BTreeMap::new());
    settings.map_err(|error| AppError::unavailable(error.to_string(), None))
}

fn common(directory: Option<PathBuf>, session: Option<String>) -> Common {
    Common { directory, session, set: Vec::new(), json: false }
}

/// The folder that the payload names, if it is there.
fn working_folder(call: &HookCall) -> Option<PathBuf> {
    call.cwd.as_deref().map(PathBuf::from).filter(|folder| folder.is_dir())
}

/// The folder that the conversation was started in, if the host names it.
///
/// What a hook captures belongs there even if the model changed into another repository: the MCP server
/// of the conversation looks for it there.
fn project_folder(platform: &Platform) -> Option<PathBuf> {
    let folder = environment::read(platform.project_env?).map(PathBuf::from);
    folder.filter(|folder| folder.is_dir())
}

/// The project whose rules the conversation has met, if the folder is inside of it.
fn session_project(common: &Common, folder: &Path) -> Option<PathBuf> {
    let session = common.session_name()?;
    rules::project_of_session(&data_folder().ok()?, &session, folder, user_home().as_deref())
}

/// A host that stopped reading has its reasons; that is no failure of the hook.
fn write_output(output: &Output) -> ExitCode {
    let _ = io::stderr().write_all(output.stderr.as_bytes());
    let mut stdout = io::stdout();
    let _ = stdout.write_all(output.stdout.as_bytes()).and_then(|()| stdout.flush());
    ExitCode::from(output.exit_code)
}

/// One line in the log, if there is a place for one.
fn log(platform: &str, event: &str, error: &AppError) {
    let Ok(home) = data_folder() else { return };
    if home.create().is_ok() {
        crate::log::start(&home.log_file());
        let fault = error.to_text().replace('\n', "; ");
        tracing::warn!(platform, event, %fault, "hook");
    }
}
