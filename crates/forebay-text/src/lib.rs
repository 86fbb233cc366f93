//! Text algorithms that know no domain type.
//!
//! - [`cut`], [`excerpt`]: truncation, shared substrings;
//! - [`tokenize`], [`subwords`], [`stem`]: from a text to index terms;
//! - [`words`]: the words of a query; [`spelling`]: edit distance;
//! - [`mod@chunk`]: splits a text into searchable parts along its structure;
//! - [`vector`]: quantized vectors, compared with SIMD;
//! - [`trees`]: decision trees over integer features;
//! - [`code`]: heuristics for source code;
//! - [`line_range`], [`number`], [`shell_quote`]: small notations for people and shells;
//! - [`invisible`]: characters that are not seen, as escapes;
//! - [`packed_word`], [`word_map`], [`prefetch`]: fast lookup of words.

pub mod chunk;
pub mod code;
pub mod cut;
pub mod excerpt;
pub mod invisible;
pub mod line_range;
pub mod number;
pub mod packed_word;
pub mod prefetch;
pub mod shell_quote;
pub mod spelling;
pub mod stem;
pub mod subwords;
pub mod tokenize;
pub mod trees;
pub mod vector;
pub mod word_map;
pub mod words;

/// A line without the blanks around it, as [`str::trim`] gives it; few lines begin or end with other characters than
/// those of ASCII, and these are looked at as bytes.
pub(crate) fn trim(line: &str) -> &str {
    let trimmed = line.trim_ascii();
    let may_be_blank =
        |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii() || *byte < b' ');
    let bytes = trimmed.as_bytes();
    if may_be_blank(bytes.first()) || may_be_blank(bytes.last()) { trimmed.trim() } else { trimmed }
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_trimmed_as_the_library_does(line in "[ \\t\\r\\n\u{b}\u{c}\u{1c}\u{85}\u{a0}\u{2003}aé]{0,8}") {
            prop_assert_eq!(super::trim(&line), line.trim());
        }
    }
}
