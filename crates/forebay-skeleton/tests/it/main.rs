//! Integration tests of the public API.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test says what is wrong by failing, a measurement by printing"
)]

mod corpus;
mod lookup;
mod robustness;
mod samples;
mod snapshots;
mod syntax_errors;
