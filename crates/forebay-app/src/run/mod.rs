//! Runs a command: checks permissions, captures and stores its output, builds the answer.
//!
//! - `command`: what to run; `call_limits`: what a tool call may ask for;
//! - `capture`: redacts, digests and stores the output as it arrives;
//! - `report`: the answer, and how it is made again with more room.

pub(crate) mod call_limits;
mod capture;
mod command;
pub(crate) mod input_files;
pub mod jobs;
mod report;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use forebay_digest::Budget;
use forebay_domain::{Entry, soft_failure};
use forebay_sandbox::isolation::missing_caches;
use forebay_sandbox::{CancelToken, FinishedRun, Isolation, Profile, Program, RunError, RunSpec};
use forebay_store::{CreatedFolders, NewCommandRun};
use forebay_text::cut;

use self::capture::{Capture, OutputSink, Stored};
pub use self::capture::{Unwatched, Watcher};
pub use self::command::Command;
pub(crate) use self::report::MAX_BYTES_READ_AGAIN;
use self::report::Report;
use crate::earlier_runs;
pub use crate::earlier_runs::Delivery;
use crate::ingest::digesting_upload::note_delivered_digest;
use crate::input;
use crate::render::difference::ComparedDigest;
use crate::render::frame;
use crate::rules::InForce;
use crate::rules::isolation;
use crate::{Answer, App, AppError, Call, rules};

/// Options of one run, overriding the settings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub intent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment.
    pub env: BTreeMap<String, String>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
    /// The isolation of the run, if not that of the settings.
    pub profile: Option<Profile>,
    pub delivery: Delivery,
}

/// A finished run with the answer for its caller.
pub struct Ran {
    pub answer: Answer,
    pub finished: FinishedRun,
    /// None if it could not be stored; the answer says so.
    pub entry: Option<Entry>,
    /// Whether the exit code means failure, and not a result such as "no match".
    pub failed: bool,
    report: Report,
}

impl Ran {
    /// Whether the answer would show more with a larger budget.
    pub(crate) fn is_shortened(&self) -> bool {
        self.report.is_shortened()
    }

    /// Size of the stored output.
    pub(crate) fn stored_bytes(&self) -> u64 {
        self.entry.as_ref().map_or(0, |entry| entry.bytes)
    }

    /// Makes the answer again with a larger budget. Without the stored output, or if the call is cancelled meanwhile, it
    /// stays as it is.
    pub(crate) fn enlarge(&mut self, app: &App, budget: u64, cancel: &CancelToken) {
        let frame = self.answer.text.len().saturating_sub(self.report.compared.digest.text.len());
        match self.report.enlarge(app, frame, budget, cancel) {
            Ok(true) => {
                self.answer = self.report.answer(&self.finished, budget);
                self.entry = self.report.stored.entry.as_ref().ok().cloned();
            }
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "cannot read an output again"),
        }
    }
}

/// Returns a task that opens the store, to run on another thread while this one prepares the run. None if the
/// store is already open or being opened.
pub fn preparation(app: &App) -> Option<impl FnOnce() + Send + use<>> {
    app.stores.open_task_for_run()
}

/// Runs a command if the rules permit it, and stores its output.
pub fn run(
    app: &App,
    command: Command,
    options: &Options,
    call: &Call,
    watcher: &mut dyn Watcher,
) -> Result<Ran, AppError> {
    if let Some(preparation) = preparation(app) {
        thread::spawn(preparation);
    }
    let in_force = permit(app, &command, options, call)?;
    run_permitted(app, command, options, &in_force, call, watcher)
}

/// Checks the permission rules, asks the user if they say so, and returns the rules that permit the command.
pub(crate) fn permit(
    app: &App,
    command: &Command,
    options: &Options,
    call: &Call,
) -> Result<Arc<InForce>, AppError> {
    command.program.check()?;
    let cwd = folder(app, options);
    let in_force = rules::in_force(app)?;
    rules::permit_under(&in_force, app, &command.acts(app, &cwd, &options.env), &cwd, call)?;
    Ok(in_force)
}

/// Runs a command that these rules permit.
pub(crate) fn run_permitted(
    app: &App,
    command: Command,
    options: &Options,
    in_force: &InForce,
    call: &Call,
    watcher: &mut dyn Watcher,
) -> Result<Ran, AppError> {
    let budget = Budgets::new(app, options)?;
    let (line, in_title) = app.redaction.redact(&command.title);
    let title = cut::one_line(&line, 200);
    let spec = spec(app, command, options, in_force)?;
    let prepared = forebay_sandbox::prepare(&spec)?;
    let opened = OnceCell::new();
    let sink =
        OutputSink::new(app, &opened, &title, options.intent.as_deref(), budget.digest_budget());
    let mut capture = Capture { streams: app.redaction.streams(), sink, call, watcher };
    // A run whose output cannot be stored does not start.
    let prepared = match app.stores.take_gate()? {
        Some(gate) => prepared.wait_for(gate),
        None => prepared,
    };
    let finished =
        prepared.run(&mut capture, &call.cancel).map_err(|error| explain_failure(app, error))?;
    let meaning = soft_failure::meaning(&line, finished.ending);
    let failed = !finished.ending.is_success() && meaning.is_none();
    let command = command_run(app, &line, options, &finished, failed);
    let mut stored = capture.store(app, &spec, &finished, failed, command.clone());
    stored.redactions.add(&in_title);
    stored.blocked.extend(unenforced_rules(app, &spec, in_force));
    stored.blocked.extend(missing_isolation(&spec));
    let compared = compared_digest(app, &title, options, budget, command, &stored, failed);
    if let Ok(entry) = &mut stored.entry {
        note_delivered_digest(app, entry, &compared);
    }
    let entry = stored.entry.as_ref().ok().cloned();
    let intent = options.intent.clone();
    let report = Report { command: line, title, intent, stored, compared, meaning, failed };
    let answer = report.answer(&finished, budget.answer);
    Ok(Ran { answer, finished, entry, failed, report })
}

