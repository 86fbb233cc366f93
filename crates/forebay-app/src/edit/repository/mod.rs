//! The files of a project, what they define and use, and how they hang together.

mod dependencies;
mod names;
mod walk;

pub(crate) use dependencies::Dependencies;
pub(crate) use names::names;
pub(crate) use walk::{Found, walk};
