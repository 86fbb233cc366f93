//! Teams: entries that go from one store to another, in an archive or over the network.
//!
//! - `records` is an entry as JSON lines: one that says what it is, then its text in parts;
//! - [`archive`] is a file of them, packed and sealed by a checksum;
//! - [`exchange`] is a page of them, as a server gives and takes it;
//! - [`sync`] pushes and pulls pages between a store here and a server.
//!
//! Nothing is overwritten on the way in: the store adopts an entry once, and keeps and marks what says
//! something else of the same.

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

/// Which entries go out.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// Names of sources, with `*`; none of them are shared where this is empty.
    pub sources: Vec<String>,
    /// Outputs, captured results and imported turns, too.
    pub runs: bool,
    /// Personal notes, too.
    pub personal: bool,
}

impl Chosen {
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

    fn filter(&self) -> Result<Filter, AppError> {
        let mut sources = GlobSetBuilder::new();
        for name in &self.sources {
            // A folder's name means all of its files.
            for pattern in [name.clone(), format!("{}/**", name.trim_end_matches('/'))] {
                sources.add(Glob::new(&pattern).map_err(|error| {
                    AppError::bad_input(
                        format!("`{name}` is no name of sources: {error}"),
                        "`forebay sources` lists them; * stands for any part",
                    )
                })?);
            }
        }
        let sources = sources.build().map_err(|error| {
            AppError::bad_input(error.to_string(), "give fewer or simpler names of sources")
        })?;
        Ok(Filter { sources, personal: self.personal })
    }
}

/// Tells which entries of the chosen kinds are meant.
struct Filter {
    sources: GlobSet,
    personal: bool,
}

impl Filter {
    fn wants(&self, entry: &Entry) -> bool {
        match entry.kind {
            EntryKind::Note => self.personal || entry.note().is_some_and(|note| !note.personal),
            EntryKind::Source | EntryKind::Page => self.sources.is_match(&entry.source),
            EntryKind::Run | EntryKind::Capture | EntryKind::Turn => true,
        }
    }
}

/// What became of entries that came in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub added: u64,
    pub known: u64,
    /// Of those that were added, the ones that say something else of the same than another.
    pub conflicting: u64,
    /// Forgotten here, and left so.
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

    /// `3 new, 1 of them in conflict, 12 known`
    fn in_words(self) -> String {
        let mut words = format!("{} new", number::grouped(self.added));
        if self.conflicting > 0 {
            words.push_str(&format!(", {} of them in conflict", number::grouped(self.conflicting)));
        }
        words.push_str(&format!(", {} known", number::grouped(self.known)));
        if self.forgotten > 0 {
            words.push_str(&format!(", {} forgotten here", number::grouped(self.forgotten)));
        }
        words
    }
}
