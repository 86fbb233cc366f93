//! Splits a text into chunks according to its format, and embeds them.

mod code;

use forebay_store::NewChunk;
use forebay_text::chunk::{self, Format, Piece};
use forebay_text::cut;

use crate::ingest::embedding;

/// Version of the chunker; a new version reindexes unchanged texts.
pub(crate) const VERSION: &[u8] = b"chunks 2";

/// Larger texts are split by lines: they are generated, and parsing their structure costs memory.
const MAX_STRUCTURED_BYTES: usize = 8 * 1024 * 1024;
const MAX_NAME_BYTES: usize = 80;
const MAX_TITLE_BYTES: usize = 200;

/// Splits a text with this name into searchable chunks.
pub(crate) fn chunks(name: &str, text: &str, format: Option<Format>) -> Vec<NewChunk> {
    let shown = shortened(name);
    pieces(name, text, format).into_iter().map(|piece| to_chunk(shown, text, piece)).collect()
}

fn pieces(name: &str, text: &str, format: Option<Format>) -> Vec<Piece> {
    if text.len() > MAX_STRUCTURED_BYTES {
        return chunk::chunks(text, Format::Plain);
    }
    let known = format.or_else(|| Format::by_name(name));
    if known.is_none()
        && let Some(pieces) = code::pieces(name, text)
    {
        return pieces;
    }
    chunk::chunks(text, known.unwrap_or_else(|| Format::detect(name, text)))
}

fn to_chunk(name: &str, text: &str, piece: Piece) -> NewChunk {
    let title = title(name, piece.title);
    let body = &text[piece.start..piece.end];
    let shown = forebay_digest::displayed(body.as_bytes());
    let vectors = embedding::embed_chunk(&title, &shown);
    NewChunk {
        start: piece.start as u64,
        bytes: body.len() as u64,
        lines: piece.lines,
        title,
        text: shown.into_owned(),
        key: None,
        created: None,
        context: String::new(),
        embedding: vectors.meaning,
        is_code: vectors.is_code,
    }
}

fn title(name: &str, place: String) -> String {
    let both = match (name, place.as_str()) {
        ("", _) => place,
        (_, "") => name.to_owned(),
        (name, place) => [name, chunk::TITLE_SEPARATOR, place].concat(),
    };
    cut::into_one_line(both, MAX_TITLE_BYTES)
}

/// Shortens a long path, keeping its end.
fn shortened(name: &str) -> &str {
    &name[name.ceil_char_boundary(name.len().saturating_sub(MAX_NAME_BYTES))..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn titles(name: &str, text: &str) -> Vec<String> {
        chunks(name, text, None).into_iter().map(|chunk| chunk.title).collect()
    }

    #[test]
    fn titles_contain_file_and_location() {
        assert_eq!(titles("docs/a.md", "# Guide\n\ntext\n"), ["docs/a.md > Guide"]);
        assert_eq!(titles("", "{\"id\": 7}"), ["id=7"]);
    }

    #[test]
    fn splits_source_code_by_symbol() {
        let body = "    let number = compute();\n".repeat(40);
        let text = format!(
            "//! A parser.\n\n/// Reads.\nfn read() {{\n{body}}}\n\n/// Writes.\nfn write() {{\n{body}}}\n"
        );
        assert_eq!(titles("src/p.rs", &text), ["src/p.rs > read", "src/p.rs > write"]);
        let chunks = chunks("src/p.rs", &text, None);
        assert!(chunks[1].text.starts_with("/// Writes."), "{:?}", chunks[1].text);
        assert!(chunks[1].is_code);
    }

    proptest! {
        #[test]
        fn joined_chunks_are_the_source(
            lines in prop::collection::vec("(pub fn [a-z]{1,5}\\(\\) \\{|\\}|// [a-zä ]{0,30}|    [a-z; ]{0,90}|)\n", 0..200),
            name in "(a.rs|a.py|a.ts|a.go|a.toml|Makefile|a.c|a)",
        ) {
            let text = lines.concat();
            let joined: String = chunks(&name, &text, None).iter().map(|chunk| chunk.text.as_str()).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
