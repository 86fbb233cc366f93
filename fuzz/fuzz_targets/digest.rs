//! A digest of any bytes stays within its budget and does not depend on how the bytes are split.
#![no_main]

use forebay_digest::{Budget, Digester, Hint, digest};
use forebay_domain::tokens;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, u16, bool, &[u8])| {
    let (tokens_allowed, split, failed, raw) = input;
    let budget = Budget::exactly(u64::from(tokens_allowed % 700));
    let hint = Hint { command: Some("make"), failed, ..Hint::default() };
    let expected = digest(raw, hint, Some("error parser"), budget);
    assert!(tokens::estimate(&expected.text) <= budget.digest.max(budget.verbatim));
    assert!(!expected.text.contains(['\r', '\x1b']));

    let (first, second) = raw.split_at(usize::from(split) % (raw.len() + 1));
    let mut digester = Digester::new(hint, Some("error parser"), budget);
    digester.push(first);
    digester.push(second);
    assert_eq!(digester.finish(), expected);
});
