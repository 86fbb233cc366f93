//! What Forebay does: its tools, and how they answer.
//!
//! A door hands in a tool's name and input and gets an [`Answer`] or an [`AppError`]; how either
//! travels is the door's business. Everything here is synchronous.

pub mod agents;
mod answer;
mod app;
mod call;
mod chunking;
mod converting;
mod decoding;
mod editing;
mod embedder;
mod error;
mod files;
pub mod files_at_work;
pub mod finding;
mod guide;
mod holding;
pub mod hooks;
pub mod importing;
mod indexing;
pub mod jobs;
pub mod jsonl;
mod keeping;
mod meaning;
pub mod overview;
mod places;
mod powers;
mod ranking;
mod reading;
pub mod recognizers;
mod redaction;
mod render;
mod repository;
pub mod rules;
pub mod running;
pub mod settings;
mod skeletons;
mod source_file;
pub mod sources;
mod stale;
mod stores;
pub mod team;
mod threads;
pub mod tokens;
pub mod tools;
mod walking;

pub use answer::{Answer, Cost};
pub use app::{App, Setup};
pub use call::{Call, Reply};
pub use error::{AppError, ErrorKind};
pub use powers::{Power, Powers};
pub use settings::Settings;
