//! [`Store`]: all store traits combined.

use crate::command_runs::CommandRuns;
use crate::embeddings::Embeddings;
use crate::entries::Entries;
use crate::imports::Imports;
use crate::maintenance::Maintenance;
use crate::retention::Retention;
use crate::search_index::SearchIndex;
use crate::sessions::Sessions;
use crate::sources::Sources;
use crate::tokens::Tokens;
use crate::treatments::Treatments;
use crate::usage::Usage;
use crate::working_set::WorkingSets;

/// Everything an engine does.
///
/// Each method runs at most one short transaction; many processes may use a store concurrently.
pub trait Store:
    Entries
    + CommandRuns
    + SearchIndex
    + Embeddings
    + Sources
    + Sessions
    + Retention
    + Usage
    + Treatments
    + WorkingSets
    + Imports
    + Tokens
    + Maintenance
{
}

impl<Engine> Store for Engine where
    Engine: Entries
        + CommandRuns
        + SearchIndex
        + Embeddings
        + Sources
        + Sessions
        + Retention
        + Usage
        + Treatments
        + WorkingSets
        + Imports
        + Tokens
        + Maintenance
{
}
