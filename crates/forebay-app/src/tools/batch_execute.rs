//! `ctx_batch_execute`: runs several commands, then searches their output.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use forebay_domain::time::Span;
use forebay_domain::{Reference, tokens};
use forebay_policy::Sibling;
use forebay_text::{cut, number};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::search;
use super::{Effect, Tool};
use crate::input;
use crate::render::budgeted::BudgetedText;
use crate::run::{
    self, Command, Delivery, MAX_BYTES_READ_AGAIN, Options, Ran, Unwatched, call_limits,
};
use crate::search::Searcher;
use crate::{Answer, App, AppError, Call, Capability};

pub struct BatchExecute;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(deserialize_with = "items")]
    #[schemars(with = "Vec<Item>")]
    pub commands: Vec<Item>,
    /// Search these outputs only
    #[serde(default, deserialize_with = "input::one_or_many")]
    pub queries: Vec<String>,
    /// 1 to 8, default 4
    pub concurrency: Option<usize>,
    /// Sequential; stop at first failure
    #[serde(default)]
    pub stop_on_failure: bool,
    pub cwd: Option<String>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a command as a string, or an object with `code`")]
pub struct Item {
    pub label: Option<String>,
    #[serde(alias = "command")]
    pub code: String,
    pub language: Option<String>,
}

/// Accepts plain strings among the commands.
fn items<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Item>, D::Error> {
    let commands = Vec::<Value>::deserialize(input)?;
    let item = |command| match command {
        Value::String(code) => Ok(Item { code, ..Item::default() }),
        object => serde_json::from_value(object).map_err(D::Error::custom),
    };
    commands.into_iter().map(item).collect()
}

impl Tool for BatchExecute {
    const NAME: &'static str = "ctx_batch_execute";
    const DESCRIPTION: &'static str = "Run several commands in one call, each with exit code, time and \
        digest; then answer queries from their output.";
    const EFFECT: Effect = Effect::Execute;
    const CAPABILITY: Capability = Capability::Execute;
    type Input = Input;

    fn call(app: &App, input: Input, call: &Call) -> Result<Answer, AppError> {
        let batch = Batch::parse(app, input)?;
        let started = Instant::now();
        let mut outcomes = batch.run(app, call);
        let took = Span(started.elapsed()).to_string();
        let references: Vec<Reference> = outcomes.iter().filter_map(Outcome::reference).collect();
        let found = batch.search(app, references, &outcomes)?;
        let found_bytes = found.as_ref().map_or(0, |found| found.text.len() + 1);
        batch.enlarge(app, &mut outcomes, found_bytes, call);
        Ok(batch.answer(&outcomes, found, &took))
    }
}

const MAX_COMMANDS: usize = 32;
const MAX_CONCURRENCY: usize = 8;
const DEFAULT_CONCURRENCY: usize = 4;
/// The default budget grows with the number of commands, up to this many.
const MAX_BUDGETED_COMMANDS: u64 = 4;
/// The share of the budget for query results, as a fraction.
const QUERY_SHARE: (u64, u64) = (2, 5);
/// Tokens reserved for the first line and for each label.
const HEAD_TOKENS: u64 = 20;
const LABEL_TOKENS: u64 = 8;
const MIN_COMMAND_TOKENS: u64 = 50;
/// Less room is not worth reading an output again.
const MIN_ENLARGEMENT: usize = 120;

/// A validated batch.
struct Batch {
    commands: Vec<Item>,
    queries: Vec<String>,
    concurrency: NonZeroUsize,
    stops_on_failure: bool,
    options: Options,
    budget: u64,
    query_budget: u64,
}

impl Batch {
    fn parse(app: &App, input: Input) -> Result<Self, AppError> {
        let count = input.commands.len();
        check_count(count)?;
        let concurrency = if input.stop_on_failure {
            1
        } else {
            input.concurrency.unwrap_or(DEFAULT_CONCURRENCY)
        };
        let concurrency =
            NonZeroUsize::new(concurrency).filter(|count| count.get() <= MAX_CONCURRENCY);
        let default = app.settings.digest.budget * (count as u64).min(MAX_BUDGETED_COMMANDS);
        let budget = input::budget(input.budget, default)?;
        let has_queries = !input.queries.is_empty();
        let query_budget = if has_queries { budget * QUERY_SHARE.0 / QUERY_SHARE.1 } else { 0 };
        let each = (budget - query_budget).saturating_sub(HEAD_TOKENS) / count as u64;
        Ok(Self {
            concurrency: concurrency.ok_or_else(|| {
                AppError::bad_input(
                    "concurrency is out of range",
                    format!("give 1 to {MAX_CONCURRENCY}"),
                )
            })?,
            commands: input.commands,
            queries: input.queries,
            stops_on_failure: input.stop_on_failure,
            options: Options {
                delivery: Delivery::for_view(input.budget.is_some()),
                cwd: call_limits::folder(app, input.cwd)?,
                timeout_ms: call_limits::timeout_ms(input.timeout_ms)?,
                budget: Some(each.saturating_sub(LABEL_TOKENS).max(MIN_COMMAND_TOKENS)),
                ..Options::default()
            },
            budget,
            query_budget,
        })
    }

