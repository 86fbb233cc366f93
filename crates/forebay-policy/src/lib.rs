//! Permission rules: whether a call is allowed, asked about or denied, and by which rule.
//!
//! [`Rules::compile`] parses the rules of every settings file once; [`judge`] matches them against a [`Call`] in a
//! [`CallContext`] and returns a [`Verdict`]. Everything is passed in: nothing here reads a file, a variable, a clock or a
//! resolver, and nothing runs.
//!
//! The order is deny, ask, allow, over all files. How a call is analysed:
//! - a command is parsed as shell (`shell`) and followed through wrappers and scripts (`commands`); each command in it is
//!   matched against `Bash(...)` rules, each file it names against `Read(...)` and `Edit(...)` rules;
//! - what is only known at run time is at least asked about, and denied where the visible part matches a deny rule;
//! - a path is matched as given and with symlinks resolved: one match is enough to deny, both must be allowed;
//! - a fetch is judged by its host and the addresses it resolves to.
//!
//! Interpretations where the hosts' documentation leaves room:
//! - an invisible command name (`$x ls`) is asked about; a partly visible one (`su$x`, `/bin/s?do`) or one the text itself
//!   assigns (`x=sudo; $x ls`) is denied if it matches a deny rule; unknown words after a visible name (`git $x`) are asked
//!   about where they may match;
//! - with no rule about commands and `unmatched = run`, an unknown name runs, as it would if written plainly. What cannot
//!   be parsed is asked about even then;
//! - without a host's mode, Forebay's own setting decides unmatched calls; with one, the host's built-ins and defaults
//!   apply (`plan` decides like `default`);
//! - `/` in managed rules is the project's root; protected paths are asked about in every mode but `bypassPermissions`; a
//!   bare `Bash` allow covers redirections, a `Bash(...)` one does not.

#![forbid(unsafe_code)]

mod command_pattern;
mod commands;
mod context;
mod denials;
mod execution;
mod judge;
mod path;
mod rule;
mod rules;
pub mod shell;
mod verdict;
mod web;
mod wildcard;

pub use self::commands::{only_reads, programs};
pub use self::context::{CallContext, Mode, Paths, Trust, Unmatched, no_links};
pub use self::denials::{Denials, Denied, Region};
pub use self::execution::{Execution, Sibling};
pub use self::judge::{Action, Call, control_files, is_protected, is_within, judge};
pub use self::rule::{List, Malformed};
pub use self::rules::{Origin, Rules, Warning};
pub use self::verdict::{Decision, Ground, Verdict};
pub use self::web::{host_of, with_plain_host};
