//! Any text is a query, with at most as many words as asked for.
#![no_main]

use forebay_domain::{Query, Timestamp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, i64)| {
    let (text, now) = input;
    let query = Query::parse(text, Timestamp(now));
    assert!(query.words(20).len() <= 20);
});
