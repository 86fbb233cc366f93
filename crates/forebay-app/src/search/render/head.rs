//! The first line of a hit: its reference, where it is, and what its text does not say.

use forebay_domain::{EntryKind, Hit, NoteKind, Timestamp};
use forebay_text::chunk::TITLE_SEPARATOR;
use forebay_text::cut;
use forebay_text::invisible::escape_name;

use crate::render::describe;

/// The first line, without remarks that few hits have: 20 tokens.
const MAX_BYTES: usize = 80;
/// A longer path is cut at its start.
const MAX_PATH_BYTES: usize = 44;
/// A title with less room is left out.
const MIN_TITLE_BYTES: usize = 8;
const SEPARATOR: &str = " · ";

/// `[ctx:k3v9m2a1xq] docs/retries.md:640-660 · Errors > Timeouts`,
/// `[ctx:k3v9m2a1xq] run · cargo test · lines 640-660 · 3 min ago`
pub(super) fn head(hit: &Hit, now: Timestamp) -> String {
    let (before, title, after) = match hit.kind {
        EntryKind::Source => (place(hit), headings(hit), Vec::new()),
        EntryKind::Page => (place(hit), headings(hit), vec![describe::age(hit.created, now)]),
        _ => (what(hit).to_owned(), &*hit.title, position(hit, now)),
    };
    let before = format!("{} {before}", hit.reference);
    let taken: usize = after.iter().map(|part| part.len() + SEPARATOR.len()).sum();
    let room = MAX_BYTES.saturating_sub(before.len() + taken + SEPARATOR.len());
    // A text that is no longer than its title is not shown again below.
    let room = if is_title_only(hit) { title.len() } else { room };
    let title = Some(title).filter(|title| !title.is_empty() && room >= MIN_TITLE_BYTES);
    let title = title.map(|title| cut::one_line(innermost(title, room), room));
    let parts = [before].into_iter().chain(title).chain(after).chain(remarks(hit));
    parts.collect::<Vec<_>>().join(SEPARATOR)
}

/// Whether the title is all of the text.
pub(super) fn is_title_only(hit: &Hit) -> bool {
    hit.text.trim() == &*hit.title
}

/// The path or address, and the lines: `docs/retries.md:640-660`.
fn place(hit: &Hit) -> String {
    let (first, last) = hit.lines;
    let source = &*escape_name(&hit.source);
    if source.len() <= MAX_PATH_BYTES {
        return format!("{source}:{first}-{last}");
    }
    let end = cut::suffix(source, MAX_PATH_BYTES - '…'.len_utf8());
    let end = end.find('/').map_or(end, |slash| &end[slash..]);
    format!("…{end}:{first}-{last}")
}

/// The headings above the text, without the name of the file, which the path has.
fn headings(hit: &Hit) -> &str {
    let (name, headings) = hit.title.split_once(TITLE_SEPARATOR).unwrap_or((&hit.title, ""));
    if hit.source.ends_with(name) { headings } else { &hit.title }
}

/// Drops the outer headings that do not fit: the inner ones say more.
fn innermost(mut headings: &str, bytes: usize) -> &str {
    while headings.len() > bytes {
        let Some((_, inner)) = headings.split_once(TITLE_SEPARATOR) else { break };
        headings = inner;
    }
    headings
}

fn what(hit: &Hit) -> &'static str {
    hit.note.map_or_else(|| hit.kind.as_str(), NoteKind::as_str)
}

fn position(hit: &Hit, now: Timestamp) -> Vec<String> {
    let lines = hit.note.is_none().then(|| format!("lines {}-{}", hit.lines.0, hit.lines.1));
    lines.into_iter().chain([describe::age(hit.created, now)]).collect()
}

/// What the reader has to know before using the text.
fn remarks(hit: &Hit) -> Vec<String> {
    let mut remarks = Vec::new();
    if hit.matched.is_empty() && hit.similarity > 0.0 {
        remarks.push("by similarity".to_owned());
    }
    if hit.near_duplicates > 0 {
        remarks.push(format!("{} more like it", hit.near_duplicates));
    }
    if let Some(older) = hit.supersedes {
        remarks.push(format!("replaces {older}"));
    }
    if let Some(other) = hit.conflicts {
        remarks.push(format!("may conflict with {other}"));
    }
    if hit.kind == EntryKind::Page {
        remarks.push(describe::EXTERNAL_CONTENT.to_owned());
    }
    remarks
}
