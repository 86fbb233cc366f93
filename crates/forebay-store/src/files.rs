//! What a store keeps about files: what a session has of them, and what was made from them.

use forebay_domain::Reference;

/// The hash of a file's bytes.
pub type ContentHash = [u8; 32];

/// The files of a session, and whether it is told when the model's context starts over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesAtWork {
    /// The most recently used first.
    pub files: Vec<FileAtWork>,
    pub resets_are_told: bool,
}

/// What a session has of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAtWork {
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

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// What tells apart what was made from files: the kind, the maker's version, the content.
pub type DerivedKey = [u8; 32];

/// Something that was made from files and can be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    pub key: DerivedKey,
    pub value: Vec<u8>,
}
