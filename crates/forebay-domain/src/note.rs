//! Notes: what the model or a person wrote down on purpose.

use crate::Reference;

/// The kind of statement a note makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    Note,
    Decision,
    Finding,
    Preference,
    Constraint,
    Todo,
}

impl NoteKind {
    pub const ALL: [Self; 6] =
        [Self::Note, Self::Decision, Self::Finding, Self::Preference, Self::Constraint, Self::Todo];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Decision => "decision",
            Self::Finding => "finding",
            Self::Preference => "preference",
            Self::Constraint => "constraint",
            Self::Todo => "todo",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Metadata of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub kind: NoteKind,
    /// What the note is about; a newer note on the same topic replaces this one.
    pub topic: Option<String>,
    /// The note that this one replaced.
    pub supersedes: Option<Reference>,
    /// The note that replaced this one.
    pub superseded_by: Option<Reference>,
    /// Pinned notes come first in overviews.
    pub pinned: bool,
    /// Personal notes are never shared.
    pub personal: bool,
    /// The author; empty if unknown.
    pub author: String,
}
