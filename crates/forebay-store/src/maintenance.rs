//! Maintenance: statistics, health and background work of a store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::StoreError;

/// Statistics, health checks and background maintenance.
pub trait Maintenance: Send + Sync {
    /// Counts and sizes.
    fn facts(&self) -> Result<StoreStats, StoreError>;

    /// Does beforehand what storing a run would have to do first, where there is such a thing.
    fn warm_up(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Does what keeps the store quick and small, when nobody waits for an answer.
    fn tidy(&self) -> Result<(), StoreError>;

    /// What the user must know of how the store was opened: a damaged file that was set aside, say.
    fn notices(&self) -> &[String];

    /// Checks the store by using it.
    fn health(&self) -> Result<Health, StoreError>;
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreStats {
    pub entries: BTreeMap<String, u64>,
    pub chunks: u64,
    /// Bytes as they were handed in, each entry counted.
    pub raw_bytes: u64,
    /// Bytes the store takes on disk.
    pub disk_bytes: u64,
    pub sessions: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub engine: String,
    pub location: PathBuf,
    pub schema: u32,
    /// What an integrity check complained of; empty when sound.
    pub faults: Vec<String>,
}
