//! `ctx_execute`: runs a command, stores its output whole, answers with a digest.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use forebay_digest::{Budget, Digest, Digester, Hint};
use forebay_domain::text::cut;
use forebay_domain::{Entry, EntryKind, RunRecord, Stream, soft_failure};
use forebay_sandbox::{Finished, RunSpec, Sink, Stdin};
use forebay_store::{NewDetail, StoreError, Upload};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub use super::command::Command;
use super::{Nature, Tool, input};
use crate::render::frame::{self, Outcome};
use crate::{Answer, App, AppError, Call};

pub struct Execute;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(alias = "command")]
    pub code: String,
    /// python, js, ts, ruby, ...; default: shell
    pub language: Option<String>,
    /// What you look for; matching lines come first
    pub intent: Option<String>,
    pub cwd: Option<String>,
    pub env: Option<BTreeMap<String, String>>,
    pub stdin: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Max tokens of the answer
    pub budget: Option<u64>,
}

impl Tool for Execute {
    const NAME: &'static str = "ctx_execute";
    const DESCRIPTION: &'static str = "Run a shell command or code. Output is stored whole; you get exit code, \
        digest and a reference for ctx_get. Use for anything that may print much.";
    const NATURE: Nature = Nature::Runs;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let mut command = Command::of_code(app, input.language.as_deref(), input.code)?;
        if let Some(text) = input.stdin {
            command.stdin = Stdin::Text(text.into_bytes());
        }
        let options = Options {
            intent: input.intent,
            cwd: input.cwd.map(PathBuf::from),
            env: input.env.unwrap_or_default(),
            timeout_ms: input.timeout_ms,
            budget: input.budget,
        };
        run(app, command, &options, call, &mut |_, _| {}).map(|ran| ran.answer)
    }
}

#[derive(Debug, Default)]
pub struct Options {
    pub intent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Added to the environment.
    pub env: BTreeMap<String, String>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
}

/// A run that came to its end, with the answer for its caller.
pub struct Ran {
    pub answer: Answer,
    pub finished: Finished,
}

/// Runs a command and stores its output; `watch` sees every byte as it arrives.
pub fn run(
    app: &App,
    command: Command,
    options: &Options,
    call: &Call,
    watch: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Ran, AppError> {
    let budget = budget(app, options)?;
    let store = app.places.own()?;
    let Command { program, title: whole_title, stdin } = command;
    let mut spec = RunSpec::new(program, working_folder(app, options));
    spec.stdin = stdin;
    spec.timeout = timeout(app, options)?;
    spec.env = environment(options)?;
    let title = cut::one_line(&whole_title, 200);
    let hint = Hint { command: Some(&title), ..Hint::default() };
    let digester = Digester::new(hint, options.intent.as_deref(), budget.of_digest());
    let mut capture = Capture { upload: Ok(store.upload()?), digester, bytes: 0, call, watch };
    let finished = forebay_sandbox::run(&spec, &mut capture, &call.cancel)?;
    let meaning = soft_failure::meaning(&whole_title, finished.ending);
    let outcome = Outcome { finished: &finished, meaning };
    let stored = capture.store(app, &title, &spec, &outcome);
    let answer = answer(&whole_title, stored, &outcome, budget.answer);
    Ok(Ran { answer, finished })
}

/// The answer's budget, and what of it the digest may use.
#[derive(Clone, Copy)]
struct Budgets {
    answer: u64,
    verbatim: u64,
}

impl Budgets {
    fn of_digest(self) -> Budget {
        let room = |tokens: u64| tokens.saturating_sub(frame::RESERVED_TOKENS).max(1);
        Budget { verbatim: room(self.verbatim), digest: room(self.answer) }
    }
}

/// A budget that the caller names holds for short outputs too.
fn budget(app: &App, options: &Options) -> Result<Budgets, AppError> {
    let settings = &app.settings.digest;
    let answer = input::budget(options.budget, settings.budget)?;
    let verbatim = if options.budget.is_some() { answer } else { settings.verbatim };
    Ok(Budgets { answer, verbatim })
}

fn working_folder(app: &App, options: &Options) -> PathBuf {
    match &options.cwd {
        Some(folder) => app.cwd.join(folder),
        None => app.cwd.clone(),
    }
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

/// Takes a run's output as it arrives: to the store and to the digest.
struct Capture<'a> {
    upload: Result<Box<dyn Upload + 'a>, StoreError>,
    digester: Digester,
    bytes: u64,
    call: &'a Call,
    watch: &'a mut dyn FnMut(Stream, &[u8]),
}

/// A run's entry, or why there is none; the digest is there in either case.
struct Stored {
    digest: Digest,
    entry: Result<Entry, StoreError>,
}

impl Capture<'_> {
    /// Stores what arrived. The command has run by now, so a fault here is told, not thrown.
    fn store(self, app: &App, title: &str, spec: &RunSpec, outcome: &Outcome<'_>) -> Stored {
        let finished = outcome.finished;
        let mut digester = self.digester;
        if outcome.is_failure() {
            digester.command_failed();
        }
        let digest = digester.finish();
        let mut new = app.new_entry(EntryKind::Run, title.to_owned());
        new.digest.clone_from(&digest.text);
        new.detail = NewDetail::Run(RunRecord {
            ending: finished.ending,
            duration: finished.duration,
            cwd: spec.cwd.to_string_lossy().into_owned(),
            spans: finished.spans.clone(),
        });
        Stored { digest, entry: self.upload.and_then(|upload| upload.finish(new)) }
    }
}

impl Sink for Capture<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        (self.watch)(stream, bytes);
        self.digester.push(bytes);
        if let Ok(upload) = &mut self.upload
            && let Err(error) = upload.write(bytes)
        {
            self.upload = Err(error);
        }
        self.bytes += bytes.len() as u64;
        self.call.report(self.bytes as f64, "bytes captured");
    }
}

fn answer(command: &str, stored: Stored, outcome: &Outcome<'_>, budget: u64) -> Answer {
    let Stored { digest, entry } = stored;
    let finished = outcome.finished;
    let text = frame::run(&digest, entry.as_ref(), outcome, budget);
    let data = json!({
        "ref": entry.as_ref().ok().map(|entry| entry.reference.as_str()),
        "command": command,
        "ending": finished.ending.to_string(),
        "exit": match finished.ending {
            forebay_domain::Ending::Exited(code) => Some(code),
            _ => None,
        },
        "meaning": outcome.meaning,
        "millis": finished.duration.as_millis() as u64,
        "bytes": digest.bytes,
        "lines": digest.lines,
        "verbatim": digest.verbatim,
        "digest": digest.text,
    });
    Answer::new(text, data).instead_of(digest.bytes)
}
