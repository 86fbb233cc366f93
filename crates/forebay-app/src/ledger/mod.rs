//! The billed ledger: what requests to the model cost, and what Forebay saved and cost in their contexts.
//!
//! - `collect`: requests and compactions from the items of a transcript;
//! - `catch_up`: reads what a host added to the transcript of a conversation;
//! - [`account`]: the balance of a session, of a day or of a project;
//! - [`status_line`]: the line of a session in its host;
//! - `treat`: decides whether the model gets a long result or its digest, and records each decision;
//! - `uses`: what each treated result cost and led to;
//! - [`verdicts`]: what digests of a recognizer were worth, and which are switched off; [`holdout`]: digests compared with
//!   results that were held out, with `interval`s;
//! - [`evidence()`]: both, for `forebay stats` and the dashboard;
//! - `periods`: the account by day, week or month; [`Ledger`]: all of this, for `forebay report`.

pub mod account;
mod catch_up;
mod collect;
mod evidence;
pub mod holdout;
mod interval;
mod periods;
pub mod status_line;
#[cfg(test)]
mod tests;
mod treat;
mod uses;
pub mod verdicts;

use forebay_domain::Timestamp;
use forebay_domain::billing::Span;
use forebay_domain::hook::{HookCall, HookEvent, Reply, StartReason};
use forebay_domain::usage::TERMINAL_SESSION;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use self::account::Account;

pub(crate) use self::catch_up::read_new;
pub(crate) use self::collect::{Collected, Collector, timestamp};
pub use self::evidence::{Evidence, evidence};
pub use self::interval::{Interval, MIN_VALUES};
pub use self::periods::Period;
use self::periods::periods;
pub(crate) use self::treat::{NO_RECOGNIZER, TreatedCall, TreatedResult};
pub(crate) use self::uses::{Contexts, Ledgers, contexts, limit_to};
use crate::{App, AppError};
pub use forebay_domain::treatment::SwitchOff;

/// What a ledger is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The name of the project's folder.
    pub project: String,
    /// The first day, if it is not that of the first record.
    pub since: Option<Date>,
    /// The day on which it was read.
    pub until: Option<Date>,
}

impl Coverage {
    fn new(app: &App, since: Option<Timestamp>, zone: &TimeZone) -> Self {
        let name = app.root().file_name().unwrap_or_default();
        Self {
            project: name.to_string_lossy().into_owned(),
            since: since.and_then(|since| periods::day(since, zone)),
            until: periods::day(app.now(), zone),
        }
    }
}

/// All that is known of what Forebay saved and cost in a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    pub coverage: Coverage,
    pub account: Account,
    pub evidence: Evidence,
    /// The earliest first.
    pub periods: Vec<Period>,
}

impl Ledger {
    /// Reads the ledger of the project since a time; without figures if nothing is stored.
    pub fn read(app: &App, since: Option<Timestamp>) -> Result<Self, AppError> {
        app.flush_usage();
        let zone = TimeZone::system();
        let coverage = Coverage::new(app, since, &zone);
        let Some(store) = app.stores.own_if_exists()? else {
            return Ok(Self { coverage, ..Self::default() });
        };
        let mut ledgers = store.ledgers(None, since)?;
        ledgers.remove(TERMINAL_SESSION);
        let mut contexts = contexts(&ledgers, &app.settings.prices.list(), Span::since(since));
        Ok(Self {
            coverage,
            account: Account::from_contexts(&ledgers, &contexts),
            evidence: Evidence::from_contexts(app, &ledgers, &contexts, since)?,
            periods: periods(&ledgers, &mut contexts, since, app.now(), &zone),
        })
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        let Evidence { recognizers, switched_off, .. } = &self.evidence;
        self.account == Account::default() && recognizers.is_empty() && switched_off.is_empty()
    }
}

/// Records that a hook call or its answer compacts the context of `agent`. The call began before its answer entered the
/// compacted context.
pub(crate) fn record_compaction(
    agent: &App,
    call: &HookCall,
    reply: &Reply,
    began: Timestamp,
) -> Result<(), AppError> {
    let is_compacted = match &call.event {
        HookEvent::BeforeCompact(_) | HookEvent::AfterCompact(_) => true,
        HookEvent::SessionStart(reason) => {
            matches!(reason, StartReason::Compact | StartReason::Clear)
        }
        _ => matches!(reply, Reply::Compact(_)),
    };
    if is_compacted {
        agent.stores.own()?.record_compaction(&agent.session, began)?;
    }
    Ok(())
}
