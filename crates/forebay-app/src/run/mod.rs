//! One run: from what is asked for to the answer, its output stored on the way.
//!
//! - `command`: what is to be run;
//! - `capture`: takes the output as it arrives.

mod capture;
mod command;
pub(crate) mod input_files;
pub mod jobs;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use forebay_digest::Budget;
use forebay_domain::{Ending, Entry, soft_failure};
use forebay_sandbox::{FinishedRun, Profile, Program, RunError, RunSpec};
use forebay_text::cut;
use serde_json::json;

use self::capture::{Capture, Stored, Taking};
pub use self::capture::{Unwatched, Watcher};
pub use self::command::Command;
use crate::ingest::redaction;
use crate::input;
use crate::render::frame::{self, Outcome};
use crate::rules::InForce;
use crate::rules::isolation;
use crate::{Answer, App, AppError, Call, rules};

/// How to run it, beside what the settings say.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub intent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Added to the environment.
    pub env: BTreeMap<String, String>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
    /// What the run is held to, if not to what the settings say.
    pub profile: Option<Profile>,
}

/// A run that came to its end, with the answer for its caller.
pub struct Ran {
    pub answer: Answer,
    pub finished: FinishedRun,
    /// None if it could not be stored, which the answer tells.
    pub entry: Option<Entry>,
    /// Its exit code is a complaint, and not an answer such as "no match".
    pub failed: bool,
}

/// Opens the store, which takes as long as all that comes before a run's start: for another thread. None where that
/// has begun already.
pub fn preparation(app: &App) -> Option<impl FnOnce() + Send + use<>> {
    app.places.opening_for_a_run()
}

/// Runs a command, if the rules let it, and stores its output.
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

/// Asks the permission rules, and where they say so the user; gives the rules that let it pass.
pub(crate) fn permit(
    app: &App,
    command: &Command,
    options: &Options,
    call: &Call,
) -> Result<Arc<InForce>, AppError> {
    command.program.check()?;
    let cwd = folder(app, options);
    let in_force = rules::in_force(app)?;
    rules::permit_under(&in_force, app, &command.acts(&cwd), &cwd, call)?;
    Ok(in_force)
}

/// Runs a command that these rules let pass.
pub(crate) fn run_permitted(
    app: &App,
    command: Command,
    options: &Options,
    in_force: &InForce,
    call: &Call,
    watcher: &mut dyn Watcher,
) -> Result<Ran, AppError> {
    let budget = Budgets::of(app, options)?;
    let (line, in_title) = app.redaction.text(&command.title);
    let title = cut::one_line(&line, 200);
    let spec = spec(app, command, options, in_force)?;
    let prepared = forebay_sandbox::prepare(&spec)?;
    let opened = OnceCell::new();
    let taking = Taking::new(app, &opened, &title, options.intent.as_deref(), budget.of_digest());
    let mut capture = Capture { streams: app.redaction.streams(), taking, call, watcher };
    // A run whose output could not be kept does not begin.
    let prepared = match app.places.gate_to_own()? {
        Some(gate) => prepared.wait_for(gate),
        None => prepared,
    };
    let finished = prepared.run(&mut capture, &call.cancel).map_err(|error| why_not(app, error))?;
    let meaning = soft_failure::meaning(&line, finished.ending);
    let failed = !finished.ending.is_success() && meaning.is_none();
    let mut stored = capture.store(app, &spec, &finished, failed);
    stored.redactions.add(&in_title);
    stored.blocked.extend(unheld_rules(app, &spec, in_force));
    let answer = answer(&line, &stored, &finished, meaning, budget.answer);
    Ok(Ran { answer, finished, entry: stored.entry.ok(), failed })
}

/// What kept a run from being run; where that is the store, what is wrong with it.
fn why_not(app: &App, error: RunError) -> AppError {
    match error {
        RunError::StartAborted => app.places.own().err().unwrap_or_else(|| error.into()),
        _ => error.into(),
    }
}

/// The answer's budget, and what of it the digest may use.
#[derive(Clone, Copy)]
struct Budgets {
    answer: u64,
    verbatim: u64,
}

impl Budgets {
    /// A budget that the caller names holds for short outputs too.
    fn of(app: &App, options: &Options) -> Result<Self, AppError> {
        let settings = &app.settings.digest;
        let answer = input::budget(options.budget, settings.budget)?;
        let verbatim = if options.budget.is_some() { answer } else { settings.verbatim };
        Ok(Self { answer, verbatim })
    }

    fn of_digest(self) -> Budget {
        let verbatim = self.verbatim.saturating_sub(frame::RESERVED_TOKENS).max(1);
        Budget { verbatim, digest: frame::room_for_digest(self.answer) }
    }
}

/// Where the command runs.
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
    spec.isolation = isolation::isolation(app, profile, in_force);
    spec.limits = isolation::limits(&app.settings.limits);
    Ok(spec)
}

/// Code is not read for what it will do; only isolation holds it to what rules deny.
fn unheld_rules(app: &App, spec: &RunSpec, in_force: &InForce) -> Option<String> {
    if spec.isolation.profile != Profile::Off || !matches!(spec.program, Program::Code(_)) {
        return None;
    }
    let denies_something = rules::unreachable(app, in_force).hidden_paths().next().is_some();
    denies_something.then(|| {
        "rules: isolation is off, so nothing kept this code from paths and programs that are denied"
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
                format!("`{name}` is no name of a variable"),
                "env takes names and their values, as in {\"LANG\": \"C\"}",
            ));
        }
        Ok((name.clone(), value.clone()))
    });
    checked.collect()
}

fn answer(
    command: &str,
    stored: &Stored,
    finished: &FinishedRun,
    meaning: Option<&'static str>,
    budget: u64,
) -> Answer {
    let Stored { digest, entry, redactions, blocked } = stored;
    let outcome = Outcome { finished, meaning, redactions, blocked };
    let text = frame::run(digest, entry.as_ref(), &outcome, budget);
    let data = json!({
        "ref": entry.as_ref().ok().map(|entry| entry.reference.as_str()),
        "command": command,
        "ending": finished.ending.to_string(),
        "exit": match finished.ending {
            Ending::Exited(code) => Some(code),
            _ => None,
        },
        "meaning": meaning,
        "millis": finished.duration.as_millis() as u64,
        "bytes": digest.bytes,
        "lines": digest.lines,
        "verbatim": digest.verbatim,
        "digest": digest.text,
        "redacted": redaction::counts(redactions),
        "blocked": blocked,
    });
    Answer::new(text, data).instead_of(digest.bytes)
}
