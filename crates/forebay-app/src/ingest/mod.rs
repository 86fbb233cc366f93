//! Getting text into the store: redacted, converted, chunked, indexed.
//!
//! - `redaction`: every byte passes it before it is stored;
//! - `digesting_upload`: bytes stored and digested in one pass;
//! - `sources`: texts, files, folders and pages indexed under a name;
//! - `decode`, `convert`, `chunk`, `embedding`: bytes to text, text to chunks, chunks to vectors;
//! - `pending`: indexes stored output in the background;
//! - `import`: transcripts of past agent sessions;
//! - `jsonl`: documents as JSON lines; `neighbours`: the text around short ones;
//! - `walk`: parallel directory traversal.

pub(crate) mod chunk;
pub mod convert;
pub(crate) mod decode;
pub(crate) mod digesting_upload;
pub(crate) mod embedding;
pub mod import;
pub mod jsonl;
pub(crate) mod neighbours;
pub(crate) mod pending;
pub(crate) mod redaction;
pub mod sources;
pub(crate) mod walk;
