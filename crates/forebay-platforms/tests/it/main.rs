//! Tests of the hosts' tables: recorded payloads, settings edits and properties.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod callers;
mod capabilities;
mod plugin;
mod robustness;
mod samples;
mod settings;
mod transcripts;
