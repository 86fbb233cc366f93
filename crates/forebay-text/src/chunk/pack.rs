//! Packing: merges and splits the blocks between cuts to the target size.

use std::cmp::Reverse;

use super::{Chunker, MAX_BYTES, TARGET_BYTES};
use crate::cut;

/// Cuts of this level or above are not section boundaries: pieces end there only when full.
pub const SOFT: u8 = 100;
/// Separator between the parts of a title, outermost first.
pub const TITLE_SEPARATOR: &str = " > ";

/// Size from which a section gets a piece of its own.
const SECTION_BYTES: usize = 800;
/// A full piece may end at an earlier, better cut if this much remains.
const MIN_BYTES: usize = 500;
const MAX_TITLE_BYTES: usize = 160;

/// An offset where a text may be cut, and what starts there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub at: usize,
    /// Nesting level; lower is a better place to cut.
    pub level: u8,
    /// None to continue the title before it.
    pub title: Option<String>,
}

impl Cut {
    pub fn new(at: usize, level: u8, title: impl Into<String>) -> Self {
        Self { at, level, title: Some(title.into()) }
    }

    /// A soft cut within the current section.
    pub fn within(at: usize) -> Self {
        Self { at, level: SOFT, title: None }
    }
}

/// A chunk of a text, by byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub start: usize,
    pub end: usize,
    /// First and last line, counted from 1.
    pub lines: (u64, u64),
    /// Title derived from its position in the structure; may be empty.
    pub title: String,
}

/// Packs a text along these cuts; without any, along its lines.
pub fn pack(text: &str, mut cuts: Vec<Cut>) -> Vec<Piece> {
    normalize_cuts(text, &mut cuts);
    let blocks = blocks(text, &cuts);
    // Most pieces are smaller than the target.
    let mut pieces = Vec::with_capacity(2 * text.len() / TARGET_BYTES + 1);
    let mut titles = Vec::new();
    let (mut first, mut line) = (0, 1);
    while let Some(opening) = blocks.get(first) {
        let after = end_of_piece(&blocks, first);
        let body = &text[opening.start..blocks[after - 1].end];
        innermost_titles(&blocks[first..after], &mut titles);
        let title = joined_title(&titles);
        line = split(body, (opening.start, line), title, &mut pieces);
        first = after;
    }
    pieces
}

/// The text between two cuts.
struct Block<'cuts> {
    start: usize,
    end: usize,
    level: u8,
    title: &'cuts str,
}

/// Sorts cuts, removes duplicates, and aligns them to character boundaries.
fn normalize_cuts(text: &str, cuts: &mut Vec<Cut>) {
    for cut in &mut *cuts {
        cut.at = text.floor_char_boundary(cut.at);
    }
    cuts.sort_by_key(|cut| cut.at);
    cuts.dedup_by_key(|cut| cut.at);
    if cuts.first().is_none_or(|first| first.at > 0) {
        cuts.insert(0, Cut::within(0));
    }
}

fn blocks<'cuts>(text: &str, cuts: &'cuts [Cut]) -> Vec<Block<'cuts>> {
    let mut title = "";
    let ends = cuts.iter().skip(1).map(|cut| cut.at).chain([text.len()]);
    let mut blocks = Vec::with_capacity(cuts.len());
    for (cut, end) in cuts.iter().zip(ends) {
        title = cut.title.as_deref().unwrap_or(title);
        if cut.at < end {
            blocks.push(Block { start: cut.at, end, level: cut.level, title });
        }
    }
    blocks
}

