//! Isolation and limits, tested with real processes in a separate home directory.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fixture;
mod frozen;
mod limits;
mod other_processes;
mod project;
mod sockets;
mod strict;
mod system_calls;
