//! Text: cutting, counting and chunking without breaking a character.

pub mod chunk;
pub mod code;
pub mod cut;
pub mod excerpt;
pub mod inner;
pub mod line_range;
pub mod number;
pub mod quote;
pub mod runs;
pub mod short;
pub mod spelling;
pub mod stem;
pub mod words;

/// The lines of a text with the offset of each; line ends belong to their line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        let line = (start, &rest[..length]);
        start += length;
        Some(line)
    })
}
