//! Conformance tests: behaviour common to all store engines, and guarantees of each.
//!
//! Tests on PostgreSQL need a server in `FOREBAY_TEST_POSTGRES`; see `engine`.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]

mod command_runs;
mod embeddings;
mod engine;
mod entries;
mod events;
mod imports;
mod ledger;
mod model_requests;
mod notes;
mod postgres_index_cache;
mod postgres_server;
mod projects;
mod purge;
mod replication;
mod search;
mod sources;
mod sqlite_damage;
mod sqlite_file;
mod sqlite_group_commit;
mod sqlite_hit_cache;
mod sqlite_replaced;
mod sqlite_upgrade;
mod stemmer;
mod tokens;
mod usage;
mod working_set;
