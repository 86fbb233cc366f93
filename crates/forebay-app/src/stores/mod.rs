//! Which stores a call may use, and how they are opened and read.
//!
//! - `registry`: the stores of this project, this user and others, opened once and shared;
//! - `backend`: database files on disk, or a PostgreSQL server;
//! - `deep_check`: reads every entry, and saves what is whole of a damaged store;
//! - `summary`: what is stored, told without opening a store;
//! - `line_reader`: stored text line by line, in bounded memory.

pub(crate) mod backend;
pub(crate) mod deep_check;
pub(crate) mod line_reader;
pub(crate) mod registry;
pub(crate) mod summary;
