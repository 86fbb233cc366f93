//! What a store keeps about files: what a session has of them, and what was made from them.

use forebay_domain::Reference;

use crate::StoreError;

/// Working sets not used within this many later uses are deleted.
pub const MAX_USES_KEPT: i64 = 50_000;

/// The files a session works on, and values derived from file contents.
pub trait WorkingSets: Send + Sync {
    /// The files a session works on, the most recently used first.
    fn files_at_work(&self, session: &str) -> Result<WorkingSet, StoreError>;

    /// Keeps what a session has of a file, as the most recently used one. Where it is active, the
    /// one that was active becomes a skeleton; beyond `most` files the least recently used goes.
    fn save_working_file(
        &self,
        session: &str,
        file: &WorkingFile,
        most: usize,
    ) -> Result<(), StoreError>;

    /// The model's context has started over: nothing that a session was handed counts any more, and
    /// from here on it is known that such moments are told.
    fn reset_deliveries(&self, session: &str) -> Result<(), StoreError>;

    /// What was made from files before, in the order of the keys.
    fn derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Keeps what was made from files; beyond `most_bytes` the least recently used goes.
    fn cache_derived(&self, made: &[DerivedValue], most_bytes: u64) -> Result<(), StoreError>;
}

/// The hash of a file's bytes.
pub type ContentHash = [u8; 32];

/// The files of a session, and whether it is told when the model's context starts over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkingSet {
    /// The most recently used first.
    pub files: Vec<WorkingFile>,
    pub resets_are_told: bool,
}

/// What a session has of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingFile {
    /// Absolute, with symlinks followed.
    pub path: String,
    pub state: FileState,
    /// The content that the session read or wrote last.
    pub seen: ContentHash,
    /// The entry that holds this content.
    pub version: Option<Reference>,
    /// What the whole file costs.
    pub tokens: u64,
    /// What its skeleton costs, once it was made.
    pub skeleton_tokens: Option<u64>,
    /// Lines of this content that the model was handed since its context last started over.
    pub delivered: Vec<(u64, u64)>,
    /// Names in it that were asked for or changed, the latest last.
    pub symbols: Vec<String>,
}

/// How much of a file a session works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// All of it; one file of a session at a time.
    Active,
    /// Its public surface.
    Skeleton,
    /// None: it was taken off the list on purpose.
    Forgotten,
}

impl FileState {
    pub const ALL: [Self; 3] = [Self::Active, Self::Skeleton, Self::Forgotten];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Skeleton => "skeleton",
            Self::Forgotten => "forgotten",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// What tells apart what was made from files: the kind, the maker's version, the content.
pub type DerivedKey = [u8; 32];

/// Something that was made from files and can be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedValue {
    pub key: DerivedKey,
    pub value: Vec<u8>,
}

/// `1-40,60-90`
pub fn ranges_as_text(ranges: &[(u64, u64)]) -> String {
    let ranges: Vec<String> =
        ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    ranges.join(",")
}

/// A range that cannot be read was not delivered.
pub fn ranges_of_text(text: &str) -> Vec<(u64, u64)> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    text.split(',').filter_map(range).collect()
}
