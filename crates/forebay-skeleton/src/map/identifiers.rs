//! The names in a text, told by a glance: what stands in comments and quotes does not count.
//!
//! A tree knows exactly which words are names. A map asks for a million of them, and whether a word
//! in a pattern or a macro is one makes no difference to it; so the text is read once, as it is.

use std::collections::HashMap;

use crate::language::Language;

/// A shorter name says nothing about who is meant.
const SHORTEST: usize = 3;
/// A longer word is no name.
const LONGEST: usize = 100;

/// Each name with how often it stands there, in order of names.
pub(super) fn names(source: &str, language: &Language) -> Vec<(String, u32)> {
    let comment = language.table.notation.remark.0.trim_end();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for line in source.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with(comment) || trimmed.starts_with("* ") || trimmed.starts_with("/*") {
            continue;
        }
        each_word(line, comment, |word| *counts.entry(word).or_default() += 1);
    }
    let mut names: Vec<(String, u32)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    names.sort_unstable();
    names
}

/// The words of a line outside of double quotes, up to a comment.
fn each_word<'a>(line: &'a str, comment: &str, mut take: impl FnMut(&'a str)) {
    let bytes = line.as_bytes();
    let mark = comment.as_bytes().first().copied();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if is_part(byte) {
            let start = at;
            while at < bytes.len() && is_part(bytes[at]) {
                at += 1;
            }
            let is_name = !byte.is_ascii_digit() && (SHORTEST..=LONGEST).contains(&(at - start));
            if is_name {
                take(&line[start..at]);
            }
        } else if byte == b'"' {
            at = after_quote(bytes, at);
        } else if Some(byte) == mark && bytes[at..].starts_with(comment.as_bytes()) {
            return;
        } else {
            at += 1;
        }
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Behind the quote that closes this one; where none does, only the quote itself is passed.
fn after_quote(bytes: &[u8], open: usize) -> usize {
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
    fn names_are_counted_and_comments_and_quotes_are_not() {
        let rust = crate::language_named("Rust").unwrap();
        let text = "// ignored\nlet total = count(items, \"quoted \\\" text\") + count; // remark\nlet x = 12abc;\n/// docs\n";
        let names = names(text, rust);
        let shown: Vec<String> =
            names.iter().map(|(name, count)| format!("{name} {count}")).collect();
        assert_eq!(shown, ["count 2", "items 1", "let 2", "total 1"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[a-zé\"'\\\\/#* \n]{0,80}") {
            for language in crate::languages() {
                names(&text, language);
            }
        }
    }
}
