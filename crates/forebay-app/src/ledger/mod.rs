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
//! - [`evidence()`]: both, for `forebay stats` and the dashboard.

pub mod account;
mod catch_up;
mod collect;
mod evidence;
pub mod holdout;
mod interval;
pub mod status_line;
#[cfg(test)]
mod tests;
mod treat;
mod uses;
pub mod verdicts;

use forebay_domain::hook::{HookCall, HookEvent, Reply, StartReason};

pub(crate) use self::catch_up::read_new;
pub(crate) use self::collect::{Collected, Collector, timestamp};
pub use self::evidence::{Evidence, evidence};
pub use self::interval::{Interval, MIN_VALUES};
pub(crate) use self::treat::{NO_RECOGNIZER, TreatedCall, TreatedResult};
use crate::{App, AppError};
pub use forebay_domain::treatment::SwitchOff;

/// Records that a hook call or its answer compacts the context of `agent`.
pub(crate) fn record_compaction(
    agent: &App,
    call: &HookCall,
    reply: &Reply,
) -> Result<(), AppError> {
    let is_compacted = match &call.event {
        HookEvent::BeforeCompact(_) | HookEvent::AfterCompact(_) => true,
        HookEvent::SessionStart(reason) => {
            matches!(reason, StartReason::Compact | StartReason::Clear)
        }
        _ => matches!(reply, Reply::Compact(_)),
    };
    if is_compacted {
        agent.stores.own()?.record_compaction(&agent.session, agent.now())?;
    }
    Ok(())
}
