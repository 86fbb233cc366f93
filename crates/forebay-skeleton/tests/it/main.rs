//! What the crate promises, told from outside.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test says what is wrong by failing, a measurement by printing"
)]

mod broken;
mod corpus;
mod hard;
mod lookup;
mod samples;
mod snapshots;
