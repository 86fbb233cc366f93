//! Items of a text that does not parse.
//!
//! One missing bracket can make a parser take half a file for one broken function. People indent,
//! so the text is cut into blocks by indentation, and each block is parsed on its own; a block that
//! does not parse is opened, and its parts are read inside its first line. Of the two outlines, the
//! one of the whole and the one of the blocks, the one that tells more is taken.

mod blocks;

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline, Trivia};
use blocks::Block;

/// Larger texts are left as the parser sees them.
const LARGEST: usize = 1024 * 1024;
/// Blocks that are parsed at most; each costs a parser's start.
const MOST_BLOCKS: usize = 4_000;
const DEEPEST: usize = 8;

pub(crate) fn recovered(document: &Document, whole: Outline) -> Outline {
    if document.source.len() > LARGEST {
        return whole;
    }
    let mut recovery = Recovery { document, outline: Outline::default(), left: MOST_BLOCKS };
    recovery.read(0..document.source.len(), &Place::top());
    let mut pieces = recovery.outline;
    if pieces.items.len() <= whole.items.len() {
        return whole;
    }
    pieces.purposes = whole.purposes;
    pieces.exported = whole.exported;
    pieces.exports = whole.exports || pieces.items.iter().any(|item| item.exported);
    pieces.trivia.sort_by_key(|trivia| trivia.range.start);
    pieces.trivia.dedup();
    pieces.sections.sort_unstable();
    pieces.settle(document.language, &document.source);
    pieces
}

struct Recovery<'a> {
    document: &'a Document,
    outline: Outline,
    left: usize,
}

/// What the blocks that are read stand in.
struct Place {
    /// The container and its depth.
    parent: Option<usize>,
    depth: usize,
    /// The first lines of the container, in which its parts can be parsed.
    opening: String,
    nesting: usize,
}

impl Place {
    fn top() -> Self {
        Self { parent: None, depth: 0, opening: String::new(), nesting: 0 }
    }
}

impl Recovery<'_> {
    fn read(&mut self, range: Range<usize>, place: &Place) {
        for block in blocks::split(&self.document.source, range) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.read_block(&block, place);
        }
    }

    fn read_block(&mut self, block: &Block, place: &Place) {
        let (piece, opening) = self.parse_in(block.range.clone(), place);
        let Some(piece) = piece else { return };
        let is_leaf = block.inner.is_empty() || place.nesting >= DEEPEST;
        if piece.is_whole() || is_leaf {
            let outline = Outline::unsettled(&piece);
            self.adopt(outline, opening, block.range.start, place);
        } else {
            self.open(block, place);
        }
    }

    /// Reads a block that does not parse as its first line and what stands in it.
    fn open(&mut self, block: &Block, place: &Place) {
        let table = self.document.language.table;
        let first = &self.document.source[block.range.start..block.inner.start];
        let head = format!("{}{first}{}", self.opening(place), table.closer);
        let opening = self.opening(place).len();
        let header = Document::parse(head, self.document.language).ok();
        let outline = header.map(|header| Outline::unsettled(&header)).unwrap_or_default();
        let before = self.outline.items.len();
        self.adopt(outline, opening, block.range.start, place);
        let container = (before..self.outline.items.len()).next();
        let inside = match container {
            // What stands in a function is its own business.
            Some(index) if self.outline.items[index].members.is_none() => return,
            Some(index) => self.container(index, block, first, place),
            None => Place { opening: String::new(), nesting: place.nesting + 1, ..*place },
        };
        self.read(block.inner.clone(), &inside);
    }

    /// Stretches a container over its block.
    fn container(&mut self, index: usize, block: &Block, first: &str, place: &Place) -> Place {
        let item = &mut self.outline.items[index];
        item.range.end = block.range.end;
        let start = item.members.as_ref().map_or(block.inner.start, |members| members.start);
        item.members = Some(start.min(block.inner.start)..block.range.end);
        let table = self.document.language.table;
        Place {
            parent: Some(index),
            depth: place.depth + 1,
            opening: format!("{}{first}", table.prologue),
            nesting: place.nesting + 1,
        }
    }

    fn opening(&self, place: &Place) -> String {
        let prologue = self.document.language.table.prologue;
        if place.opening.is_empty() { prologue.to_owned() } else { place.opening.clone() }
    }

    /// Parses a block inside its container's opening, else alone, else as a member of anything.
    fn parse_in(&self, range: Range<usize>, place: &Place) -> (Option<Document>, usize) {
        let table = self.document.language.table;
        let text = &self.document.source[range];
        let parse = |opening: &str, closer: &str| {
            Document::parse(format!("{opening}{text}{closer}"), self.document.language).ok()
        };
        let member_block = format!("{}{}", table.prologue, table.member_block);
        let ways = [
            (place.opening.as_str(), table.closer, !place.opening.is_empty()),
            (table.prologue, "", place.opening.is_empty()),
            (&member_block, table.closer, !table.member_block.is_empty() && place.nesting > 0),
        ];
        let mut first = None;
        for (opening, closer, _) in ways.into_iter().filter(|(_, _, possible)| *possible) {
            let parsed = parse(opening, closer);
            if parsed.as_ref().is_some_and(Document::is_whole) {
                return (parsed, opening.len());
            }
            first = first.or(parsed.map(|parsed| (parsed, opening.len())));
        }
        first.map_or((None, 0), |(parsed, opening)| (Some(parsed), opening))
    }

    /// Takes over the items of a piece that was parsed behind an opening, at its place in the file.
    fn adopt(&mut self, piece: Outline, opening: usize, start: usize, place: &Place) {
        let shift = Shift { opening, start, end: self.document.source.len() };
        let base = self.outline.items.len();
        let mut kept: Vec<Option<usize>> = Vec::with_capacity(piece.items.len());
        // The container's own opening is an item of the piece, and not one of the file again.
        let surplus =
            piece.items.iter().filter(|item| item.range.start < opening).map(|item| item.depth + 1);
        let surplus = surplus.max().unwrap_or(0);
        for item in piece.items {
            let parent = item.parent.and_then(|parent| kept[parent]);
            let Some(mut item) = shift.item(item) else {
                kept.push(None);
                continue;
            };
            item.depth = place.depth + item.depth.saturating_sub(surplus);
            item.parent = parent.or(place.parent);
            kept.push(Some(base + kept.iter().flatten().count()));
            self.outline.items.push(item);
        }
        let trivia = piece
            .trivia
            .into_iter()
            .filter_map(|trivia| Some(Trivia { range: shift.range(&trivia.range)?, ..trivia }));
        self.outline.trivia.extend(trivia);
        let sections = piece.sections.into_iter();
        self.outline
            .sections
            .extend(sections.filter_map(|(offset, public)| Some((shift.offset(offset)?, public))));
    }
}

/// Moves offsets of a piece to where the piece stands in the file.
struct Shift {
    opening: usize,
    start: usize,
    end: usize,
}

impl Shift {
    fn offset(&self, offset: usize) -> Option<usize> {
        Some((offset.checked_sub(self.opening)? + self.start).min(self.end))
    }

    fn range(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let range = self.offset(range.start)?..self.offset(range.end)?;
        (range.start < range.end).then_some(range)
    }

    fn item(&self, item: Item) -> Option<Item> {
        let moved = |range: Option<Range<usize>>| range.and_then(|range| self.range(&range));
        Some(Item {
            range: self.range(&item.range)?,
            name_start: self.offset(item.name_start)?,
            body: moved(item.body),
            members: moved(item.members),
            values: item.values.iter().filter_map(|value| self.range(value)).collect(),
            doc: moved(item.doc),
            ..item
        })
    }
}
