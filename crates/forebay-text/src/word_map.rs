//! Hash maps keyed by words.

use std::collections::HashMap;

use foldhash::fast::RandomState;

pub type WordMap<Value> = HashMap<Box<str>, Value, RandomState>;
