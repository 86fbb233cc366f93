//! Hash collections of std with one fast hasher, which gives the same hashes on every machine.
//!
//! The hasher does not resist chosen keys; every collection here is bounded instead.

use foldhash::fast::FixedState;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;
pub(crate) type HashSet<T> = std::collections::HashSet<T, FixedState>;
