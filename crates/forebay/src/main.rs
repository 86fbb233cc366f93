//! Forebay keeps raw tool output out of an AI coding agent's context window.
//!
//! Three doors lead in: the command line ([`cli`]), hooks ([`doors::hook`]) and MCP ([`doors::mcp`]), each decoding a
//! request for `forebay-app` and encoding its answer. [`config`] collects the settings they share.

#![allow(rustdoc::broken_intra_doc_links, reason = "help texts show references: [ctx:...]")]

mod cli;
mod config;
mod doors;
mod log;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
