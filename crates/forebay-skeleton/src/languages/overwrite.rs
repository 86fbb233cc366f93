//! Copies of a text that a grammar reads where it does not read the text itself.

use std::ops::Range;

/// A copy with other text in some places; what is shorter than its place is followed by blanks, so that all else
/// stays where it is. None where nothing is to be changed.
pub(super) fn respelled<T: AsRef<str>>(
    source: &str,
    changes: impl IntoIterator<Item = (Range<usize>, T)>,
) -> Option<String> {
    let mut copy: Option<String> = None;
    for (range, text) in changes {
        let text = text.as_ref();
        let blanks = " ".repeat(range.len() - text.len());
        copy.get_or_insert_with(|| source.to_owned())
            .replace_range(range, &format!("{text}{blanks}"));
    }
    copy
}

/// Where the bracket is closed that a text begins with.
pub(super) fn closing(text: &str, [open, close]: [u8; 2]) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        depth += i32::from(byte == open) - i32::from(byte == close);
        depth == 0
    })
}
