//! `ctx_job`: lists background jobs, reads their output, waits, sends input, stops them.

use std::time::Duration;

use forebay_digest::{Budget, Digester};
use forebay_domain::time::Span;
use forebay_sandbox::fifo;
use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::input;
use crate::next_call::NextCall;
use crate::render::budgeted::BudgetedText;
use crate::render::outside;
use crate::rules::{self, Act, RunAct};
use crate::run::jobs::{self, Job, Record, State};
use crate::run::{Command, Options, call_limits};
use crate::{Answer, App, AppError, Call, Capability};

pub struct ManageJob;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Omit to list all
    pub job: Option<String>,
    /// read (default), wait, send, end_input, stop
    pub action: Option<String>,
    /// Output after this many bytes
    pub cursor: Option<u64>,
    /// For send
    pub input: Option<String>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
}

impl Tool for ManageJob {
    const NAME: &'static str = "ctx_job";
    const DESCRIPTION: &'static str =
        "Background jobs of ctx_execute: list, read new output, wait, send input, stop.";
    const EFFECT: Effect = Effect::Execute;
    const CAPABILITY: Capability = Capability::Execute;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let budget = input::budget(input.budget, app.settings.digest.budget)?;
        let Some(name) = &input.job else { return Ok(list(app, budget)) };
        let job = jobs::find(app, name)?;
        let action = Action::parse(&input)?;
        action.permit(app, call)?;
        let timeout =
            call_limits::timeout_ms(input.timeout_ms)?.unwrap_or(action.default_timeout_ms());
        action.run(&job, Duration::from_millis(timeout), call)?;
        answer(app, &job, input.cursor, budget)
    }
}

const WAIT_TIMEOUT_MS: u64 = 30_000;
/// Includes the grace period and storing the output.
const STOP_TIMEOUT_MS: u64 = 10_000;
/// Time for the first output after a start or an input.
const FIRST_OUTPUT_TIMEOUT_MS: u64 = 300;
/// Tokens reserved for the lines around the output.
const FRAME_TOKENS: u64 = 60;
const MAX_LISTED: usize = 30;

enum Action {
    Read,
    Wait,
    Send(String),
    EndInput,
    Stop,
}

impl Action {
    fn parse(input: &Input) -> Result<Self, AppError> {
        match input.action.as_deref() {
            None if input.input.is_some() => Self::send(input),
            None | Some("read" | "list") => Ok(Self::Read),
            Some("wait") => Ok(Self::Wait),
            Some("send") => Self::send(input),
            Some("end_input") => Ok(Self::EndInput),
            Some("stop") => Ok(Self::Stop),
            Some(other) => {
                Err(input::one_of("action", other, ["read", "wait", "send", "end_input", "stop"]))
            }
        }
    }

    /// Appends a line feed if it is missing: programs read whole lines.
    fn send(input: &Input) -> Result<Self, AppError> {
        let text = input
            .input
            .as_deref()
            .ok_or_else(|| AppError::bad_input("nothing to send", "give it as input: \"yes\""))?;
        // Rules judge each send by itself, so a command must not go on in the next one.
        if ends_in_continuation(text) {
            return Err(AppError::bad_input(
                "the input ends in a line continuation",
                "send the lines of a command together",
            ));
        }
        let end = if text.ends_with('\n') { "" } else { "\n" };
        Ok(Self::Send(format!("{text}{end}")))
    }

    /// A program that runs already may run what it is sent.
    fn permit(&self, app: &App, call: &Call) -> Result<(), AppError> {
        let Self::Send(text) = self else { return Ok(()) };
        let input = RunAct { stdin: Some(text.clone()), ..RunAct::default() };
        rules::permit(app, &[Act::Run(input)], &app.cwd, call)
    }

    const fn default_timeout_ms(&self) -> u64 {
        match self {
            Self::Read => 0,
            Self::Wait => WAIT_TIMEOUT_MS,
            Self::Send(_) | Self::EndInput => FIRST_OUTPUT_TIMEOUT_MS,
            Self::Stop => STOP_TIMEOUT_MS,
        }
    }

    fn run(&self, job: &Job, timeout: Duration, call: &Call) -> Result<(), AppError> {
        match self {
            Self::Read => return Ok(()),
            Self::Wait => {}
            Self::Send(text) => {
                fifo::send(&job.stdin_fifo(), text).map_err(|_| not_reading(job))?;
            }
            Self::EndInput => fifo::send_eof(&job.stdin_fifo()).map_err(|_| not_reading(job))?,
            Self::Stop => job.stop()?,
        }
        jobs::wait(job, timeout, call).map(drop)
    }
}

/// Whether a backslash joins the last line to one that is still to come.
fn ends_in_continuation(text: &str) -> bool {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
    backslashes % 2 == 1
}

