//! Forebay's use cases: the tools, the hooks, and the text of their answers.
//!
//! A front end (CLI, MCP, HTTP, hook) passes a tool's name and input and gets an [`Answer`] or an
//! [`AppError`]; encoding either for a protocol is the front end's job. Everything here is synchronous.
//!
//! - `app`: [`App`], the context of all calls, and [`App::call`]; `call`: a call in progress;
//! - [`tools`]: one module per tool, and their registry; `input` parses their input;
//! - [`hooks`]: answers to a host's hook calls; `call_log` lists them with the time that each took;
//! - [`guide`]: what a model gets back after compaction;
//! - [`run`]: a command, from the permission check to the answer; background jobs;
//! - [`ingest`]: getting text into a store: redaction, chunking, embedding, indexing, imports;
//! - [`search`]: from a query to its hits;
//! - `edit`: what the file tools share;
//! - [`rules`]: the permission rules in force, and what they say about a call;
//! - [`agents`]: setting up the hosts on this machine; [`team`]: exchange between stores, and access tokens;
//! - `stores`: which stores a call may use; `stores::backend` is the only place that opens one;
//! - `render`, `answer`, `error`: the text of answers and errors, within a budget;
//! - [`bounds`]: the limits of requests, in one table;
//! - [`settings`]: types and defaults; `capabilities`: what callers may use of this machine;
//! - [`prompts`], [`resources`]: what a person asks for by name, and what a host lists and watches;
//! - [`dashboard`]: what the dashboard shows, page by page;
//! - [`replay`]: estimates savings on past conversations;
//! - [`wrap`]: the calls of another MCP server, and what their results become;
//! - [`upgrade`]: replaces the executable with another release.

pub mod agents;
mod answer;
mod app;
pub mod bounds;
mod call;
mod call_log;
mod capabilities;
pub mod dashboard;
pub mod digest_samples;
mod earlier_runs;
mod edit;
mod error;
pub mod guide;
pub mod hooks;
mod inferred_intent;
pub mod ingest;
mod input;
pub mod ledger;
mod next_call;
mod own_calls;
mod parallel;
pub mod prompts;
mod random;
mod render;
pub mod replay;
pub mod resources;
pub mod rules;
pub mod run;
pub mod search;
pub mod settings;
mod stores;
pub mod team;
pub mod tools;
pub mod upgrade;
pub mod wrap;

pub use answer::{Answer, Cost};
pub use app::{App, Clock, Setup};
pub use call::{Call, Progress, Reply};
pub use capabilities::{Capabilities, Capability};
pub use edit::source_file::replace_file;
pub use edit::working_set;
pub use error::{AppError, ErrorKind};
pub use forebay_store::set_busy_timeout;
pub use forebay_store_postgres::MAX_CONNECTIONS;
pub use next_call::FrontEnd;
pub use random::random_bytes;
pub use settings::Settings;
pub use stores::deep_check::Salvaged;
pub use stores::summary::{Stored, stored};
