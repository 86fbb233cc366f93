//! Chunking: splits texts into chunks of a searchable size, along their structure.
//!
//! [`Chunker`] splits a stream of bytes. [`chunks`] splits a whole text: its [`Format`] lists where the text may be cut
//! (one file each, a list of [`Cut`]s), and `pack` merges and splits what lies between to the target size. For every
//! format, the chunks concatenated are the text, none exceeds [`MAX_BYTES`], and each knows its lines.

mod csv;
mod format;
mod identity;
mod json;
mod json_lines;
mod log;
mod markdown;
mod pack;
mod pages;
mod plain;
mod yaml;

pub use self::format::Format;
pub use self::pack::{Cut, Piece, SOFT, TITLE_SEPARATOR, pack};
pub use self::plain::Chunker;
use super::lines;

/// Size at which a chunk is closed at the next line.
pub const TARGET_BYTES: usize = 1_600;
/// Maximum size of a chunk.
pub const MAX_BYTES: usize = 4_000;

/// A chunk of a stream: its position and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Offset of its first byte.
    pub start: u64,
    /// First and last line, counted from 1.
    pub lines: (u64, u64),
    pub bytes: Vec<u8>,
}

/// The chunks of a whole text, each titled by its position in the structure.
pub fn chunks(text: &str, format: Format) -> Vec<Piece> {
    match format {
        Format::Markdown => pack(text, markdown::cuts(text)),
        Format::Json => pack(text, json::cuts(text)),
        Format::JsonLines => pack(text, json_lines::cuts(text)),
        Format::Yaml => pack(text, yaml::cuts(text)),
        Format::Csv => csv::chunks(text),
        Format::Log => log::chunks(text),
        Format::Pages => pack(text, pages::cuts(text)),
        Format::Plain => pack(text, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Nothing of the text is lost, moved or too large.
    fn holds(text: &str, format: Format) -> Result<(), TestCaseError> {
        let mut end = 0;
        let mut line = 1;
        for piece in chunks(text, format) {
            let body = &text[piece.start..piece.end];
            prop_assert_eq!(piece.start, end, "{:?}", format);
            prop_assert!(!body.is_empty() && body.len() <= MAX_BYTES, "{:?}", format);
            prop_assert_eq!(piece.lines.0, line, "{:?}", format);
            let newlines = body.matches('\n').count() as u64;
            let last = line + newlines - u64::from(body.ends_with('\n'));
            prop_assert_eq!(piece.lines.1, last, "{:?}", format);
            prop_assert!(piece.title.len() <= 200, "{:?}", format);
            line += newlines;
            end = piece.end;
        }
        prop_assert_eq!(end, text.len(), "{:?}", format);
        Ok(())
    }

    /// Lines of every format, in any order.
    fn structured() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "[a-zä ]{0,120}",
            "#{1,7} [a-z]{0,10}",
            "(```|~~~|---|===|\\|a\\|b\\|)",
            " {0,6}(- )?[a-z\"]{1,5}: [|>\\[{\"a-z]{0,3}",
            "[{}\\[\\]\",:a-z0-9\\\\ ]{0,60}",
            "\\{\"id\": ?[0-9]{1,3}, \"name\": \"[a-z\\\\]{0,9}\"\\}",
            "2026-08-0[1-9]T0[0-9]:[0-5][0-9]:00Z (INFO|ERROR) [a-z ]{0,80}",
            "[a-z\",]{0,40}",
            "\u{c}[a-z]{0,9}",
        ];
        let repeated =
            (line, 1..200_usize).prop_map(|(line, times)| format!("{line}\n").repeat(times));
        prop::collection::vec(repeated, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn chunks_concatenate_to_the_text(text in structured(), cut in 0..usize::MAX) {
            let end = text.floor_char_boundary(cut % (text.len() + 1));
            for format in Format::ALL {
                holds(&text, format)?;
                holds(&text[..end], format)?;
            }
        }

        #[test]
        fn accepts_any_text(text in any::<String>()) {
            for format in Format::ALL {
                holds(&text, format)?;
            }
        }
    }
}
