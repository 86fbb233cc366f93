//! Replays past conversations with the current settings.

pub mod discover;
