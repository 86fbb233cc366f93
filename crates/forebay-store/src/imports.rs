//! Imports: transcripts read incrementally, entries and position stored in one transaction.

use crate::StoreError;
use crate::chunk::NewChunk;
use crate::entries::NewEntry;

/// Imports transcripts incrementally.
pub trait Imports: Send + Sync {
    /// Returns how far a transcript was imported.
    fn import_position(&self, transcript: &str) -> Result<Option<ImportPosition>, StoreError>;

    /// Stores entries of a transcript together with the new position, all or none.
    ///
    /// Returns `false` and stores nothing if another process has advanced the position.
    fn import(&self, entries: &[Import], step: &ImportStep) -> Result<bool, StoreError> {
        self.import_ordered(entries, step, &|| ())
    }

    /// Like [`Self::import`] for pipelined steps: `wait_for_turn` returns when all earlier steps
    /// are stored.
    fn import_ordered(
        &self,
        entries: &[Import],
        step: &ImportStep,
        wait_for_turn: &dyn Fn(),
    ) -> Result<bool, StoreError>;
}

/// How far a transcript was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportPosition {
    /// A byte offset in a file, a row number in a database.
    pub position: u64,
    /// Identifies the transcript among others of the same name.
    pub mark: String,
}

/// An entry made from a transcript, with its raw bytes.
#[derive(Debug, Clone)]
pub struct Import {
    pub new: NewEntry,
    pub raw: Vec<u8>,
    pub chunks: Vec<NewChunk>,
}

/// A step through a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportStep {
    pub transcript: String,
    pub mark: String,
    pub from: u64,
    pub to: u64,
}
