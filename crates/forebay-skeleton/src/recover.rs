//! Error recovery by indentation.
//!
//! A single missing bracket can make the parser take half a file for one broken function. So the text is split into
//! blocks by indentation, and each block is parsed on its own; a block with errors is split further, and its parts
//! are parsed within its first line. The result merges the items of the whole tree with those of the blocks.

mod blocks;
mod containment;
mod merge;

use std::cell::Cell;
use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline, Trivia};
use blocks::Block;

/// Larger texts are not recovered.
const MAX_SOURCE_BYTES: usize = 1024 * 1024;
/// Bytes to parse, as a multiple of the text: blocks are parsed in several contexts and at several levels.
const MAX_PASSES: usize = 4;
/// Cost of each parse in addition to its text, in bytes.
const PARSE_OVERHEAD_BYTES: usize = 256;
const MIN_BUDGET_BYTES: usize = 192 * 1024;
/// Texts with longer lines are not recovered.
const MAX_LINE_BYTES: usize = 10_000;
const MAX_NESTING: usize = 8;

pub(crate) fn recover(document: &Document, whole: Outline) -> Outline {
    let is_long = |line: &str| line.len() > MAX_LINE_BYTES;
    if document.source.len() > MAX_SOURCE_BYTES || document.source.lines().any(is_long) {
        return whole;
    }
    if containment::all_errors_in_bodies(document, &whole) {
        return whole;
    }
    let budget = document.source.len() * MAX_PASSES + MIN_BUDGET_BYTES;
    let mut recovery =
        Recovery { document, outline: Outline::default(), budget: Cell::new(budget) };
    recovery.recover_range(0..document.source.len(), &BlockContext::top_level());
    let mut outline = merge::merge(document, whole, recovery.outline);
    outline.finish(document.language, &document.source);
    outline
}

struct Recovery<'a> {
    document: &'a Document,
    outline: Outline,
    /// Bytes that may still be parsed.
    budget: Cell<usize>,
}

/// What encloses the blocks to parse.
struct BlockContext {
    /// Index of the enclosing item, and depth of its members.
    parent: Option<usize>,
    depth: usize,
    /// First lines of the enclosing item, in which its members can be parsed.
    opening: String,
    nesting: usize,
}

/// A block, parsed after an opening.
struct ParsedBlock {
    outline: Outline,
    opening: usize,
    is_error_free: bool,
    /// Items of the block itself.
    item_count: usize,
}

impl ParsedBlock {
    fn new(parsed: &Document, opening: usize) -> Self {
        let outline = Outline::unfinished(parsed);
        let item_count = outline.items.iter().filter(|item| item.name_start >= opening).count();
        Self { outline, opening, is_error_free: parsed.is_error_free(), item_count }
    }

    fn rank(&self) -> (usize, bool) {
        (self.item_count, self.is_error_free)
    }
}

impl BlockContext {
    /// Returns a deeper context without a named parent.
    fn nested(&self) -> Self {
        Self { opening: String::new(), nesting: self.nesting + 1, ..*self }
    }

    fn top_level() -> Self {
        Self { parent: None, depth: 0, opening: String::new(), nesting: 0 }
    }
}

