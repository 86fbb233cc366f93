//! What the crate promises, told from outside.

mod broken;
mod corpus;
mod hard;
mod lookup;
mod samples;
mod snapshots;