fn not_reading(job: &Job) -> AppError {
    let read = NextCall::new("ctx_job").on(job.name()).action("read").in_error();
    AppError::bad_input(
        format!("job {} does not take input", job.name()),
        format!("it has ended, or has not read earlier input: {read}"),
    )
}

/// Returns the job's output since the cursor, or its result.
fn answer(app: &App, job: &Job, cursor: Option<u64>, budget: u64) -> Result<Answer, AppError> {
    let (record, state) = job.look()?;
    if let (Some(end), None) = (&record.end, cursor) {
        let text = format!("{} ended: {}\n{}", job.name(), record.title, end.text);
        let mut budgeted = BudgetedText::new(budget.max(app.settings.digest.verbatim));
        budgeted.push_cut(&text);
        // The host would have shown the output once, however often it is asked for.
        let topic = format!("counted {} {}", job.name(), record.started.0);
        let is_first = app.stores.own()?.mark(&app.session, &topic)?;
        let raw = if is_first { end.raw_bytes } else { 0 };
        return Ok(
            Answer::new(budgeted.into_text(), data(job, &record, state, None)).instead_of(raw)
        );
    }
    let room = budget.saturating_sub(FRAME_TOKENS).max(1);
    let mut digester = Digester::new(app.hint(&record.title), None, Budget::exactly(room));
    let next =
        job.read_since(app, &record, cursor.unwrap_or(0), &mut |bytes| digester.push(bytes))?;
    let digest = digester.finish();
    let new = match cursor {
        Some(_) => number::counted(digest.lines, "new line"),
        None => number::counted(digest.lines, "line"),
    };
    let mut text = BudgetedText::new(budget);
    text.push_cut(&format!("{} · {new} · cursor={next}", line(app, job, &record, state)));
    if !digest.text.is_empty() {
        text.push_cut(&outside::marked(digest.text.trim_end_matches('\n')));
    }
    // Its output is credited once, when the job has ended.
    Ok(Answer::new(text.into_text(), data(job, &record, state, Some(next))))
}

fn list(app: &App, budget: u64) -> Answer {
    let jobs = jobs::all(app);
    let mut text = BudgetedText::new(budget);
    if jobs.is_empty() {
        let start = NextCall::new("ctx_execute").with("background", "true");
        text.push_cut(&format!("no jobs; {start} starts one"));
    }
    for (job, record, state) in jobs.iter().take(MAX_LISTED) {
        text.push(&line(app, job, record, *state));
    }
    let listed: Vec<Value> =
        jobs.iter().map(|(job, record, state)| data(job, record, *state, None)).collect();
    Answer::new(text.into_text(), json!({ "jobs": listed }))
}

/// `j3 running 2 min · npm run dev`
fn line(app: &App, job: &Job, record: &Record, state: State) -> String {
    let kept = if record.kept { ", kept" } else { "" };
    let state = match &record.end {
        Some(end) => {
            let ending = end.data.get("ending").and_then(Value::as_str).unwrap_or("did not run");
            format!("ended, {ending}")
        }
        None if state == State::Running => {
            format!("running {}{kept}", Span(record.started.age(app.now())))
        }
        None => "lost: its supervisor was killed; its output is kept".to_owned(),
    };
    format!("{} {state} · {}", job.name(), record.title)
}

fn data(job: &Job, record: &Record, state: State, cursor: Option<u64>) -> Value {
    json!({
        "job": job.name(),
        "command": record.title,
        "running": state == State::Running,
        "kept": record.kept,
        "cursor": cursor,
        "run": record.end.as_ref().map(|end| &end.data),
    })
}

/// Starts a command as a job; with `keep` it outlives this process.
pub fn start(
    app: &App,
    command: Command,
    options: &Options,
    keep: bool,
    call: &Call,
) -> Result<Answer, AppError> {
    let job = jobs::start(app, command, options, keep, call)?;
    started(app, &job, call)
}

/// Returns the answer to a call that started a job.
fn started(app: &App, job: &Job, call: &Call) -> Result<Answer, AppError> {
    // A job that ends quickly is reported with its result.
    jobs::wait(job, Duration::from_millis(FIRST_OUTPUT_TIMEOUT_MS), call)?;
    let answer = answer(app, job, None, app.settings.digest.budget)?;
    let (record, state) = job.look()?;
    if state != State::Running {
        return Ok(answer);
    }
    let lifetime =
        if record.kept { "runs until it ends or is stopped" } else { "ends with this server" };
    let next = NextCall::new("ctx_job").on(job.name()).action("read|wait|send|stop");
    let text = format!("{}\n{lifetime}; {next}", answer.text);
    Ok(Answer { text, ..answer })
}
