//! Usage: tokens that answers cost and saved, and tokens that requests to the model were billed for.

use std::collections::BTreeMap;

use forebay_domain::Timestamp;
use forebay_domain::usage::{Answered, ModelRequest, RequestTotals, Totals};

use crate::StoreError;

/// Counts the tokens of answers and of requests to the model.
pub trait Usage: Send + Sync {
    /// Records answers, all or none.
    fn record_usage(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError>;

    /// Returns totals per tool, of all sessions or of one.
    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError>;

    /// Records a request to the model once, however often it is reported.
    fn record_request(&self, reported: &ReportedRequest) -> Result<(), StoreError>;

    /// Returns the totals of requests, of all sessions or of one and its subagents.
    fn requests(&self, session: Option<&str>) -> Result<RequestTotals, StoreError>;
}

/// A request to the model, as a session reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRequest {
    pub session: String,
    pub client: String,
    pub created: Timestamp,
    pub request: ModelRequest,
}
