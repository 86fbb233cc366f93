//! The dialects of agent hosts, as data: what a host sends, how it wants to be answered, where it is
//! set up and what it cannot do.
//!
//! - [`platforms`] has one const table a host; [`platform`] says what stands in a table.
//! - [`decode()`] turns a host's JSON into the words of `forebay_domain::hook`.
//! - [`encode()`] turns an answer into what the host reads.
//! - [`setup`] edits the text of settings files, and takes its edits back byte for byte.
//! - [`transcripts`] reads what hosts keep of past conversations.
//!
//! Nothing here decides, reads a file or starts a process.

pub mod decode;
pub mod encode;
pub mod platform;
pub mod platforms;
pub mod setup;
pub mod transcripts;

pub use decode::{Decoded, NotAPayload, decode};
pub use encode::{Output, Unsupported, can_hear, encode};
pub use platform::Platform;
pub use platforms::{PLATFORMS, find};