/// Returns the digest with what changed since an earlier run.
fn compared_digest(
    app: &App,
    title: &str,
    options: &Options,
    budget: Budgets,
    command: Option<NewCommandRun>,
    stored: &Stored,
    failed: bool,
) -> ComparedDigest {
    let difference = command
        .zip(stored.entry.as_ref().ok())
        .and_then(|(command, entry)| earlier_runs::difference(app, entry, &command));
    let digest_again = |budget, output: &[u8]| {
        let mut digester = capture::digester(app, title, options.intent.as_deref(), budget);
        if failed {
            digester.command_failed();
        }
        digester.push(output);
        digester.finish()
    };
    let (digest, budget) = (stored.digest.clone(), budget.digest_budget());
    let compared = ComparedDigest::new(digest, difference.as_ref(), budget, digest_again);
    if options.delivery == Delivery::Changes { compared } else { compared.whole() }
}

/// Describes the run for a comparison with later ones.
fn command_run(
    app: &App,
    command: &str,
    options: &Options,
    finished: &FinishedRun,
    failed: bool,
) -> Option<NewCommandRun> {
    let session = earlier_runs::reading_session(app, options.delivery).unwrap_or_default();
    let outcome = (failed, finished.ending.to_string());
    earlier_runs::command_run(app, command, &folder(app, options), outcome, session)
}

/// Explains why a command did not start; if the store is the cause, returns its error.
fn explain_failure(app: &App, error: RunError) -> AppError {
    match error {
        RunError::StartAborted => app.stores.own().err().unwrap_or_else(|| error.into()),
        _ => error.into(),
    }
}

/// The budget of the answer, and the digest's share of it.
#[derive(Clone, Copy)]
struct Budgets {
    answer: u64,
    verbatim: u64,
}

impl Budgets {
    /// A budget given by the caller also applies to short outputs.
    fn new(app: &App, options: &Options) -> Result<Self, AppError> {
        let settings = &app.settings.digest;
        let answer = input::budget(options.budget, settings.budget)?;
        let verbatim = if options.budget.is_some() { answer } else { settings.verbatim };
        Ok(Self { answer, verbatim })
    }

    fn digest_budget(self) -> Budget {
        let verbatim = self.verbatim.saturating_sub(frame::RESERVED_TOKENS).max(1);
        Budget { verbatim, digest: frame::room_for_digest(self.answer) }
    }
}

/// Returns the working directory of the command.
pub(crate) fn folder(app: &App, options: &Options) -> PathBuf {
    options.cwd.as_ref().map_or_else(|| app.cwd.clone(), |folder| app.cwd.join(folder))
}

fn spec(
    app: &App,
    command: Command,
    options: &Options,
    in_force: &InForce,
) -> Result<RunSpec, AppError> {
    let mut spec = RunSpec::new(command.program, folder(app, options));
    spec.stdin = command.stdin;
    spec.timeout = timeout(app, options)?;
    spec.env = environment(options)?;
    let profile = options.profile.unwrap_or(app.settings.isolation.profile);
    let programs = isolation::named_programs(app, &spec.program);
    spec.isolation = isolation::isolation(app, profile, in_force, programs)?;
    if isolation::may_need_caches(&spec.program) {
        create_caches(app, &spec.isolation);
    }
    spec.limits = isolation::limits(&app.settings.limits);
    Ok(spec)
}

/// Creates the caches that tools of the run may write.
fn create_caches(app: &App, isolation: &Isolation) {
    let created = CreatedFolders::new(app.stores.home().clone());
    for cache in missing_caches(isolation) {
        // On failure, the tool reports the missing cache itself.
        let _ = created.create(&cache);
    }
}

/// Says what this system lacks, since a run that is less isolated than its profile promises looks like any other.
fn missing_isolation(spec: &RunSpec) -> Option<String> {
    let missing = forebay_sandbox::isolation::missing_mechanisms();
    (spec.isolation.profile != Profile::Off && !missing.is_empty()).then(|| {
        format!(
            "isolation: NOT complete, this system has no {}; see doctor",
            missing.join(" and no ")
        )
    })
}

/// Warns if isolation is off: rules are not checked inside code, so only isolation enforces them there.
fn unenforced_rules(app: &App, spec: &RunSpec, in_force: &InForce) -> Option<String> {
    if spec.isolation.profile != Profile::Off || !matches!(spec.program, Program::Code(_)) {
        return None;
    }
    let denies_something = rules::unreachable(app, in_force).hidden_paths().next().is_some();
    denies_something.then(|| {
        "rules: isolation is off, so denied paths and programs were not blocked for this code"
            .to_owned()
    })
}

fn timeout(app: &App, options: &Options) -> Result<Duration, AppError> {
    let millis = options.timeout_ms.unwrap_or(app.settings.run.timeout_ms);
    if millis == 0 {
        return Err(AppError::bad_input("timeout_ms is 0", "leave it out, or give milliseconds"));
    }
    Ok(Duration::from_millis(millis))
}

fn environment(options: &Options) -> Result<Vec<(String, String)>, AppError> {
    let variables = options.env.iter();
    let checked = variables.map(|(name, value)| {
        if name.is_empty() || name.contains('=') {
            return Err(AppError::bad_input(
                format!("invalid environment variable name `{name}`"),
                "env maps names to values: {\"LANG\": \"C\"}",
            ));
        }
        Ok((name.clone(), value.clone()))
    });
    checked.collect()
}
