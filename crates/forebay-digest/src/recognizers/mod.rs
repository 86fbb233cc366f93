//! One file a format: each knows what of its format a later step will need.
//!
//! `generic` is the one for formats that nobody knows better.

pub(crate) mod generic;
