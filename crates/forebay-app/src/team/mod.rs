//! Exchange of entries between stores, in an archive or over the network.
//!
//! - `records`: the wire format, an entry as JSON lines: one with its metadata, then its text in parts;
//! - [`archive`]: a compressed file of entries with a checksum;
//! - [`exchange`]: pages of entries, the unit of the HTTP API;
//! - [`sync`]: pushes pages to a server and pulls them from it.
//!
//! Incoming entries never overwrite others: the store takes each entry once, and keeps a differing version
//! of it marked as a conflict.

pub mod archive;
pub mod exchange;
mod records;
pub mod sync;
pub mod tokens;

use forebay_domain::{Entry, EntryKind};
use forebay_store::ReplicateOutcome;
use forebay_text::number;
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

use crate::AppError;

/// Selects the entries to send.
#[derive(Debug, Clone, Default)]
pub struct ExportFilter {
    /// Source names, with `*`; empty shares no sources.
    pub sources: Vec<String>,
    /// Includes command output, captured results and imported turns.
    pub runs: bool,
    /// Includes personal notes.
    pub personal: bool,
}

impl ExportFilter {
    fn kinds(&self) -> Vec<EntryKind> {
        let mut kinds = vec![EntryKind::Note];
        if !self.sources.is_empty() {
            kinds.extend([EntryKind::Source, EntryKind::Page]);
        }
        if self.runs {
            kinds.extend([EntryKind::Run, EntryKind::Capture, EntryKind::Turn]);
        }
        kinds
    }

    fn matcher(&self) -> Result<SourceMatcher, AppError> {
        let mut sources = GlobSetBuilder::new();
        for name in &self.sources {
            // A folder's name selects all of its files.
            for pattern in [name.clone(), format!("{}/**", name.trim_end_matches('/'))] {
                sources.add(Glob::new(&pattern).map_err(|error| {
                    AppError::bad_input(
                        format!("invalid source name `{name}`: {error}"),
                        "`forebay sources` lists them; * matches any part",
                    )
                })?);
            }
        }
        let sources = sources.build().map_err(|error| {
            AppError::bad_input(error.to_string(), "give fewer or simpler source names")
        })?;
        Ok(SourceMatcher { sources, personal: self.personal })
    }
}

/// Matches entries of the selected kinds.
struct SourceMatcher {
    sources: GlobSet,
    personal: bool,
}

impl SourceMatcher {
    fn matches(&self, entry: &Entry) -> bool {
        match entry.kind {
            EntryKind::Note => self.personal || entry.note().is_some_and(|note| !note.personal),
            EntryKind::Source | EntryKind::Page => self.sources.is_match(&entry.source),
            EntryKind::Run | EntryKind::Capture | EntryKind::Turn => true,
        }
    }
}

/// Counts the outcomes of received entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub added: u64,
    pub known: u64,
    /// Added entries that contradict another version of the same entry.
    pub conflicting: u64,
    /// Skipped because they were forgotten in this store.
    pub forgotten: u64,
}

impl Tally {
    fn count(&mut self, adopted: &ReplicateOutcome) {
        match adopted {
            ReplicateOutcome::Added(entry) => {
                self.added += 1;
                self.conflicting += u64::from(entry.conflicts.is_some());
            }
            ReplicateOutcome::AlreadyPresent(_) => self.known += 1,
            ReplicateOutcome::Purged => self.forgotten += 1,
        }
    }

    fn add(&mut self, other: Self) {
        self.added += other.added;
        self.known += other.known;
        self.conflicting += other.conflicting;
        self.forgotten += other.forgotten;
    }

    /// `3 new (1 in conflict), 12 already present`
    fn summary(self) -> String {
        let mut words = format!("{} new", number::grouped(self.added));
        if self.conflicting > 0 {
            words.push_str(&format!(" ({} in conflict)", number::grouped(self.conflicting)));
        }
        words.push_str(&format!(", {} already present", number::grouped(self.known)));
        if self.forgotten > 0 {
            words.push_str(&format!(", {} purged earlier", number::grouped(self.forgotten)));
        }
        words
    }
}
