//! Renders answers within a token budget: frames, excerpts, lists.

pub(crate) mod budgeted;
pub(crate) mod describe;
pub(crate) mod difference;
pub(crate) mod frame;
pub(crate) mod outside;
pub(crate) mod window;
