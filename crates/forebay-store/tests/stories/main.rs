//! Stories every engine must tell alike, and what only the SQLite file promises.

#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod adopting;
mod engine;
mod files;
mod finding;
mod forgetting;
mod importing;
mod keeping;
mod noting;
mod projects;
mod remembering;
mod sources;
mod sqlite_file;
mod tokens;
