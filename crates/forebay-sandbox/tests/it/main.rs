//! Runs real processes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod code;
mod ending;
mod fixture;
mod input;
mod output;
#[cfg(target_os = "linux")]
mod processes;
mod start_latch;
mod starting;
