//! The hosts' dialects, held by recorded payloads, by tables of edits and by properties.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod abilities;
mod callers;
mod foreign_bytes;
mod plugin;
mod samples;
mod settings;
mod transcripts;