    /// Runs the commands concurrently; outcomes are in the commands' order.
    fn run(&self, app: &App, call: &Call) -> Vec<Outcome> {
        let siblings = self.siblings(app);
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let outcomes: Vec<Mutex<Outcome>> =
            self.commands.iter().map(|_| Mutex::new(Outcome::NotRun)).collect();
        let work = || {
            while let Some(index) = self.claim_next(&next, &failed, call) {
                let outcome = self.run_one(app, index, &siblings, call);
                failed.fetch_or(outcome.is_failure(), Ordering::Relaxed);
                *outcomes[index].lock().unwrap_or_else(PoisonError::into_inner) = outcome;
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.concurrency.get().min(self.commands.len()) {
                scope.spawn(work);
            }
            work();
        });
        let inner =
            |slot: Mutex<Outcome>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.into_iter().map(inner).collect()
    }

    /// Claims the index of the next command to run, if any.
    fn claim_next(&self, next: &AtomicUsize, failed: &AtomicBool, call: &Call) -> Option<usize> {
        if call.cancel.is_cancelled() || (self.stops_on_failure && failed.load(Ordering::Relaxed)) {
            return None;
        }
        let index = next.fetch_add(1, Ordering::Relaxed);
        (index < self.commands.len()).then_some(index)
    }

    /// Each command as the others see it: what one writes another may run. None for one that cannot run.
    fn siblings(&self, app: &App) -> Vec<Option<Sibling>> {
        let cwd = self.options.cwd.as_deref().unwrap_or(&app.cwd);
        let commands = self.commands.iter().map(|item| command(app, item).ok());
        commands.map(|command| command.map(|command| command.as_sibling(app, cwd))).collect()
    }

    fn run_one(
        &self,
        app: &App,
        index: usize,
        siblings: &[Option<Sibling>],
        call: &Call,
    ) -> Outcome {
        let others = siblings.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.filter_map(|(_, sibling)| sibling.clone()).collect();
        let ran = command(app, &self.commands[index])
            .map(|command| Command { siblings: others, ..command })
            .and_then(|command| run::run(app, command, &self.options, call, &mut Unwatched));
        match ran {
            Ok(ran) => Outcome::Ran(Box::new(ran)),
            Err(error) => Outcome::Refused(error),
        }
    }

    /// Searches the outputs for the queries. What outputs leave that are shown whole is room for more hits.
    fn search(
        &self,
        app: &App,
        entries: Vec<Reference>,
        outcomes: &[Outcome],
    ) -> Result<Option<Answer>, AppError> {
        if self.queries.is_empty() || entries.is_empty() {
            return Ok(None);
        }
        search::check_queries(&self.queries)?;
        let searcher = Searcher::for_entries(app, entries)?;
        let left = self.spare_bytes(outcomes) as u64 / tokens::BYTES_PER_TOKEN;
        let is_complete = !outcomes.iter().any(Outcome::is_shortened);
        let budget = if is_complete { self.query_budget.max(left) } else { self.query_budget };
        search::answer(&searcher, &self.queries, app.now(), budget, None).map(Some)
    }

    /// Gives what short outputs and hits leave of the budget to the outputs that were shortened, as long as not too much
    /// has to be read again.
    fn enlarge(&self, app: &App, outcomes: &mut [Outcome], found_bytes: usize, call: &Call) {
        let mut readable = MAX_BYTES_READ_AGAIN;
        let mut spare = self.spare_bytes(outcomes).saturating_sub(found_bytes);
        let mut left = outcomes.iter().filter(|outcome| outcome.is_shortened()).count();
        for outcome in outcomes {
            let Outcome::Ran(ran) = outcome else { continue };
            let share = spare / left.max(1);
            if !ran.is_shortened() || share < MIN_ENLARGEMENT || call.cancel.is_cancelled() {
                continue;
            }
            let Some(readable_after) = readable.checked_sub(ran.stored_bytes()) else {
                left -= 1;
                continue;
            };
            readable = readable_after;
            let before = ran.answer.text.len();
            let budget = (before + share) as u64 / tokens::BYTES_PER_TOKEN;
            ran.enlarge(app, budget, &call.cancel);
            spare = (spare + before).saturating_sub(ran.answer.text.len());
            left -= 1;
        }
    }

