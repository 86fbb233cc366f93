//! The agents on this machine: which are installed, which are set up, and setting them up.
//!
//! - [`machine`]: where their settings are;
//! - [`mod@plan`]: what setting up or removing would change, without changing it;
//! - [`mod@apply`]: the change itself, file by file;
//! - `created_folders`: which folders the change created;
//! - `host_mods`: whether a host ran Forebay's mod in its last session;
//! - `wrapped_servers`: the agents' other MCP servers, and which of them are started through Forebay;
//! - [`state`]: what is set up now, for `doctor` and for removal.
//!
//! `forebay_platforms::setup` produces the texts; this module reads and writes the files.

pub mod apply;
mod created_folders;
pub(crate) mod host_mods;
pub mod machine;
pub mod plan;
pub mod state;
mod wrapped_servers;

pub use forebay_platforms::setup::{Level, ServerNames};
pub use forebay_platforms::{PLATFORMS, Platform, find_with_harnesses};

pub use self::apply::WriteError;
pub use self::machine::Machine;
pub use self::plan::{Change, LeftAlone, Plan, Wish, plan};
pub use self::state::{Presence, is_set_up, presence};
pub use self::wrapped_servers::{has_wrapped_servers, remarks_on_servers};
