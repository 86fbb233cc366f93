//! Blobs: an entry's raw bytes, hashed and compressed the same way by every engine.
//!
//! - [`part`]: the layout, compressed parts of 32 KiB;
//! - [`encode`]: bytes at hand become a blob in one call;
//! - [`writer`]: bytes that arrive in pieces become parts as they come;
//! - [`text`]: a decompressed part, shared by the hits that quote it.

pub mod encode;
pub mod part;
pub mod text;
pub mod writer;

pub use encode::{EncodedBlob, HashedContent, fingerprint};
pub use part::{PART_BYTES, Part};
