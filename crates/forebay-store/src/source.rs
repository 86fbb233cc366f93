//! Sources: what was indexed under a name, and what tells whether it has changed.

use forebay_domain::{Reference, Timestamp};

use crate::StoreError;
use crate::contract::NewEntry;
use crate::packed::Packed;
use crate::passage::NewChunk;

/// What kind of thing a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    Text,
    File,
    Folder,
    /// A page of the web.
    Page,
    /// Documents that came as JSON lines.
    Documents,
}

impl SourceKind {
    const ALL: [Self; 5] = [Self::Text, Self::File, Self::Folder, Self::Page, Self::Documents];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::File => "file",
            Self::Folder => "folder",
            Self::Page => "page",
            Self::Documents => "documents",
        }
    }

    /// The kind of a word; what a newer version wrote is taken for a text, which nobody refreshes.
    pub(crate) fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.word() == word).unwrap_or(Self::Text)
    }
}

/// A source as it stands in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub kind: SourceKind,
    pub path: String,
    pub options: String,
    pub indexed: Timestamp,
    pub checked: Timestamp,
    pub freshness: Freshness,
    pub entries: u64,
    pub bytes: u64,
}

/// What a server said about how long its answer holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub expires: Option<Timestamp>,
}

/// One entry of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its place in the source.
    pub path: String,
    pub reference: Reference,
    pub stamp: Stamp,
    pub hash: [u8; 32],
    pub bytes: u64,
}

/// What tells cheaply that a file has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub size: u64,
}

/// An item to be stored.
pub struct NewItem {
    pub path: String,
    pub stamp: Stamp,
    pub hash: [u8; 32],
    pub entry: NewEntry,
    pub raw: Packed,
    pub chunks: Vec<NewChunk>,
}

/// What is known of a source that is indexed.
#[derive(Debug, Clone)]
pub struct NewSource {
    pub name: String,
    pub kind: SourceKind,
    pub path: String,
    pub options: String,
    pub at: Timestamp,
    pub freshness: Freshness,
}

/// What becomes of items that were neither added nor kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    Stay,
    Go,
}

/// What a source gained and lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reindexed {
    /// References of what was added, by path.
    pub added: Vec<(String, Reference)>,
    /// How many of them took the place of an older item.
    pub replaced: u64,
    pub gone: u64,
}

/// A source on its way in. Nobody sees any of it before `finish`; dropped, it leaves nothing.
pub trait Reindex {
    /// Adds an item, in place of the one with its path.
    fn add(&mut self, item: NewItem) -> Result<(), StoreError>;

    /// Keeps an item whose content is the same.
    fn keep(&mut self, path: &str, stamp: Stamp);

    /// Has an item go.
    fn remove(&mut self, path: &str);

    /// Makes it all visible in one moment.
    fn finish(self: Box<Self>, source: &NewSource, others: Others)
    -> Result<Reindexed, StoreError>;
}
