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
//!
//! Readings that the semantics leave open:
//! - a command name of which nothing is visible (`$x ls`) is asked about; one that is half visible
//!   (`su$x`, `/bin/s?do`) or that the text itself fills in (`x=sudo; $x ls`) is denied where it fits a
//!   deny rule; unknown words after a visible name (`git $x`) are asked about where they may fit;
//! - with no rule about commands at all, and `unmatched = run`, an unknown name runs: whatever it
//!   becomes would run if it were written plainly. What cannot be read is asked about even then;
//! - without a host's mode Forebay's own setting decides what no rule mentions; with one, the host's
//!   built-ins and defaults hold (`plan` decides as `default` does);
//! - `/` in managed rules is the project's root; protected paths are asked about in every mode but
//!   `bypassPermissions`; a bare `Bash` allow covers redirections, a `Bash(...)` one does not.

mod command_pattern;
mod commands;
mod denials;
mod judge;
mod path;
mod rule;
mod rules;
pub mod shell;
mod verdict;
mod web;
mod wildcard;
mod world;

pub use self::denials::{Denials, Denied, Region};
pub use self::judge::{Action, Call, judge};
pub use self::rule::{List, Malformed};
pub use self::rules::{Origin, Rules, Warning};
pub use self::verdict::{Decision, Verdict};
pub use self::web::host_of;
pub use self::world::{Mode, Paths, Trust, Unmatched, World, no_links};
