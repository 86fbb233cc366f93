//! Sources: what was indexed under a name, and what tells whether it has changed.

use forebay_domain::{Reference, Timestamp};

use crate::StoreError;
use crate::blob::EncodedBlob;
use crate::chunk::NewChunk;
use crate::entries::NewEntry;

/// What was indexed under a name: files, folders, pages, documents.
pub trait Sources: Send + Sync {
    /// Starts to index a source anew.
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError>;

    /// What was indexed, by name.
    fn sources(&self) -> Result<Vec<Source>, StoreError>;

    /// The source of this name; documents have none.
    fn source(&self, name: &str) -> Result<Option<Source>, StoreError>;

    /// Files and folders that were last looked at outside of these two moments, as of the later one.
    fn stale_sources(&self, between: (Timestamp, Timestamp)) -> Result<Vec<NewSource>, StoreError>;

    /// What tells whether a file of a source has changed, for each by its path.
    fn source_stamps(&self, name: &str) -> Result<Vec<(String, FileStamp)>, StoreError>;

    /// The entries of a source in the order of their paths.
    fn source_items(&self, name: &str) -> Result<Vec<SourceItem>, StoreError>;

    /// Notes that a source was looked at, and until when it need not be again.
    fn mark_source_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError>;
}

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
    pub fn from_word(word: &str) -> Self {
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
pub struct SourceItem {
    /// Its place in the source.
    pub path: String,
    pub reference: Reference,
    pub stamp: FileStamp,
    pub hash: [u8; 32],
    pub bytes: u64,
}

/// What tells cheaply that a file has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub size: u64,
}

/// An item to be stored.
pub struct NewSourceItem {
    pub path: String,
    pub stamp: FileStamp,
    pub hash: [u8; 32],
    pub entry: NewEntry,
    pub raw: EncodedBlob,
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
pub enum UnlistedItems {
    Stay,
    Go,
}

/// What a source gained and lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReindexReport {
    /// References of what was added, by path.
    pub added: Vec<(String, Reference)>,
    /// How many of them took the place of an older item.
    pub replaced: u64,
    pub gone: u64,
}

/// A source on its way in. Nobody sees any of it before `finish`; dropped, it leaves nothing.
pub trait Reindex {
    /// Adds an item, in place of the one with its path.
    fn add(&mut self, item: NewSourceItem) -> Result<(), StoreError>;

    /// Keeps an item whose content is the same.
    fn keep(&mut self, path: &str, stamp: FileStamp);

    /// Has an item go.
    fn remove(&mut self, path: &str);

    /// Makes it all visible in one moment.
    fn finish(
        self: Box<Self>,
        source: &NewSource,
        others: UnlistedItems,
    ) -> Result<ReindexReport, StoreError>;
}
