//! Rewrites of a source text that keep all offsets.

use std::ops::Range;

/// Overwrites ranges of a text, padding shorter replacements with spaces; returns `None` if there are no edits.
pub(super) fn overwrite<T: AsRef<str>>(
    source: &str,
    edits: impl IntoIterator<Item = (Range<usize>, T)>,
) -> Option<String> {
    let mut copy: Option<String> = None;
    for (range, text) in edits {
        let text = text.as_ref();
        let blanks = " ".repeat(range.len() - text.len());
        copy.get_or_insert_with(|| source.to_owned())
            .replace_range(range, &format!("{text}{blanks}"));
    }
    copy
}

/// Returns the offset of the bracket that closes the one at the start of the text.
pub(super) fn matching_bracket(text: &str, [open, close]: [u8; 2]) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        depth += i32::from(byte == open) - i32::from(byte == close);
        depth == 0
    })
}
