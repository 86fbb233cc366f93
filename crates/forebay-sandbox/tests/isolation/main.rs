//! Isolation and limits, tried with real processes on a stage with a home folder of its own.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod limits;
mod project;
mod stage;
mod strict;
