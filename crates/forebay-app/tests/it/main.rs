//! Behaviour of the tools at the level of [`forebay_app::App`], without a front end.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod env;
mod execute;
mod files;
mod history;
mod notes;
mod search;
mod tools;
mod working_set;
