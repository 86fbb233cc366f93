//! `ctx_job`: background jobs, listed, read, waited for, answered and stopped.

use std::time::Duration;

use forebay_digest::{Budget, Digester};
use forebay_domain::time::Span;
use forebay_sandbox::fifo;
use forebay_text::number;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Nature, Tool};
use crate::input;
use crate::render::budgeted::Budgeted;
use crate::run::jobs::{self, Job, Record, State};
use crate::run::{Command, Options};
use crate::{Answer, App, AppError, Call, Power};

pub struct ManageJob;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Without it all are listed
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
    const NATURE: Nature = Nature::Runs;
    const POWER: Power = Power::Execute;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let budget = input::budget(input.budget, app.settings.digest.budget)?;
        let Some(name) = &input.job else { return Ok(list(app, budget)) };
        let job = jobs::find(app, name)?;
        let action = Action::read(&input)?;
        let at_most = Duration::from_millis(input.timeout_ms.unwrap_or(action.patience()));
        action.carry_out(&job, at_most, call)?;
        answer(app, &job, &action, input.cursor, budget)
    }
}

const WAITS_MS: u64 = 30_000;
/// A job that is stopped gets its grace and is stored.
const STOPS_WITHIN_MS: u64 = 10_000;
/// Time for a first reaction to input.
const REACTS_WITHIN_MS: u64 = 300;
/// What the line above the output and the line below it may cost.
const FRAME_TOKENS: u64 = 60;
const MOST_LISTED: usize = 30;

enum Action {
    Read,
    Wait,
    Send(String),
    EndInput,
    Stop,
}

impl Action {
    fn read(input: &Input) -> Result<Self, AppError> {
        match input.action.as_deref() {
            None if input.input.is_some() => Self::sending(input),
            None | Some("read" | "list") => Ok(Self::Read),
            Some("wait") => Ok(Self::Wait),
            Some("send") => Self::sending(input),
            Some("end_input") => Ok(Self::EndInput),
            Some("stop") => Ok(Self::Stop),
            Some(other) => {
                Err(input::one_of("action", other, ["read", "wait", "send", "end_input", "stop"]))
            }
        }
    }

    /// A line that is not ended waits for its end: programs read lines.
    fn sending(input: &Input) -> Result<Self, AppError> {
        let text = input.input.as_deref().ok_or_else(|| {
            AppError::bad_input("there is nothing to send", "give it as input: \"yes\"")
        })?;
        let end = if text.ends_with('\n') { "" } else { "\n" };
        Ok(Self::Send(format!("{text}{end}")))
    }

    const fn patience(&self) -> u64 {
        match self {
            Self::Read => 0,
            Self::Wait => WAITS_MS,
            Self::Send(_) | Self::EndInput => REACTS_WITHIN_MS,
            Self::Stop => STOPS_WITHIN_MS,
        }
    }

    fn carry_out(&self, job: &Job, at_most: Duration, call: &Call) -> Result<(), AppError> {
        match self {
            Self::Read => return Ok(()),
            Self::Wait => {}
            Self::Send(text) => fifo::send(&job.inlet(), text).map_err(|_| no_reader(job))?,
            Self::EndInput => fifo::send_eof(&job.inlet()).map_err(|_| no_reader(job))?,
            Self::Stop => job.stop()?,
        }
        jobs::wait(job, at_most, call).map(drop)
    }
}

fn no_reader(job: &Job) -> AppError {
    AppError::bad_input(
        format!("job {} takes no input", job.name()),
        "it has ended, or does not read what was sent before; read it",
    )
}

/// What the job has said, or how it ended.
fn answer(
    app: &App,
    job: &Job,
    action: &Action,
    cursor: Option<u64>,
    budget: u64,
) -> Result<Answer, AppError> {
    let (record, state) = job.look()?;
    if let (Some(end), None) = (&record.end, cursor) {
        let text = format!("{} ended: {}\n{}", job.name(), record.title, end.text);
        let mut budgeted = Budgeted::new(budget.max(app.settings.digest.verbatim));
        budgeted.push_cut(&text);
        let raw = if matches!(action, Action::Read) { 0 } else { end.raw_bytes };
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
    let mut text = Budgeted::new(budget);
    text.push_cut(&format!("{} · {new} · cursor={next}", line(app, job, &record, state)));
    if !digest.text.is_empty() {
        text.push_cut(digest.text.trim_end_matches('\n'));
    }
    Ok(Answer::new(text.into_text(), data(job, &record, state, Some(next)))
        .instead_of(digest.bytes))
}

fn list(app: &App, budget: u64) -> Answer {
    let jobs = jobs::all(app);
    let mut text = Budgeted::new(budget);
    if jobs.is_empty() {
        text.push_cut("no jobs; ctx_execute background=true starts one");
    }
    for (job, record, state) in jobs.iter().take(MOST_LISTED) {
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
        None => "lost: its keeper was killed; what it said is kept".to_owned(),
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

/// Starts a command as a job, which with `keep` outlives this process.
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

/// The answer to a call that started a job.
fn started(app: &App, job: &Job, call: &Call) -> Result<Answer, AppError> {
    // What ends at once is better told at once.
    jobs::wait(job, Duration::from_millis(REACTS_WITHIN_MS), call)?;
    let answer = answer(app, job, &Action::Wait, None, app.settings.digest.budget)?;
    let (record, state) = job.look()?;
    if state != State::Running {
        return Ok(answer);
    }
    let lasts = if record.kept { "lives on by itself" } else { "ends with this server" };
    let text =
        format!("{}\n{lasts}; ctx_job job={} reads, waits, sends, stops", answer.text, job.name());
    Ok(Answer { text, ..answer })
}