    /// Each command's heading with its outcome.
    fn blocks(&self, outcomes: &[Outcome]) -> Vec<String> {
        let blocks = self.commands.iter().zip(outcomes).enumerate();
        let block = |(index, (item, outcome)): (usize, (&Item, &Outcome))| {
            let block = format!("{}\n{}", heading(index, item), outcome.text());
            block.trim_end().to_owned()
        };
        blocks.map(block).collect()
    }

    /// The bytes of the budget that the outcomes leave.
    fn spare_bytes(&self, outcomes: &[Outcome]) -> usize {
        let used: usize = self.blocks(outcomes).iter().map(|block| block.len() + 1).sum();
        let head = tokens::to_bytes(HEAD_TOKENS);
        tokens::to_bytes(self.budget).saturating_sub(used + head)
    }

    fn answer(&self, outcomes: &[Outcome], found: Option<Answer>, took: &str) -> Answer {
        let mut text = BudgetedText::new(self.budget);
        text.reserve(found.as_ref().map_or(0, |found| found.text.len() + 1));
        text.push_cut(&headline(outcomes, took));
        let blocks = self.blocks(outcomes);
        let mut after: usize = blocks.iter().map(|block| block.len() + 1).sum();
        for (index, block) in blocks.iter().enumerate() {
            after -= block.len() + 1;
            let share = text.room() / (blocks.len() - index);
            let room = text.room().saturating_sub(after).max(share);
            text.push_cut(&cut::marked(block, room.saturating_sub(1)));
        }
        text.release();
        if let Some(found) = &found {
            text.push_cut(&found.text);
        }
        let raw = outcomes.iter().map(Outcome::raw_bytes).sum();
        let results: Vec<Value> =
            self.commands.iter().zip(outcomes).map(|(item, outcome)| outcome.data(item)).collect();
        let data = json!({ "commands": results, "found": found.map(|found| found.data) });
        Answer::new(text.into_text(), data).instead_of(raw)
    }
}

fn command(app: &App, item: &Item) -> Result<Command, AppError> {
    Command::from_code(app, item.language.as_deref(), item.code.clone())
}

fn check_count(count: usize) -> Result<(), AppError> {
    match count {
        0 => Err(AppError::bad_input("commands is empty", "give commands: [{label, code}]")),
        1..=MAX_COMMANDS => Ok(()),
        _ => Err(AppError::bad_input(
            format!("{count} commands are too many for one call"),
            format!("give at most {MAX_COMMANDS}"),
        )),
    }
}

/// The outcome of one command.
enum Outcome {
    NotRun,
    Refused(AppError),
    Ran(Box<Ran>),
}

impl Outcome {
    fn is_failure(&self) -> bool {
        match self {
            Self::NotRun => false,
            Self::Refused(_) => true,
            Self::Ran(ran) => ran.failed,
        }
    }

    /// Whether its text would show more with a larger budget.
    fn is_shortened(&self) -> bool {
        matches!(self, Self::Ran(ran) if ran.is_shortened())
    }

    fn reference(&self) -> Option<Reference> {
        match self {
            Self::Ran(ran) => ran.entry.as_ref().map(|entry| entry.reference),
            _ => None,
        }
    }

    fn raw_bytes(&self) -> u64 {
        match self {
            Self::Ran(ran) => ran.answer.cost.raw_bytes,
            _ => 0,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::NotRun => "not run".to_owned(),
            Self::Refused(error) => format!("not run: {}", error.to_text()),
            Self::Ran(ran) => ran.answer.text.clone(),
        }
    }

    fn data(&self, item: &Item) -> Value {
        let mut data = match self {
            Self::NotRun => json!({ "ran": false }),
            Self::Refused(error) => json!({ "ran": false, "error": error.message }),
            Self::Ran(ran) => ran.answer.data.clone(),
        };
        data["label"] = json!(item.label);
        data
    }
}

/// `3 commands: 1 failed, 1 not run · 2.1 s`
fn headline(outcomes: &[Outcome], took: &str) -> String {
    let failed = outcomes.iter().filter(|outcome| outcome.is_failure()).count();
    let not_run = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::NotRun)).count();
    let mut parts = Vec::new();
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    if not_run > 0 {
        parts.push(format!("{not_run} not run"));
    }
    let verdict = if parts.is_empty() { "all succeeded".to_owned() } else { parts.join(", ") };
    format!("{}: {verdict} · {took}", number::counted(outcomes.len() as u64, "command"))
}

/// `## build`, or the command itself where it has no label.
fn heading(index: usize, item: &Item) -> String {
    let name = item.label.as_deref().unwrap_or(&item.code);
    format!("## {} {}", index + 1, cut::one_line(name, 60))
}
