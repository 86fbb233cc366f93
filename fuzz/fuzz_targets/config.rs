//! A value set in any settings file leaves a file in which the value can be set again to the same text.
#![no_main]

use forebay::fuzzing::set_config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (text, value) = input;
    for key in ["digest.budget", "isolation.deny", "team.project", "store.redact"] {
        let Some(changed) = set_config(text, key, value) else { continue };
        assert_eq!(set_config(&changed, key, value).as_ref(), Some(&changed));
    }
});
