//! Agent hosts as data: the payloads they send, the replies they accept, their files and their limits.
//!
//! - [`platforms`] has one const table per host; [`platform`] defines its columns.
//! - [`decode()`] turns a host's JSON into a `forebay_domain::hook::HookCall`.
//! - [`encode()`] turns a reply into the output that the host expects.
//! - [`machine_text`] separates the user's words in a prompt from what a host wrote there.
//! - [`status`] reads what a host tells the command of its status line.
//! - [`setup`] edits the text of settings files and undoes its edits byte for byte.
//! - [`permissions`] translates hosts' permission rules into Forebay's.
//! - [`transcripts`] parses the conversations that hosts record.
//! - [`toml_text`] edits the text of Forebay's own settings files.
//! - [`control_files()`] lists the files in a project that hosts obey.
//! - [`folders`] resolves the folders that paths in the tables are relative to.
//!
//! Pure: no module reads a file, starts a process or makes a decision. No other crate names a host; what
//! depends on the host is a field of its table.

mod billed_tokens;
mod control_files;
pub mod decode;
pub mod encode;
pub mod folders;
mod host_event;
mod host_version;
pub mod machine_text;
pub mod permissions;
pub mod platform;
pub mod platforms;
pub mod setup;
pub mod status;
pub mod toml_text;
pub mod transcripts;

pub use control_files::control_files;
pub use decode::{DecodeError, Decoded, decode, output_in_file};
pub use encode::{Output, Unsupported, encode, supports};
pub use platform::Platform;
pub use platforms::{PLATFORMS, find, find_with_harnesses, is_instruction_file};
