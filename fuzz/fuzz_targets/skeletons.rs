//! The skeleton of any text in any language ends and is deterministic.
#![no_main]

use forebay_skeleton::{SkeletonOptions, languages, skeleton};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (choice, source) = input;
    let language = &languages()[usize::from(choice) % languages().len()];
    let made = skeleton(source, Some(language), SkeletonOptions::default());
    assert_eq!(made.text, skeleton(source, Some(language), SkeletonOptions::default()).text);
});
