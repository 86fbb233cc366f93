//! Lines of any bytes have features, which any trees that parse can score.
#![no_main]

use forebay_digest::training::{FEATURES, Model, candidates};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8])| {
    let (model, raw) = input;
    let lines = candidates(raw);
    assert!(lines.iter().all(|line| !line.text.is_empty()));
    assert!(lines.len() <= raw.len());
    if let Ok(model) = Model::parse(model, FEATURES) {
        for line in &lines {
            model.score(&line.features);
        }
    }
});
