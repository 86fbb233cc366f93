//! Sources: content indexed under a name, and how changes are detected.

use forebay_domain::{Reference, Timestamp};

use crate::StoreError;
use crate::blob::EncodedBlob;
use crate::chunk::NewChunk;
use crate::entries::NewEntry;

/// Files, folders, pages and documents indexed under a name.
pub trait Sources: Send + Sync {
    /// Starts reindexing a source.
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError>;

    /// Returns all sources, by name.
    fn sources(&self) -> Result<Vec<Source>, StoreError>;

    /// Returns the source of this name; None for documents.
    fn source(&self, name: &str) -> Result<Option<Source>, StoreError>;

    /// Returns files and folders last checked outside of this period, as of its end.
    fn stale_sources(&self, between: (Timestamp, Timestamp)) -> Result<Vec<NewSource>, StoreError>;

    /// Returns path and stamp of each file of a source.
    fn source_stamps(&self, name: &str) -> Result<Vec<(String, FileStamp)>, StoreError>;

    /// Returns the items of a source, by path.
    fn source_items(&self, name: &str) -> Result<Vec<SourceItem>, StoreError>;

    /// Records that a source was checked, and when it expires.
    fn mark_source_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError>;
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    Text,
    File,
    Folder,
    /// A web page.
    Page,
    /// Documents read from JSON lines.
    Documents,
}

impl SourceKind {
    const ALL: [Self; 5] = [Self::Text, Self::File, Self::Folder, Self::Page, Self::Documents];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::File => "file",
            Self::Folder => "folder",
            Self::Page => "page",
            Self::Documents => "documents",
        }
    }

    /// Parses a kind; an unknown one of a newer version counts as text, which is never refreshed.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).unwrap_or(Self::Text)
    }
}

/// A stored source.
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

/// HTTP validators and expiry of a fetched page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub expires: Option<Timestamp>,
}

/// One entry of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceItem {
    /// Path relative to the source.
    pub path: String,
    pub reference: Reference,
    pub stamp: FileStamp,
    pub hash: [u8; 32],
    pub bytes: u64,
}

/// Size and modification time, for cheap change detection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// Nanoseconds since the Unix epoch.
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

/// A source to be indexed.
#[derive(Debug, Clone)]
pub struct NewSource {
    pub name: String,
    pub kind: SourceKind,
    pub path: String,
    pub options: String,
    pub at: Timestamp,
    pub freshness: Freshness,
}

/// What happens to items neither added nor kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnlistedItems {
    Keep,
    Remove,
}

/// What a reindex changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReindexReport {
    /// Path and reference of each added item.
    pub added: Vec<(String, Reference)>,
    /// How many of them replaced an older item.
    pub replaced: u64,
    pub removed: u64,
}

/// A source being reindexed: invisible before `finish`, discarded when dropped.
pub trait Reindex {
    /// Adds an item, replacing the one with its path.
    fn add(&mut self, item: NewSourceItem) -> Result<(), StoreError>;

    /// Keeps an item whose content is unchanged.
    fn keep_unchanged(&mut self, path: &str, stamp: FileStamp);

    /// Removes an item.
    fn remove(&mut self, path: &str);

    /// Commits all changes in one transaction.
    fn finish(
        self: Box<Self>,
        source: &NewSource,
        unlisted: UnlistedItems,
    ) -> Result<ReindexReport, StoreError>;
}
