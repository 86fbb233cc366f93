//! The agents on this machine: which there are, which are set up, and setting them up.
//!
//! - [`machine`]: where their settings lie;
//! - [`mod@plan`]: what setting up or taking back would change, without changing it;
//! - [`mod@apply`]: the change itself, file by file;
//! - [`state`]: what is set up now, for `doctor` and for taking back.
//!
//! The texts are made by `forebay_platforms::setup`; here they meet the files.

pub mod apply;
pub mod machine;
pub mod plan;
pub mod state;

pub use forebay_platforms::setup::Level;
pub use forebay_platforms::{PLATFORMS, Platform, find};

pub use self::apply::NotWritten;
pub use self::machine::Machine;
pub use self::plan::{Change, Fault, Plan, Wish, plan};
pub use self::state::{Presence, is_set_up, presence};
