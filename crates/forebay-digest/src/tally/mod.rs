//! Counting in bounded memory: how often each value stands there, the range of numbers, counts in prose.

pub(crate) mod count;
mod range;
mod tops;

pub(crate) use range::Range;
pub(crate) use tops::Tops;
