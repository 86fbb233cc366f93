//! Chunking: texts cut into passages of a searchable size, by what they are.
//!
//! [`Chunker`] takes any bytes while they stream. [`passages`] takes a text that is at hand whole: its
//! [`Format`] finds where the text may be cut (one file each, a list of [`Cut`]s), and `pack` joins and
//! splits what lies between the cuts to the wanted size. Whatever the format, passages joined are the
//! text again, none exceeds [`MAX_BYTES`], and each tells its lines.

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
pub use self::pack::{Cut, Piece, SOFT, STEP, pack};
pub use self::plain::Chunker;
use super::lines;

/// The size a passage grows to before it is closed at the next line.
pub const TARGET_BYTES: usize = 1_600;
/// The size no passage exceeds, whatever its lines look like.
pub const MAX_BYTES: usize = 4_000;

/// A passage: where it stands in the text, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Offset of its first byte.
    pub start: u64,
    /// First and last line, counted from 1.
    pub lines: (u64, u64),
    pub bytes: Vec<u8>,
}

/// The passages of a whole text; each has the title that its place in the text gives it.
pub fn passages(text: &str, format: Format) -> Vec<Piece> {
    match format {
        Format::Markdown => pack(text, markdown::cuts(text)),
        Format::Json => pack(text, json::cuts(text)),
        Format::JsonLines => pack(text, json_lines::cuts(text)),
        Format::Yaml => pack(text, yaml::cuts(text)),
        Format::Csv => csv::passages(text),
        Format::Log => log::passages(text),
        Format::Pages => pack(text, pages::cuts(text)),
        Format::Plain => pack(text, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whatever a format makes of a text, nothing of it is lost, moved or too large.
    fn holds(text: &str, format: Format) -> Result<(), TestCaseError> {
        let mut end = 0;
        let mut line = 1;
        for piece in passages(text, format) {
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

    /// Lines as each format has them, in any order.
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
        fn joined_passages_are_the_text(text in structured(), cut in 0..usize::MAX) {
            let end = text.floor_char_boundary(cut % (text.len() + 1));
            for format in Format::ALL {
                holds(&text, format)?;
                holds(&text[..end], format)?;
            }
        }

        #[test]
        fn any_text_is_chunked(text in any::<String>()) {
            for format in Format::ALL {
                holds(&text, format)?;
            }
        }
    }
}
