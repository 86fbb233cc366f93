//! A custom recognizer with any patterns is rejected, or its digests are within budget and deterministic.
#![no_main]

use forebay_digest::{Budget, CountDefinition, CustomRecognizers, Definition, Hint, digest};
use forebay_domain::tokens;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (String, String, String, u16, &[u8])| {
    let (keep, drop, counted, tokens_allowed, raw) = input;
    let definition = Definition {
        name: "any".to_owned(),
        first_lines: vec![".".to_owned()],
        keep: vec![keep],
        drop: vec![drop],
        counts: vec![CountDefinition { label: "counted".to_owned(), pattern: counted }],
        ..Definition::default()
    };
    let Ok(recognizers) = CustomRecognizers::new([definition]) else { return };
    let budget = Budget::exactly(u64::from(tokens_allowed % 700));
    let hint = Hint { recognizers: Some(&recognizers), ..Hint::default() };
    let shown = digest(raw, hint, None, budget);
    assert!(tokens::estimate(&shown.text) <= budget.digest);
    assert_eq!(digest(raw, hint, None, budget), shown);
    recognizers.check("any", raw, &[], budget.digest);
});
