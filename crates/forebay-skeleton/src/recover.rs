//! Items of a text that does not parse.
//!
//! One missing bracket can make a parser take half a file for one broken function. People indent,
//! so the text is cut into blocks by indentation, and each block is parsed on its own; a block that
//! does not parse is opened, and its parts are read inside its first line. What either outline
//! tells, that of the whole or that of the blocks, is told.

mod blocks;
mod harmless;
mod union;

use std::cell::Cell;
use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline, Trivia};
use blocks::Block;

/// Larger texts are left as the parser sees them.
const LARGEST: usize = 1024 * 1024;
/// A block is parsed in several ways and opened several times; so often is the text read in all.
const MOST_READINGS: usize = 4;
/// What each parse costs besides, in bytes.
const PER_PARSE: usize = 256;
const LEAST: usize = 192 * 1024;
/// No one wrote a line like this, and nothing is won by reading it again.
const LONGEST_LINE: usize = 10_000;
const DEEPEST: usize = 8;

pub(crate) fn recovered(document: &Document, whole: Outline) -> Outline {
    let is_long = |line: &str| line.len() > LONGEST_LINE;
    if document.source.len() > LARGEST || document.source.lines().any(is_long) {
        return whole;
    }
    if harmless::are_all(document, &whole) {
        return whole;
    }
    let left = document.source.len() * MOST_READINGS + LEAST;
    let mut recovery = Recovery { document, outline: Outline::default(), left: Cell::new(left) };
    recovery.read(0..document.source.len(), &Place::top());
    let mut outline = union::of(document, whole, recovery.outline);
    outline.settle(document.language, &document.source);
    outline
}

struct Recovery<'a> {
    document: &'a Document,
    outline: Outline,
    /// Bytes that may still be parsed.
    left: Cell<usize>,
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

/// A block as it was parsed behind an opening.
struct Piece {
    outline: Outline,
    opening: usize,
    is_whole: bool,
    /// Items that are the block's own.
    tells: usize,
}

impl Piece {
    fn of(parsed: &Document, opening: usize) -> Self {
        let outline = Outline::unsettled(parsed);
        let tells = outline.items.iter().filter(|item| item.name_start >= opening).count();
        Self { outline, opening, is_whole: parsed.is_whole(), tells }
    }

    fn rank(&self) -> (usize, bool) {
        (self.tells, self.is_whole)
    }
}

impl Place {
    /// Further in, but in nothing that has a name.
    fn deeper(&self) -> Self {
        Self { opening: String::new(), nesting: self.nesting + 1, ..*self }
    }

    fn top() -> Self {
        Self { parent: None, depth: 0, opening: String::new(), nesting: 0 }
    }
}

impl Recovery<'_> {
    fn read(&mut self, range: Range<usize>, place: &Place) {
        for block in blocks::split(&self.document.source, range) {
            if self.left.get() == 0 {
                return;
            }
            self.read_block(&block, place);
        }
    }

    fn read_block(&mut self, block: &Block, place: &Place) {
        if block.is_orphan && place.nesting < DEEPEST {
            return self.read(block.inner.clone(), &place.deeper());
        }
        let text = self.document.source[block.range.clone()].trim_end().trim_end_matches(',');
        let Some(piece) = self.parse_in(text, place) else { return };
        let is_leaf = block.inner.is_empty() || place.nesting >= DEEPEST;
        if piece.is_whole || is_leaf {
            self.adopt(piece.outline, piece.opening, block.range.start, place);
        } else {
            self.open(block, place);
        }
    }

    /// Reads a block that does not parse as its first line and what stands in it.
    fn open(&mut self, block: &Block, place: &Place) {
        let first = &self.document.source[block.range.start..block.inner.start];
        let before = self.outline.items.len();
        let header = self.header(first, place);
        if let Some(header) = header {
            self.adopt(header.outline, header.opening, block.range.start, place);
        }
        // What stood for the body may begin further on than the body does.
        for body in self.outline.items[before..].iter_mut().filter_map(|item| item.body.as_mut()) {
            body.start = body.start.min(block.inner.start);
        }
        let inside = match self.outline.items.get(before) {
            _ if !block.is_opened => place.deeper(),
            // What stands in a function is its own business.
            Some(item) if item.kind.is_callable() => return,
            Some(_) => self.container(before, block, first, place),
            None => place.deeper(),
        };
        self.read(block.inner.clone(), &inside);
    }

    /// The first line of a block as if nothing stood in the block.
    fn header(&self, first: &str, place: &Place) -> Option<Piece> {
        let closer = self.document.language.table.closer;
        let bare = first.trim_end();
        let closed = self.parse_in(&format!("{first}{closer}"), place);
        let is_told = closed.as_ref().is_some_and(|piece| piece.tells > 0 && piece.is_whole);
        // The bracket may have stood on a line of its own, the colon may be what is missing.
        let opener = if self.document.language.table.is_indented { ":" } else { " {" };
        let is_opened = bare.ends_with(opener.trim_start());
        if is_told || is_opened || !(closer.starts_with('}') || opener == ":") {
            return closed;
        }
        self.parse_in(&format!("{bare}{opener}{closer}"), place)
            .filter(|piece| piece.tells > 0)
            .or(closed)
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

    /// Parses a block inside its container's opening, alone, and as a member of anything; the way
    /// that tells most is taken.
    fn parse_in(&self, text: &str, place: &Place) -> Option<Piece> {
        let table = self.document.language.table;
        let own = [(place.opening.clone(), table.closer)];
        let alone = [(table.prologue.to_owned(), "")];
        // At the margin nothing is a member.
        let is_member = place.nesting > 0;
        let blocks = table.member_blocks.iter().filter(|_| is_member);
        let blocks = blocks.map(|(open, close)| (format!("{}{open}", table.prologue), *close));
        let ways =
            own.into_iter().filter(|(opening, _)| !opening.is_empty()).chain(alone).chain(blocks);
        let mut best: Option<Piece> = None;
        for (opening, closer) in ways {
            let cost = opening.len() + text.len() + PER_PARSE;
            self.left.set(self.left.get().saturating_sub(cost));
            let text = format!("{opening}{text}{closer}");
            let Ok(parsed) = Document::parse(text, self.document.language) else {
                // Too long for the parser: its parts would be so again and again.
                self.left.set(0);
                break;
            };
            let piece = Piece::of(&parsed, opening.len());
            if piece.is_whole && piece.tells > 0 {
                return Some(piece);
            }
            if best.as_ref().is_none_or(|best| piece.rank() > best.rank()) {
                best = Some(piece);
            }
        }
        best
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
