//! Stores: the traits every engine implements, and what the engines share.
//!
//! [`Store`] combines one trait per concern ([`Entries`], [`SearchIndex`], [`Sources`], ...), each
//! in a file with its types. The engines are crates of their own, `forebay-store-sqlite` and
//! `forebay-store-postgres`; what both need is here and knows neither:
//!
//! - [`blob`]: encoding of raw bytes;
//! - [`chunk`]: searchable parts of an entry;
//! - [`bm25`], [`vector_index`], [`top_k`], [`document`], [`candidates`], [`query_batcher`]: ranking
//!   by words and by embedding;
//! - [`vocabulary`]: which words typo correction considers;
//! - [`cache`], [`mod@busy_timeout`], [`migration`], [`derived`], [`run_ending`]: small mechanisms.
//!
//! [`Home`] locates a user's databases on disk, [`created_folders`] remembers the folders that Forebay created, [`project`] the project of a folder.

mod archive;
pub mod blob;
pub mod bm25;
pub mod busy_timeout;
pub mod cache;
pub mod candidates;
pub mod chunk;
mod command_runs;
pub mod control_file;
pub mod created_folders;
pub mod derived;
pub mod document;
mod embeddings;
mod entries;
mod error;
pub mod home;
mod imports;
mod lock_holder;
mod maintenance;
pub mod migration;
pub mod own_files;
pub mod project;
pub mod query_batcher;
pub mod regular_file;
mod replication;
pub mod reserve;
pub mod retention;
pub mod run_ending;
mod search_index;
mod sessions;
mod sources;
mod store;
mod tokens;
pub mod top_k;
mod treatments;
mod usage;
pub mod vector_index;
pub mod vocabulary;
pub mod working_set;
mod worktree;

pub use archive::{ArchiveWriter, is_archive, read_archive};
pub use blob::{EncodedBlob, HashedContent, fingerprint};
pub use busy_timeout::{busy_timeout, set_busy_timeout};
pub use chunk::{
    ChunkEmbedding, Embedding, EmbeddingProgress, IndexState, IndexStep, NewChunk,
    REMOTE_MODEL_PREFIX, ReindexedChunk, StaleChunk,
};
pub use command_runs::{CommandHash, CommandRun, CommandRunPage, CommandRuns, NewCommandRun};
pub use created_folders::CreatedFolders;
pub use embeddings::Embeddings;
pub use entries::{Entries, HistoryPage, NewDetail, NewEntry, NewNote, Upload};
pub use error::StoreError;
pub use home::Home;
pub use imports::{Import, ImportPosition, ImportStep, Imports};
pub use maintenance::{Health, Maintenance, PeriodGrowth, StoreStats};
pub use project::Project;
pub use replication::{NotePage, ReplicaOrigin, ReplicateOutcome, SincePage};
pub use retention::{Expiry, PurgeReport, PurgeSelection, Retention};
pub use search_index::{Candidate, IndexQuery, SearchIndex, SimilarWord, WordStatistics};
pub use sessions::{EventBatch, EventPage, MAX_EVENTS_PER_SESSION, SessionSummary, Sessions};
pub use sources::{
    FileStamp, Freshness, NewSource, NewSourceItem, Reindex, ReindexReport, Source, SourceItem,
    SourceKind, Sources, UnlistedItems,
};
pub use store::Store;
pub use tokens::{Token, Tokens};
pub use treatments::Treatments;
pub use usage::{PeriodUsage, ReportedRequest, Reporter, SessionLedger, Usage};
pub use working_set::{
    ContentHash, DerivedKey, DerivedValue, FileState, WorkingFile, WorkingSet, WorkingSets,
};

/// The store traits, for calling their methods on a concrete engine.
pub mod prelude {
    pub use crate::{
        Embeddings as _, Entries as _, Imports as _, Maintenance as _, Retention as _,
        SearchIndex as _, Sessions as _, Sources as _, Tokens as _, Treatments as _, Usage as _,
        WorkingSets as _,
    };
}
