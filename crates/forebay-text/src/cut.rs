//! Truncation at a byte length, never inside a character.

use std::borrow::Cow;

/// The longest prefix of at most `bytes` bytes that ends between two characters.
pub fn prefix(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// A text of at most `bytes` bytes; a cut shows as `…`, and nothing is left where that has no room.
pub fn marked(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes {
        return Cow::Borrowed(text);
    }
    let Some(room) = bytes.checked_sub('…'.len_utf8()) else { return Cow::Borrowed("") };
    let head = prefix(text, room).trim_end();
    Cow::Owned(format!("{head}…"))
}

/// The longest suffix of at most `bytes` bytes that starts between two characters.
pub fn suffix(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

/// The first non-blank line, truncated to `bytes` bytes; a cut shows as `…`.
pub fn one_line(text: &str, bytes: usize) -> String {
    line(text, bytes).into_owned()
}

/// Like [`one_line`], without a copy where the text already is such a line.
pub fn into_one_line(text: String, bytes: usize) -> String {
    let cut = match line(&text, bytes) {
        Cow::Borrowed(line) if line.len() == text.len() => None,
        cut => Some(cut.into_owned()),
    };
    cut.unwrap_or(text)
}

/// Like [`one_line`], borrowed where nothing was cut.
pub fn line(text: &str, bytes: usize) -> Cow<'_, str> {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    marked(line, bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_line_takes_the_first_non_blank_line() {
        assert_eq!(one_line("\n\n  cargo test  \nmore", 40), "cargo test");
        assert_eq!(one_line("a rather long command", 10), "a rathe…");
        assert_eq!(one_line("äöüäöü", 7), "äö…");
    }

    proptest! {
        #[test]
        fn truncation_respects_the_limit(text: String, bytes in 0_usize..80) {
            prop_assert!(prefix(&text, bytes).len() <= bytes);
            prop_assert!(suffix(&text, bytes).len() <= bytes);
            prop_assert!(text.starts_with(prefix(&text, bytes)));
            prop_assert!(text.ends_with(suffix(&text, bytes)));
            prop_assert!(one_line(&text, bytes).len() <= bytes);
            prop_assert!(marked(&text, bytes).len() <= bytes);
            let has_room = bytes >= '…'.len_utf8();
            let ends_marked = (text.len() > bytes && has_room) || (text.len() <= bytes && text.ends_with('…'));
            prop_assert_eq!(marked(&text, bytes).ends_with('…'), ends_marked);
            prop_assert_eq!(into_one_line(text.clone(), bytes), one_line(&text, bytes));
        }
    }
}
