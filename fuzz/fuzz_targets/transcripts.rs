//! Parsing any line as a line of any host's transcript never panics.
#![no_main]

use forebay_platforms::transcripts::{detect_format, formats};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let mut items = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let _ = detect_format(line);
        for (_, format) in formats() {
            let _ = (format.parse_line)(line, &mut items);
        }
    }
});
