//! The text of a PDF, page by page, with a form feed between pages.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::Document;

/// More pages are not read: text comes by the page, and somebody must wait for it.
const MOST_PAGES: usize = 5_000;

/// The text of a PDF; none where it cannot be read or has none.
pub(crate) fn to_text(bytes: &[u8]) -> Option<String> {
    // The reader is not made for hostile files; its panic must not end more than this file.
    catch_unwind(AssertUnwindSafe(|| read(bytes))).ok().flatten()
}

fn read(bytes: &[u8]) -> Option<String> {
    let document = Document::load_mem(bytes).ok()?;
    let pages = document.get_pages().into_keys().take(MOST_PAGES);
    let texts: Vec<String> =
        pages.map(|page| document.extract_text(&[page]).unwrap_or_default()).collect();
    let has_text = texts.iter().any(|text| !text.trim().is_empty());
    has_text.then(|| {
        texts.iter().map(|text| format!("{}\n", text.trim_end())).collect::<Vec<_>>().join("\u{c}")
    })
}
