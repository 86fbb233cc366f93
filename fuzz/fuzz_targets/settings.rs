//! Any text as a settings file: what is added to it is taken back byte for byte.
#![no_main]

use forebay_platforms::PLATFORMS;
use forebay_platforms::setup::{self, Level};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for platform in PLATFORMS {
        for step in setup::steps(platform, Level::User) {
            let had_nothing = step.remove(text).is_ok_and(|removed| removed == text);
            let Ok(added) = step.add(text, "/usr/bin/forebay") else { continue };
            assert_eq!(step.add(&added, "/usr/bin/forebay").as_ref(), Ok(&added));
            let removed = step.remove(&added).unwrap();
            assert!(!had_nothing || removed == text || text.trim().is_empty());
        }
    }
});
