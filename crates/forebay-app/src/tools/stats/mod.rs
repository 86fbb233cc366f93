//! `ctx_stats`: tokens saved, with Forebay's own costs deducted, and what requests to the model were billed for.

mod data;
mod digests;
mod render;

use forebay_domain::Timestamp;
use forebay_domain::billing::Span;
use forebay_domain::session::conversation;
use forebay_domain::usage::TERMINAL_SESSION;
use forebay_store::StoreStats;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, Tool};
use crate::ledger::account::Account;
use crate::ledger::{self, Contexts, Evidence, Ledgers};
use crate::{Answer, App, AppError, Call};

pub use self::digests::{DIGESTS_HEADING, HOLDOUT_HEADING};
pub use self::render::BILLED_HEADING;

pub struct Stats;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl Tool for Stats {
    const NAME: &'static str = "ctx_stats";
    const DESCRIPTION: &'static str = "Tokens saved in this session and project, costs included.";
    const EFFECT: Effect = Effect::ReadOnly;
    type Input = Input;

    fn call(app: &App, _: Input, _: &Call) -> Result<Answer, AppError> {
        let ledgers = ledgers(app)?;
        let mut contexts = contexts(app, &ledgers);
        let report = Report::new(app, &ledgers, &mut contexts, None)?;
        Ok(Answer::new(render::text(&report), report.data()))
    }
}

/// What is reported.
struct Report {
    session: Account,
    today: Account,
    /// The whole project, or what happened in it since `since`.
    project: Account,
    since: Option<Timestamp>,
    facts: StoreStats,
}

/// Reports on this session, today and the project; on the last only what happened since a time, if given. In addition to
/// what a model gets: what digests were worth, by recognizer and by tool, and the comparison with results that were held out.
pub fn report(app: &App, since: Option<Timestamp>) -> Result<Answer, AppError> {
    let ledgers = ledgers(app)?;
    let mut contexts = contexts(app, &ledgers);
    let report = Report::new(app, &ledgers, &mut contexts, since)?;
    let evidence = Evidence::from_contexts(app, &ledgers, &contexts, since)?;
    let mut data = report.data();
    data["digests"] = evidence.data();
    let text = [render::text(&report), digests::text(&evidence)].concat();
    Ok(Answer::new(text, data))
}

/// The ledgers of all sessions, with what this process has not written yet.
fn ledgers(app: &App) -> Result<Ledgers, AppError> {
    app.flush_usage();
    let mut ledgers = app.stores.own()?.ledgers(None, None)?;
    // Older versions counted commands at a terminal.
    ledgers.remove(TERMINAL_SESSION);
    Ok(ledgers)
}

fn contexts<'a>(app: &App, ledgers: &'a Ledgers) -> Contexts<'a> {
    ledger::contexts(ledgers, &app.settings.prices.list(), Span::default())
}

impl Report {
    /// Leaves the contexts limited to the time since `since`.
    fn new(
        app: &App,
        ledgers: &Ledgers,
        contexts: &mut Contexts<'_>,
        since: Option<Timestamp>,
    ) -> Result<Self, AppError> {
        let own = conversation(&app.session);
        let of_session = ledgers.iter().filter(|(session, _)| conversation(session) == own);
        let session = Account::from_contexts(of_session, contexts);
        ledger::limit_to(contexts, Span::since(Some(start_of_today(app.now()))));
        let today = Account::from_contexts(ledgers, contexts);
        ledger::limit_to(contexts, Span::since(since));
        Ok(Self {
            session,
            today,
            project: Account::from_contexts(ledgers, contexts),
            since,
            facts: app.stores.own()?.stats()?,
        })
    }

    fn data(&self) -> Value {
        json!({
            "session": data::account(&self.session),
            "today": data::account(&self.today),
            "project": data::account(&self.project),
            "since": self.since.map(|since| since.0),
            "store": data::store(&self.facts),
        })
    }
}

/// Midnight in the time zone of this machine.
fn start_of_today(now: Timestamp) -> Timestamp {
    let start = jiff::Timestamp::from_millisecond(now.0)
        .and_then(|now| now.to_zoned(jiff::tz::TimeZone::system()).start_of_day());
    start.map_or(now, |start| Timestamp(start.timestamp().as_millisecond()))
}
