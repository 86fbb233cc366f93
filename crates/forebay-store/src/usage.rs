//! Usage: what answers cost and saved, per tool and session.

use std::collections::BTreeMap;

use forebay_domain::Timestamp;
use forebay_domain::usage::{Answered, Totals};

use crate::StoreError;

/// Counts what answers cost and what they saved.
pub trait Usage: Send + Sync {
    /// Writes answers into the usage ledger, all or none.
    fn record(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError>;

    /// The ledger's sums by tool, of all sessions or of one.
    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError>;
}
