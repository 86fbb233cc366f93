//! What Forebay does: its tools, and how they answer.
//!
//! A door hands in a tool's name and input and gets an [`Answer`] or an [`AppError`]; how either
//! travels is the door's business. Everything here is synchronous.

pub mod agents;
mod answer;
mod app;
mod call;
mod error;
mod files;
mod guide;
mod holding;
pub mod hooks;
pub mod importing;
mod indexing;
pub mod jobs;
pub mod jsonl;
mod meaning;
mod places;
mod ranking;
mod reading;
mod redaction;
mod render;
pub mod rules;
pub mod running;
pub mod settings;
pub mod tools;

pub use answer::{Answer, Cost};
pub use app::{App, Setup};
pub use call::{Call, Reply};
pub use error::{AppError, ErrorKind};
pub use settings::Settings;
