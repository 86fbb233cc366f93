//! Usage: tokens that answers cost and saved, per tool and session.

use std::collections::BTreeMap;

use forebay_domain::Timestamp;
use forebay_domain::usage::{Answered, Totals};

use crate::StoreError;

/// Counts the tokens that answers cost and saved.
pub trait Usage: Send + Sync {
    /// Records answers, all or none.
    fn record_usage(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError>;

    /// Returns totals per tool, of all sessions or of one.
    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError>;
}
