//! Forebay keeps raw tool output out of an AI coding agent's context window.
//!
//! The command line ([`cli`]), hooks ([`doors::hook`]), MCP ([`doors::mcp`]) and HTTP ([`doors::http`]) each decode a
//! request for `forebay-app` and encode its answer. [`config`] collects their settings.

#![allow(rustdoc::broken_intra_doc_links, reason = "help texts show references: [ctx:...]")]

mod cli;
mod config;
mod doors;
mod log;
mod rate_limit;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
