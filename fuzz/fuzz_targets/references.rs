//! Parsed references, line ranges and spans survive a round trip.
#![no_main]

use forebay_domain::{Reference, Spans};
use forebay_text::line_range::LineRange;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (text, bytes) = input;
    if let Ok(reference) = Reference::parse(text) {
        assert_eq!(Reference::parse(&reference.to_string()), Ok(reference));
    }
    if let Ok(range) = text.parse::<LineRange>()
        && let Some((first, last)) = range.within(1_000)
    {
        assert!(1 <= first && first <= last && last <= 1_000);
    }
    let spans = Spans::from_bytes(bytes);
    assert_eq!(Spans::from_bytes(&spans.to_bytes()), spans);
});
