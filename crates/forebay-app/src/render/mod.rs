//! How answers are written: frames, windows, lists; always within a budget.

pub(crate) mod budgeted;
pub(crate) mod describe;
pub(crate) mod frame;
pub(crate) mod window;