/// Index after the last block of the piece that starts with `first`.
fn end_of_piece(blocks: &[Block<'_>], first: usize) -> usize {
    let start = blocks[first].start;
    for next in first + 1..blocks.len() {
        let block = &blocks[next];
        let is_section = block.level < SOFT && block.level <= blocks[first].level;
        let is_full = block.end - start > TARGET_BYTES;
        if is_full || (is_section && block.start - start >= SECTION_BYTES) {
            return best_cut(blocks, first, next);
        }
    }
    blocks.len()
}

/// The outermost cut at which the piece may end, the last of several.
fn best_cut(blocks: &[Block<'_>], first: usize, full: usize) -> usize {
    let start = blocks[first].start;
    let far_enough = (first + 1..=full).filter(|cut| blocks[*cut].start - start >= MIN_BYTES);
    far_enough.min_by_key(|cut| (blocks[*cut].level, Reverse(*cut))).unwrap_or(full)
}

/// Appends a piece, split where it is too large; returns the line after it.
fn split(body: &str, (start, line): (usize, u64), title: String, pieces: &mut Vec<Piece>) -> u64 {
    let newlines = memchr::memchr_iter(b'\n', body.as_bytes()).count() as u64;
    let after = line + newlines;
    if body.len() <= MAX_BYTES {
        let last = after - u64::from(body.ends_with('\n'));
        pieces.push(Piece { start, end: start + body.len(), lines: (line, last), title });
        return after;
    }
    let mut emit = |chunk: super::Chunk| {
        let start = chunk.start as usize;
        let end = start + chunk.bytes.len();
        pieces.push(Piece { start, end, lines: chunk.lines, title: title.clone() });
    };
    let mut chunker = Chunker::starting_at(start as u64, line);
    chunker.push(body.as_bytes(), &mut emit);
    chunker.finish(&mut emit);
    after
}

/// Joins titles by their common path: `Guide > Install, Usage`.
fn joined_title(titles: &[&str]) -> String {
    let Some((first, others)) = titles.split_first() else { return String::new() };
    if others.is_empty() {
        return cut::one_line(first, MAX_TITLE_BYTES);
    }
    let shared = others.iter().fold(*first, |shared, title| common_path(shared, title));
    let mut joined =
        String::with_capacity(titles.iter().map(|title| title.len() + TITLE_SEPARATOR.len()).sum());
    joined.push_str(shared);
    let mut before = "";
    for title in titles {
        let own = title[shared.len()..].trim_start_matches(TITLE_SEPARATOR);
        if own.is_empty() || own == before {
            continue;
        }
        let is_first = before.is_empty();
        joined.push_str(match (is_first, shared.is_empty()) {
            (true, true) => "",
            (true, false) => TITLE_SEPARATOR,
            (false, _) => ", ",
        });
        joined.push_str(own);
        before = own;
    }
    cut::into_one_line(joined, MAX_TITLE_BYTES)
}

/// Collects the titles of blocks in order, each once, without ancestors of the next.
fn innermost_titles<'cuts>(blocks: &[Block<'cuts>], titles: &mut Vec<&'cuts str>) {
    let is_ancestor = |outer: &str, title: &str| {
        title.strip_prefix(outer).is_some_and(|rest| rest.starts_with(TITLE_SEPARATOR))
    };
    titles.clear();
    for title in blocks.iter().map(|block| block.title).filter(|title| !title.is_empty()) {
        if titles.last() == Some(&title) {
            continue;
        }
        titles.pop_if(|last| is_ancestor(last, title));
        titles.push(title);
    }
}

/// The common leading path of two titles.
fn common_path<'a>(a: &'a str, b: &str) -> &'a str {
    let ends = a.match_indices(TITLE_SEPARATOR).map(|(at, _)| at).chain([a.len()]);
    let is_shared = |end: &usize| {
        b.get(..*end) == Some(&a[..*end])
            && (b.len() == *end || b[*end..].starts_with(TITLE_SEPARATOR))
    };
    ends.filter(is_shared).last().map_or("", |end| &a[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds blocks of these sizes and levels; returns where pieces start.
    fn starts(sizes: &[(usize, u8)]) -> Vec<usize> {
        let text: String =
            sizes.iter().map(|(size, _)| format!("{}\n", "x".repeat(size - 1))).collect();
        let mut at = 0;
        let mut cuts = Vec::new();
        for (size, level) in sizes {
            cuts.push(Cut::new(at, *level, ""));
            at += size;
        }
        pack(&text, cuts).into_iter().map(|piece| piece.start).collect()
    }

    #[test]
    fn merges_small_neighbours_but_not_sections() {
        assert_eq!(starts(&[(100, SOFT), (100, SOFT), (100, SOFT)]), [0]);
        assert_eq!(starts(&[(900, 1), (300, 1), (300, 1)]), [0, 900]);
        assert_eq!(starts(&[(900, 1), (300, 2), (300, 1)]), [0, 1_200]);
    }

    #[test]
    fn full_pieces_end_at_the_outermost_cut() {
        assert_eq!(starts(&[(300, 3), (400, 3), (300, 2), (500, 3), (900, 3)]), [0, 700, 1_500]);
        assert_eq!(starts(&[(1_000, SOFT), (2_000, SOFT), (100, SOFT)]), [0, 1_000, 3_000]);
    }

    #[test]
    fn common_title_path_appears_once() {
        let title = |titles: &[&'static str]| {
            let block = |title: &&'static str| Block { start: 0, end: 1, level: 1, title };
            let mut innermost = Vec::new();
            innermost_titles(&titles.iter().map(block).collect::<Vec<_>>(), &mut innermost);
            joined_title(&innermost)
        };
        assert_eq!(title(&["Guide > Install", "Guide > Usage"]), "Guide > Install, Usage");
        assert_eq!(title(&["Guide", "Guide > Usage", "Guide > Usage"]), "Guide > Usage");
        assert_eq!(title(&["Guide", "Guidelines"]), "Guide, Guidelines");
        assert_eq!(title(&["", "A"]), "A");
        assert_eq!(title(&[]), "");
    }
}
