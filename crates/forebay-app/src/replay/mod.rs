//! Replays past sessions through today's decisions.

pub mod discover;
