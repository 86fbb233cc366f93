//! Forebay's use cases: the tools, the hooks, and the text of their answers.
//!
//! A front end (CLI, MCP, HTTP, hook) passes a tool's name and input and gets an [`Answer`] or an
//! [`AppError`]; encoding either for a protocol is the front end's job. Everything here is synchronous.

pub mod agents;
mod answer;
mod app;
mod call;
mod capabilities;
mod edit;
mod error;
pub mod guide;
pub mod hooks;
pub mod ingest;
mod input;
mod parallel;
mod render;
pub mod replay;
pub mod rules;
pub mod run;
pub mod search;
pub mod settings;
mod stores;
pub mod team;
pub mod tools;

pub use answer::{Answer, Cost};
pub use app::{App, Clock, Setup};
pub use call::{Call, Reply};
pub use capabilities::{Capabilities, Capability};
pub use edit::working_set;
pub use error::{AppError, ErrorKind};
pub use forebay_store::set_busy_timeout;
pub use forebay_store_postgres::MAX_CONNECTIONS;
pub use settings::Settings;
