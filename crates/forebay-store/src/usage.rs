//! Usage: tokens that answers cost and saved, and tokens that requests to the model were billed for.

use std::collections::BTreeMap;
use std::time::Duration;

use forebay_domain::Timestamp;
use forebay_domain::billing::BilledRequest;
use forebay_domain::treatment::Treatment;
use forebay_domain::usage::{Answered, ModelRequest, RequestTotals, Totals};

use crate::StoreError;

/// Counts the tokens of answers and of requests to the model.
pub trait Usage: Send + Sync {
    /// Records answers, all or none.
    fn record_usage(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError>;

    /// Returns totals per tool, of all sessions or of one and its subagents.
    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError>;

    /// Returns totals per tool and period of this length from a time on, by period; of all sessions but one.
    fn usage_by_period(
        &self,
        from: Timestamp,
        period: Duration,
        except_session: &str,
    ) -> Result<Vec<PeriodUsage>, StoreError>;

    /// Records requests to the model, each once, however often it is reported: with its earliest time and its most
    /// output. The first reporter of a conversation stays its only one: others name the same requests differently.
    fn record_requests(&self, reported: &[ReportedRequest]) -> Result<(), StoreError>;

    /// Returns the totals of requests, of all sessions or of one and its subagents.
    fn requests(&self, session: Option<&str>) -> Result<RequestTotals, StoreError>;

    /// Records that the context of a session was compacted.
    fn record_compaction(&self, session: &str, at: Timestamp) -> Result<(), StoreError>;

    /// Returns the ledgers of all sessions, or of one and its subagents, with anything at or after `since`: each whole.
    fn ledgers(
        &self,
        session: Option<&str>,
        since: Option<Timestamp>,
    ) -> Result<BTreeMap<String, SessionLedger>, StoreError>;
}

/// What a tool's answers cost and saved in a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodUsage {
    /// The number of the period, from 0.
    pub period: u64,
    pub tool: String,
    pub totals: Totals,
}

/// A request to the model, as a session reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRequest {
    pub session: String,
    pub client: String,
    pub reporter: Reporter,
    pub created: Timestamp,
    pub request: ModelRequest,
}

/// Who reports a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reporter {
    /// The host, while it runs.
    Host,
    /// The transcript that the host wrote.
    Transcript,
}

impl Reporter {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Transcript => "transcript",
        }
    }
}

/// What the context of a session cost and received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionLedger {
    pub requests: Vec<BilledRequest>,
    pub compactions: Vec<Timestamp>,
    pub answers: Vec<(Answered, Timestamp)>,
    pub treatments: Vec<Treatment>,
}

impl SessionLedger {
    /// Whether a request was made, an answer given or a result decided about at a time or later.
    pub fn has_anything_since(&self, since: Timestamp) -> bool {
        self.requests.iter().any(|request| request.at >= since)
            || self.answers.iter().any(|(_, at)| *at >= since)
            || self.treatments.iter().any(|treatment| treatment.at >= since)
    }
}
