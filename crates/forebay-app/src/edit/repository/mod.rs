//! The files of a project, the symbols they define and use, and their dependencies.

mod dependencies;
mod names;
mod walk;

pub(crate) use dependencies::Dependencies;
pub(crate) use names::names;
pub(crate) use walk::{WalkedFile, walk};
