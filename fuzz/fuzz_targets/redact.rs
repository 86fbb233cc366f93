//! Any bytes: never a panic, lines kept, the same however the bytes are split.
#![no_main]

use forebay_redact::Redactor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &[u8])| {
    let (split, raw) = input;
    let known = Redactor::with_values([("DEPLOY_TOKEN", "correct-horse-9")]);
    let (whole, redactions) = known.redact(raw);
    assert_eq!(lines(&whole), lines(raw));
    if redactions.is_empty() {
        assert_eq!(whole, raw);
    }

    let (first, second) = raw.split_at(usize::from(split) % (raw.len() + 1));
    let mut redactor = known.fresh();
    let mut clean = Vec::new();
    redactor.push(first, &mut |piece| clean.extend_from_slice(piece));
    redactor.push(second, &mut |piece| clean.extend_from_slice(piece));
    assert_eq!(redactor.finish(&mut |piece| clean.extend_from_slice(piece)), redactions);
    assert_eq!(whole, clean);
});

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
