//! Real processes, run and watched.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test says what is wrong by failing")]

mod code;
mod ending;
mod gate;
mod input;
mod output;
#[cfg(target_os = "linux")]
mod processes;
mod stage;
mod starting;
