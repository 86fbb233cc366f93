//! Any line of an MCP client is passed on, ignored, or refused with a short error under its own id.
#![no_main]

use forebay::fuzzing::classify_line;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// A refusal echoes only the beginning of what was sent.
const MAX_REFUSAL_BYTES: usize = 4_096;

fuzz_target!(|input: (u16, &[u8])| {
    let (split, line) = input;
    let Some(refusal) = classify_line(line, usize::from(split)) else { return };
    assert!(refusal["error"]["code"].is_i64());
    assert!(refusal.to_string().len() <= MAX_REFUSAL_BYTES, "{} bytes", refusal.to_string().len());
    let sent: Value = serde_json::from_slice(line).unwrap_or_default();
    if let (Some(answered), Some(asked)) = (refusal.get("id"), sent.get("id")) {
        let is_same =
            answered == asked || answered.is_number() && answered.as_f64() == asked.as_f64();
        assert!(answered.is_null() || is_same, "{answered} answers {asked}");
    }
});
