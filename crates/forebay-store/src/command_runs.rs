//! Runs of commands: which entries hold the output of the same command.

use forebay_domain::{Reference, Timestamp};

use crate::StoreError;

/// Hash of a command's words and of its folder within the project.
pub type CommandHash = [u8; 32];

/// The command that an entry holds the output of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommandRun {
    pub command: CommandHash,
    pub failed: bool,
    /// How it ended, in words; empty if the host does not say.
    pub ending: String,
    /// The session whose model gets the output.
    pub session: String,
}

/// A stored run of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    pub reference: Reference,
    pub title: String,
    pub created: Timestamp,
    pub bytes: u64,
    pub failed: bool,
    pub ending: String,
    /// Whether its answer is certainly in the context of the asking session: the session got it, reports the resets
    /// of its context, and has reported none since.
    pub is_in_context: bool,
}

/// Selects runs of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRunPage {
    pub command: CommandHash,
    /// Only runs whose entries have a lower sequence number.
    pub before: i64,
    /// The asking session.
    pub session: String,
    /// Only runs that did not fail.
    pub succeeded_only: bool,
    /// Only runs on this branch.
    pub branch: Option<String>,
    pub limit: usize,
}

/// Finds earlier runs of a command.
pub trait CommandRuns: Send + Sync {
    /// Returns runs, latest first.
    fn command_runs(&self, page: &CommandRunPage) -> Result<Vec<CommandRun>, StoreError>;
}