impl Recovery<'_> {
    fn recover_range(&mut self, range: Range<usize>, context: &BlockContext) {
        for block in blocks::split(&self.document.source, range) {
            if self.budget.get() == 0 {
                return;
            }
            self.recover_block(&block, context);
        }
    }

    fn recover_block(&mut self, block: &Block, context: &BlockContext) {
        if block.is_orphan && context.nesting < MAX_NESTING {
            return self.recover_range(block.inner.clone(), &context.nested());
        }
        let text = self.document.source[block.range.clone()].trim_end().trim_end_matches(',');
        let Some(parsed) = self.parse_in(text, context) else { return };
        let is_leaf = block.inner.is_empty() || context.nesting >= MAX_NESTING;
        if parsed.is_error_free || is_leaf {
            self.add_items(parsed.outline, parsed.opening, block.range.start, context);
        } else {
            self.open_block(block, context);
        }
    }

    /// Recovers a block with errors from its first line and its contents.
    fn open_block(&mut self, block: &Block, context: &BlockContext) {
        let first_line = &self.document.source[block.range.start..block.inner.start];
        let before = self.outline.items.len();
        let header = self.header(first_line, context);
        if let Some(header) = header {
            self.add_items(header.outline, header.opening, block.range.start, context);
        }
        // The closer may be parsed as a body that starts later than the actual one.
        for body in self.outline.items[before..].iter_mut().filter_map(|item| item.body.as_mut()) {
            body.start = body.start.min(block.inner.start);
        }
        let inner_context = match self.outline.items.get(before) {
            _ if !block.is_opened => context.nested(),
            // Items in functions are not part of the outline.
            Some(item) if item.kind.is_callable() => return,
            Some(_) => self.container(before, block, first_line, context),
            None => context.nested(),
        };
        self.recover_range(block.inner.clone(), &inner_context);
    }

    /// Parses the first line of a block as if the block were empty.
    fn header(&self, first_line: &str, context: &BlockContext) -> Option<ParsedBlock> {
        let closer = self.document.language.spec.closer;
        let bare = first_line.trim_end();
        let closed = self.parse_in(&format!("{first_line}{closer}"), context);
        let is_parsed =
            closed.as_ref().is_some_and(|parsed| parsed.item_count > 0 && parsed.is_error_free);
        // The brace may be on a line of its own, or the colon may be missing.
        let opener = if self.document.language.spec.is_indented { ":" } else { " {" };
        let is_opened = bare.ends_with(opener.trim_start());
        if is_parsed || is_opened || !(closer.starts_with('}') || opener == ":") {
            return closed;
        }
        self.parse_in(&format!("{bare}{opener}{closer}"), context)
            .filter(|parsed| parsed.item_count > 0)
            .or(closed)
    }

    /// Extends an item over its block.
    fn container(
        &mut self,
        index: usize,
        block: &Block,
        first_line: &str,
        context: &BlockContext,
    ) -> BlockContext {
        let item = &mut self.outline.items[index];
        item.range.end = block.range.end;
        let start = item.members.as_ref().map_or(block.inner.start, |members| members.start);
        item.members = Some(start.min(block.inner.start)..block.range.end);
        let spec = self.document.language.spec;
        BlockContext {
            parent: Some(index),
            depth: context.depth + 1,
            opening: format!("{}{first_line}", spec.prologue),
            nesting: context.nesting + 1,
        }
    }

    /// Parses a block within the opening of its parent, alone, and as a member of each kind of type; returns the
    /// result with the most items.
    fn parse_in(&self, text: &str, context: &BlockContext) -> Option<ParsedBlock> {
        let spec = self.document.language.spec;
        let in_parent = [(context.opening.clone(), spec.closer)];
        let alone = [(spec.prologue.to_owned(), "")];
        // Top-level blocks are not members.
        let is_member = context.nesting > 0;
        let blocks = spec.member_contexts.iter().filter(|_| is_member);
        let blocks = blocks.map(|(open, close)| (format!("{}{open}", spec.prologue), *close));
        let attempts = in_parent
            .into_iter()
            .filter(|(opening, _)| !opening.is_empty())
            .chain(alone)
            .chain(blocks);
        let mut best: Option<ParsedBlock> = None;
        for (opening, closer) in attempts {
            let cost = opening.len() + text.len() + PARSE_OVERHEAD_BYTES;
            self.budget.set(self.budget.get().saturating_sub(cost));
            let text = format!("{opening}{text}{closer}");
            let Ok(parsed) = Document::parse(text, self.document.language) else {
                // The text exceeds the step limit, and its parts would as well.
                self.budget.set(0);
                break;
            };
            let parsed = ParsedBlock::new(&parsed, opening.len());
            if parsed.is_error_free && parsed.item_count > 0 {
                return Some(parsed);
            }
            if best.as_ref().is_none_or(|best| parsed.rank() > best.rank()) {
                best = Some(parsed);
            }
        }
        best
    }

    /// Adds the items of a block that was parsed after an opening, with their offsets in the file.
    fn add_items(&mut self, parsed: Outline, opening: usize, start: usize, context: &BlockContext) {
        let shift = Shift { opening, start, end: self.document.source.len() };
        let base = self.outline.items.len();
        let mut kept: Vec<Option<usize>> = Vec::with_capacity(parsed.items.len());
        // The opening is parsed as an item, too; it is already in the outline.
        let wrapper_depth = parsed
            .items
            .iter()
            .filter(|item| item.range.start < opening)
            .map(|item| item.depth + 1);
        let wrapper_depth = wrapper_depth.max().unwrap_or(0);
        for item in parsed.items {
            let parent = item.parent.and_then(|parent| kept[parent]);
            let Some(mut item) = shift.item(item) else {
                kept.push(None);
                continue;
            };
            item.depth = context.depth + item.depth.saturating_sub(wrapper_depth);
            item.parent = parent.or(context.parent);
            kept.push(Some(base + kept.iter().flatten().count()));
            self.outline.items.push(item);
        }
        let trivia = parsed
            .trivia
            .into_iter()
            .filter_map(|trivia| Some(Trivia { range: shift.range(&trivia.range)?, ..trivia }));
        self.outline.trivia.extend(trivia);
        let sections = parsed.sections.into_iter();
        self.outline.sections.extend(
            sections.filter_map(|(offset, is_public)| Some((shift.offset(offset)?, is_public))),
        );
    }
}

/// Maps offsets of a parsed block to the file.
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
        let shifted = |range: Option<Range<usize>>| range.and_then(|range| self.range(&range));
        Some(Item {
            range: self.range(&item.range)?,
            name_start: self.offset(item.name_start)?,
            body: shifted(item.body),
            members: shifted(item.members),
            values: item.values.iter().filter_map(|value| self.range(value)).collect(),
            doc: shifted(item.doc),
            ..item
        })
    }
}
