//! Entries: anything stored under a reference.

use crate::{Note, Reference, RunRecord, Timestamp};

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// The output of a command or a program.
    Run,
    /// A note that the model or a person wrote on purpose.
    Note,
    /// A source that was indexed: a file, a folder's file, JSON lines, text.
    Source,
    /// A page that was fetched.
    Page,
    /// A tool result that a hook captured.
    Capture,
    /// A turn of an imported conversation.
    Turn,
}

impl EntryKind {
    pub const ALL: [Self; 6] =
        [Self::Run, Self::Note, Self::Source, Self::Page, Self::Capture, Self::Turn];

    /// The word used in the store, in tools and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Note => "note",
            Self::Source => "source",
            Self::Page => "page",
            Self::Capture => "capture",
            Self::Turn => "turn",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// What is known of a stored entry; its raw bytes are read apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub reference: Reference,
    pub kind: EntryKind,
    /// One line a person recognises: the command, the note's first line, the source's name.
    pub title: String,
    /// Where it came from: a path, a URL, a tool; empty for what was typed.
    pub source: String,
    /// The session it was made in.
    pub session: String,
    /// The git branch that was checked out, when there was one.
    pub branch: Option<String>,
    pub created: Timestamp,
    /// Position in creation order; it does not depend on the clock.
    pub sequence: i64,
    pub bytes: u64,
    pub lines: u64,
    /// The digest that was delivered when the entry was made; short texts stand here whole.
    pub digest: String,
    /// An entry that says something else of the same, and was written apart from this one.
    pub conflicts: Option<Reference>,
    pub detail: Detail,
}

/// What only one kind of entry has.
#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    Plain,
    Run(RunRecord),
    Note(Note),
}

impl Entry {
    pub fn run(&self) -> Option<&RunRecord> {
        match &self.detail {
            Detail::Run(run) => Some(run),
            _ => None,
        }
    }

    pub fn note(&self) -> Option<&Note> {
        match &self.detail {
            Detail::Note(note) => Some(note),
            _ => None,
        }
    }
}
