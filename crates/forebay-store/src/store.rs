//! [`Store`]: the sum of the store traits, one trait a concern.

use crate::embeddings::Embeddings;
use crate::entries::Entries;
use crate::imports::Imports;
use crate::maintenance::Maintenance;
use crate::retention::Retention;
use crate::search_index::SearchIndex;
use crate::sessions::Sessions;
use crate::sources::Sources;
use crate::tokens::Tokens;
use crate::usage::Usage;
use crate::working_set::WorkingSets;

/// Everything an engine does.
///
/// Every method is one short transaction or none; many processes use one store at once.
pub trait Store:
    Entries
    + SearchIndex
    + Embeddings
    + Sources
    + Sessions
    + Retention
    + Usage
    + WorkingSets
    + Imports
    + Tokens
    + Maintenance
{
}

impl<Engine> Store for Engine where
    Engine: Entries
        + SearchIndex
        + Embeddings
        + Sources
        + Sessions
        + Retention
        + Usage
        + WorkingSets
        + Imports
        + Tokens
        + Maintenance
{
}
