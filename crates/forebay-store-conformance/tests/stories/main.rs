//! Stories every engine must tell alike, and what only the SQLite file or the PostgreSQL server promises.

#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod adopting;
mod embedding;
mod engine;
mod files;
mod finding;
mod forgetting;
mod holding;
mod importing;
mod keeping;
mod noting;
mod postgres_server;
mod projects;
mod remembering;
mod sources;
mod sqlite_file;
mod sqlite_held;
mod sqlite_joined;
mod stemming;
mod tokens;
