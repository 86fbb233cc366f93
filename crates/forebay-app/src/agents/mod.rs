//! The agents on this machine: which are installed, which are set up, and setting them up.
//!
//! - [`machine`]: where their settings are;
//! - [`mod@plan`]: what setting up or removing would change, without changing it;
//! - [`mod@apply`]: the change itself, file by file;
//! - `locations`: where agents were set up;
//! - `homes`: agents, servers and shells that do not share one home;
//! - [`invocations`]: how agents start Forebay, for a check that does the same;
//! - [`mend`]: what is wrong with a set-up, and mending it;
//! - [`mod@uninstall`]: taking back every set-up, wherever it is;
//! - `host_mods`: whether a host ran Forebay's mod in its last session;
//! - `wrapped_servers`: the agents' other MCP servers, and which of them are started through Forebay;
//! - [`state`]: what is set up now, for `doctor` and for removal.
//!
//! `forebay_platforms::setup` produces the texts; this module reads and writes the files.

pub mod apply;
pub(crate) mod homes;
pub(crate) mod host_mods;
pub mod invocations;
mod locations;
pub mod machine;
pub mod mend;
pub mod plan;
pub mod state;
pub mod uninstall;
mod wrapped_servers;

pub use forebay_platforms::setup::{Level, ServerNames, Wrapper};
pub use forebay_platforms::{PLATFORMS, Platform, find_with_harnesses};

pub use self::apply::{WriteError, apply};
pub use self::machine::Machine;
pub use self::mend::{Fault, Finding, Mending, ModeChange};
pub use self::plan::{Change, LeftAlone, Plan, Wish, plan};
pub use self::state::{AgentReport, Presence, is_set_up, presence};
pub use self::uninstall::Uninstall;
pub use self::wrapped_servers::{has_wrapped_servers, remarks_on_servers};
