//! Counts identifiers without parsing, skipping comments and strings.
//!
//! A tree knows exactly which words are identifiers, but a map needs millions of them, and a few words of patterns or
//! macros do not change its ranking. So the text is scanned once: `cargo xtask bench --only skeleton`.

use std::collections::HashMap;

use crate::language::Language;

/// Shorter identifiers are too ambiguous.
const MIN_BYTES: usize = 3;
/// Longer words are not identifiers.
const MAX_BYTES: usize = 100;

/// Returns each identifier with its count, sorted.
pub(super) fn count_identifiers(source: &str, language: &Language) -> Vec<(String, u32)> {
    let comment = language.spec.comment_syntax.comment.0.trim_end();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for line in source.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with(comment) || trimmed.starts_with("* ") || trimmed.starts_with("/*") {
            continue;
        }
        for_each_identifier(line, comment, |word| *counts.entry(word).or_default() += 1);
    }
    let mut sorted: Vec<(String, u32)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    sorted.sort_unstable();
    sorted
}

/// Visits the identifiers of a line outside of double quotes, up to a comment.
fn for_each_identifier<'a>(line: &'a str, comment: &str, mut visit: impl FnMut(&'a str)) {
    let bytes = line.as_bytes();
    let first = comment.as_bytes().first().copied();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if is_identifier_byte(byte) {
            let start = at;
            while at < bytes.len() && is_identifier_byte(bytes[at]) {
                at += 1;
            }
            let is_name = !byte.is_ascii_digit() && (MIN_BYTES..=MAX_BYTES).contains(&(at - start));
            if is_name {
                visit(&line[start..at]);
            }
        } else if byte == b'"' {
            at = string_end(bytes, at);
        } else if Some(byte) == first && bytes[at..].starts_with(comment.as_bytes()) {
            return;
        } else {
            at += 1;
        }
    }
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Returns the offset after the closing quote, or after the opening one if there is none.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    open + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn skips_comments_and_strings() {
        let rust = crate::language_by_name("Rust").unwrap();
        let text = "// ignored\nlet total = count(items, \"quoted \\\" text\") + count; // remark\nlet x = 12abc;\n/// docs\n";
        let names = count_identifiers(text, rust);
        let shown: Vec<String> =
            names.iter().map(|(name, count)| format!("{name} {count}")).collect();
        assert_eq!(shown, ["count 2", "items 1", "let 2", "total 1"]);
    }

    proptest! {
        #[test]
        fn accepts_any_text(text in "[a-zé\"'\\\\/#* \n]{0,80}") {
            for language in crate::languages() {
                count_identifiers(&text, language);
            }
        }
    }
}
