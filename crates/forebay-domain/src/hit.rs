//! Hits: passages that a search found, each with the reason it was found. Many are looked at and few are shown, so
//! what they say is shared with the store that holds it.

use std::sync::Arc;

use crate::{EntryKind, NoteKind, Reference, Timestamp};
use forebay_text::excerpt::Excerpt;

/// One found passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub reference: Reference,
    pub kind: EntryKind,
    /// What a note says; none for other kinds.
    pub note: Option<NoteKind>,
    pub title: Arc<str>,
    pub source: Arc<str>,
    /// The name the caller gave this passage when it indexed it.
    pub key: Option<Arc<str>>,
    pub created: Timestamp,
    /// How well its words fit; 0 if none does.
    pub words: f64,
    /// How near its meaning is, from 0 to 1.
    pub nearness: f32,
    /// Both together: higher is better; comparable within one query only.
    pub score: f64,
    /// First and last line of the passage in the stored raw text.
    pub lines: (u64, u64),
    /// The passage itself.
    pub text: Excerpt,
    /// The words of the query that stand in it.
    pub matched: Vec<String>,
    /// The older note that this one replaced.
    pub supersedes: Option<Reference>,
    /// A note that may say the opposite.
    pub conflicts: Option<Reference>,
    /// Passages that say nearly the same and are not shown.
    pub alike: u64,
}
