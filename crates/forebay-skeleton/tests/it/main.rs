//! Integration tests of the public API.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking, and measurements print"
)]

mod corpus;
mod lookup;
mod robustness;
mod samples;
mod snapshots;
mod syntax_errors;
