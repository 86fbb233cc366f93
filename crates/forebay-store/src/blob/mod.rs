//! Blobs: an entry's raw bytes, hashed and compressed the same way by every engine.
//!
//! - [`part`]: the layout, compressed parts of 32 KiB;
//! - [`encode`]: encodes bytes in memory;
//! - [`writer`]: encodes a stream of bytes;
//! - [`damage`]: what is known about content that cannot be read;
//! - [`text`]: a decompressed part in memory, shared by the hits that quote it.

pub mod damage;
pub mod encode;
pub mod part;
pub mod text;
pub mod writer;

pub use damage::Damage;
pub use encode::{EncodedBlob, HashedContent, fingerprint};
pub use part::{BlobPart, PART_BYTES, StoredPart};
