//! Setup steps added to any settings file can be removed again byte for byte.
#![no_main]

use forebay_platforms::PLATFORMS;
use forebay_platforms::setup::{self, Level};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for platform in PLATFORMS {
        for step in setup::steps(platform, Level::User) {
            let had_no_entry = step.remove(text).is_ok_and(|removed| removed == text);
            let Ok(added) = step.add(text, "/usr/bin/forebay") else { continue };
            assert_eq!(step.add(&added, "/usr/bin/forebay").as_ref(), Ok(&added));
            let removed = step.remove(&added).unwrap();
            assert!(!had_no_entry || removed == text || is_blank(text));
        }
    }
});

/// Returns true for a file without content, which goes with its last entry.
fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}
