//! Treatments: what became of results that could be replaced by their digests.

use forebay_domain::Timestamp;
use forebay_domain::treatment::{SwitchOff, Treatment};

use crate::StoreError;

/// Records decisions about results, and about all results of a recognizer. They are read with the ledgers of sessions.
pub trait Treatments: Send + Sync {
    fn record_treatment(&self, treatment: &Treatment) -> Result<(), StoreError>;

    /// Returns what became of results in a session and its subagents at a time or later.
    fn treatments(&self, session: &str, since: Timestamp) -> Result<Vec<Treatment>, StoreError>;

    /// How many results were replaced by digests.
    fn digests_shown(&self) -> Result<u64, StoreError>;

    /// Records that results of a recognizer pass raw; a second decision about one changes nothing.
    fn record_switch_off(&self, switch_off: &SwitchOff) -> Result<(), StoreError>;

    /// Returns the recognizers whose results pass raw, the earliest decision first.
    fn switched_off(&self) -> Result<Vec<SwitchOff>, StoreError>;
}
