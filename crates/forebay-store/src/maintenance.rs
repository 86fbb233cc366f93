//! Maintenance: statistics, health checks and background work.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use forebay_domain::Timestamp;

use crate::StoreError;

/// Statistics, health checks and background maintenance.
pub trait Maintenance: Send + Sync {
    /// Returns counts and sizes.
    fn stats(&self) -> Result<StoreStats, StoreError>;

    /// Returns what was stored in each period of this length from a time on and is still there, by period.
    fn growth(&self, from: Timestamp, period: Duration) -> Result<Vec<PeriodGrowth>, StoreError>;

    /// Prepares for storing a run, where the engine can.
    fn warm_up(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Compacts the index and the files; called when no request is waiting.
    fn maintain(&self) -> Result<(), StoreError>;

    /// Returns what the user must know about opening the store, such as a damaged file that was
    /// moved aside.
    fn notices(&self) -> &[String];

    /// Checks that the store is intact and writable.
    fn health(&self) -> Result<Health, StoreError>;

    /// Like [`Self::health`], also checking each row against its indexes; may take minutes.
    fn deep_problems(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.health()?.problems)
    }

    /// Whether this is still the store that its location leads to; false after the file was removed
    /// or replaced.
    fn is_current(&self) -> bool {
        true
    }
}

/// What was stored in a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodGrowth {
    /// The number of the period, from 0.
    pub period: u64,
    pub entries: u64,
    pub raw_bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreStats {
    pub entries: BTreeMap<String, u64>,
    pub chunks: u64,
    /// Uncompressed size of all entries.
    pub raw_bytes: u64,
    /// Size on disk.
    pub disk_bytes: u64,
    pub sessions: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub engine: String,
    pub location: PathBuf,
    pub schema: u32,
    /// Problems found by an integrity check; empty if there are none.
    pub problems: Vec<String>,
}
