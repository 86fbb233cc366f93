//! Permission rules: whether a call is allowed, asked about or denied, and by which rule.
//!
//! [`Rules::compile`] reads the rules of every settings file once; [`judge`] lays them beside a
//! [`Call`] in a [`World`] and gives a [`Verdict`]. Everything is handed in: nothing here reads a file,
//! a variable, a clock or a resolver, and nothing runs.
//!
//! The order is deny, ask, allow, over all files. How a call is seen:
//! - a command is read as shell (`shell`), followed through wrappers and scripts (`commands`), and
//!   each command in it is laid beside `Bash(...)` rules, each file it names beside `Read(...)` and
//!   `Edit(...)` rules;
//! - what is only known when it runs is at least asked about, and denied where what can be seen of it
//!   already fits a deny rule;
//! - a path counts as it was given and as symlinks make it: one is enough to deny, both must be allowed;
//! - a fetch is judged by its host and by the addresses the host has.

mod command_pattern;
mod commands;
mod judge;
mod path;
mod rule;
mod rules;
pub mod shell;
mod verdict;
mod web;
mod wildcard;
mod world;

pub use self::judge::{Action, Call, judge};
pub use self::rule::{List, Malformed};
pub use self::rules::{Origin, Rules, Warning};
pub use self::verdict::{Decision, Verdict};
pub use self::world::{Mode, Paths, Unmatched, World, no_links};
