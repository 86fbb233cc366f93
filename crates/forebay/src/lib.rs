//! Forebay keeps raw tool output out of an AI coding agent's context window.
//!
//! The command line ([`cli`]), hooks ([`doors::hook`]), MCP ([`doors::mcp`]) and HTTP ([`doors::http`]) each decode a
//! request for `forebay-app` and encode its answer. [`config`] collects their settings. The binary only calls [`main`];
//! this is a library so that fuzz targets reach what decodes a stranger's bytes ([`fuzzing`]).

#![allow(
    rustdoc::broken_intra_doc_links,
    rustdoc::private_intra_doc_links,
    reason = "help texts show references: [ctx:...]; the modules are private to other crates"
)]

mod cli;
mod config;
mod doors;
#[doc(hidden)]
pub mod fuzzing;
mod log;
mod rate_limit;

use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    cli::main()
}
