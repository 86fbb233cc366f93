//! Extracts the text of a PDF, with a form feed between pages.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Document, LoadOptions};

/// Further pages are skipped, to bound the time.
const MAX_PAGES: usize = 5_000;
/// Maximum decompressed size of one stream.
const MAX_DECOMPRESSED_BYTES: usize = 64 * 1024 * 1024;
/// Maximum text of all pages.
const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;

/// Extracts the text of a PDF, or returns None if it cannot be read or has no text.
pub fn to_text(bytes: &[u8]) -> Option<String> {
    // The parser may panic on hostile files; that must affect only this file.
    catch_unwind(AssertUnwindSafe(|| read(bytes))).ok().flatten()
}

fn read(bytes: &[u8]) -> Option<String> {
    let options = LoadOptions {
        max_decompressed_size: Some(MAX_DECOMPRESSED_BYTES),
        ..LoadOptions::default()
    };
    let document = Document::load_mem_with_options(bytes, options).ok()?;
    let mut text = String::new();
    for (index, page) in document.get_pages().into_keys().take(MAX_PAGES).enumerate() {
        if index > 0 {
            text.push('\u{c}');
        }
        let page =
            document.extract_text_with_limit(&[page], MAX_DECOMPRESSED_BYTES).unwrap_or_default();
        text.push_str(&format!("{}\n", page.trim_end()));
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
    }
    text.contains(|c: char| !c.is_whitespace()).then_some(text)
}

#[cfg(test)]
mod tests {
    use lopdf::content::{Content, Operation};
    use lopdf::{Object, Stream, dictionary};
    use proptest::prelude::*;

    use super::*;

    /// Builds a PDF with one text per page.
    fn pdf(texts: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let pages_id = document.new_object_id();
        let font = document.add_object(
            dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" },
        );
        let fonts = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
        let mut kids: Vec<Object> = Vec::new();
        for text in texts {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Td", vec![100.into(), 600.into()]),
                Operation::new("Tj", vec![Object::string_literal(*text)]),
                Operation::new("ET", vec![]),
            ];
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            kids.push(
                document
                    .add_object(dictionary! { "Type" => "Page", "Parent" => pages_id, "Contents" => content })
                    .into(),
            );
        }
        let pages = dictionary! {
            "Type" => "Pages", "Count" => kids.len() as i64, "Kids" => kids, "Resources" => fonts,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        };
        document.objects.insert(pages_id, Object::Dictionary(pages));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages_id });
        document.trailer.set("Root", catalog);
        document.compress();
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn separates_pages_by_form_feeds() {
        let text = to_text(&pdf(&["The walrus", "The ostrich"])).unwrap();
        let pages: Vec<&str> = text.split('\u{c}').map(str::trim).collect();
        assert_eq!(pages, ["The walrus", "The ostrich"]);
        assert_eq!(to_text(&pdf(&[""])), None);
    }

    proptest! {
        #[test]
        fn never_panics_on_damaged_files(at in 0..1_000_usize, byte in any::<u8>(), end in 0..1_000_usize) {
            let mut bytes = pdf(&["The walrus"]);
            let length = bytes.len();
            bytes[at % length] = byte;
            bytes.truncate(length - end % length);
            to_text(&bytes);
        }
    }
}
