//! Imports: transcripts read incrementally, entries and position stored in one transaction.

use crate::StoreError;
use crate::chunk::NewChunk;
use crate::entries::NewEntry;

/// Imports transcripts incrementally.
pub trait Imports: Send + Sync {
    /// How far a transcript was imported.
    fn imported(&self, transcript: &str) -> Result<Option<ImportPosition>, StoreError>;

    /// Stores entries of a transcript and how far it is read with them, all or none.
    ///
    /// Answers `false`, and stores nothing, if another process went on with it meanwhile.
    fn import(&self, entries: &[Import], step: &ImportStep) -> Result<bool, StoreError> {
        self.import_ordered(entries, step, &|| ())
    }

    /// The same for who has several steps in work: `turn` returns when the ones before are stored.
    fn import_ordered(
        &self,
        entries: &[Import],
        step: &ImportStep,
        turn: &dyn Fn(),
    ) -> Result<bool, StoreError>;
}

/// How far a transcript was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportPosition {
    /// Bytes of a file, rows of a database.
    pub position: u64,
    /// What tells the transcript from another one of the same name.
    pub mark: String,
}

/// An entry made from a transcript, with all its bytes.
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
