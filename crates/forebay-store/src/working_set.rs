//! Working sets: the files a session works on, and cached values derived from files.

use forebay_domain::Reference;

use crate::StoreError;

/// Working sets not used within this many later uses are deleted.
pub const MAX_USES_KEPT: i64 = 50_000;

/// The files a session works on, and values derived from file contents.
pub trait WorkingSets: Send + Sync {
    /// Returns the files a session works on, most recently used first.
    fn working_set(&self, session: &str) -> Result<WorkingSet, StoreError>;

    /// Stores a file as the most recently used. If it is active, the previously active one becomes
    /// a skeleton; beyond `max_files` the least recently used is removed.
    fn save_working_file(
        &self,
        session: &str,
        file: &WorkingFile,
        max_files: usize,
    ) -> Result<(), StoreError>;

    /// Forgets what was delivered to the model, because its context was reset. From now on the
    /// session is known to report resets.
    fn reset_deliveries(&self, session: &str) -> Result<(), StoreError>;

    /// Returns cached values, in the order of the keys.
    fn cached_derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Caches values; beyond `max_bytes` the least recently used are evicted.
    fn cache_derived(&self, values: &[DerivedValue], max_bytes: u64) -> Result<(), StoreError>;
}

/// BLAKE3 hash of a file's bytes.
pub type ContentHash = [u8; 32];

/// The files of a session, and whether its host reports context resets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkingSet {
    /// Most recently used first.
    pub files: Vec<WorkingFile>,
    pub resets_are_reported: bool,
}

/// The state of one file in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingFile {
    /// Absolute, with symlinks resolved.
    pub path: String,
    pub state: FileState,
    /// The content that the session last read or wrote.
    pub content_hash: ContentHash,
    /// The entry with this content.
    pub version: Option<Reference>,
    /// Tokens of the whole file.
    pub tokens: u64,
    /// Tokens of its skeleton, if it was delivered since the context was last reset.
    pub skeleton_tokens: Option<u64>,
    /// Lines of this content delivered to the model since its context was last reset.
    pub delivered: Vec<(u64, u64)>,
    /// Symbols requested or changed, latest last.
    pub symbols: Vec<String>,
}

/// How a session uses a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// Read or changed last; one per session at a time.
    Active,
    /// Used before the active one, or seen as a skeleton.
    Skeleton,
    /// Nothing: it was removed from the working set on purpose.
    Forgotten,
}

impl FileState {
    pub const ALL: [Self; 3] = [Self::Active, Self::Skeleton, Self::Forgotten];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Skeleton => "skeleton",
            Self::Forgotten => "forgotten",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// Hash of the kind of value, the version of the code that computes it, and the content.
pub type DerivedKey = [u8; 32];

/// A value derived from files that can be recomputed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedValue {
    pub key: DerivedKey,
    pub value: Vec<u8>,
}

/// Formats line ranges as `1-40,60-90`.
pub fn format_ranges(ranges: &[(u64, u64)]) -> String {
    let ranges: Vec<String> =
        ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    ranges.join(",")
}

/// Parses line ranges; skips malformed ones.
pub fn parse_ranges(text: &str) -> Vec<(u64, u64)> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    text.split(',').filter_map(range).collect()
}
