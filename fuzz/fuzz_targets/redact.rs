//! Redaction of any bytes keeps the line count and does not depend on how the bytes are split.
#![no_main]

use forebay_redact::Redactor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &[u8])| {
    let (split, raw) = input;
    let template = Redactor::with_values([("DEPLOY_TOKEN", "correct-horse-9")]);
    let (expected, redactions) = template.redact(raw);
    assert_eq!(lines(&expected), lines(raw));
    if redactions.is_empty() {
        assert_eq!(expected, raw);
    }

    let (first, second) = raw.split_at(usize::from(split) % (raw.len() + 1));
    let mut redactor = template.fresh();
    let mut redacted = Vec::new();
    redactor.push(first, &mut |piece| redacted.extend_from_slice(piece));
    redactor.push(second, &mut |piece| redacted.extend_from_slice(piece));
    assert_eq!(redactor.finish(&mut |piece| redacted.extend_from_slice(piece)), redactions);
    assert_eq!(expected, redacted);
});

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
