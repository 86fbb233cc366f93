//! The items of a document: captured by the query of its language, nested, with their visibility.

mod collect;
mod merge;
mod nest;
mod visibility;

use std::collections::HashSet;
use std::ops::Range;

use crate::document::Document;
use crate::symbol_kind::SymbolKind;
use nest::Coverage;

/// The items of a text in source order; parents precede their members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) items: Vec<Item>,
    /// Comments and attributes, in source order.
    pub(crate) trivia: Vec<Trivia>,
    /// Nodes that may document the file.
    pub(crate) module_docs: Vec<Range<usize>>,
    /// Import statements.
    pub(crate) imports: Vec<Range<usize>>,
    /// Start of each section, and whether its members are public.
    pub(crate) sections: Vec<(usize, bool)>,
    /// Names that are exported apart from their items.
    pub(crate) exported: HashSet<String>,
    /// Names that are made private apart from their items, with the offset of that statement.
    pub(crate) hidden: Vec<(usize, String)>,
    /// The file exports something.
    pub(crate) has_exports: bool,
}

/// One item, as byte ranges of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: SymbolKind,
    pub(crate) name: String,
    /// The name as written, with its qualifier: `Foo.prototype.go`.
    pub(crate) qualified: String,
    /// Further names declared by the same statement.
    pub(crate) more_names: Vec<String>,
    /// Range including wrappers such as `export`.
    pub(crate) range: Range<usize>,
    pub(crate) body: Option<Range<usize>>,
    pub(crate) members: Option<Range<usize>>,
    pub(crate) values: Vec<Range<usize>>,
    pub(crate) doc: Option<Range<usize>>,
    /// The type of a member that is declared outside of it.
    pub(crate) owner: Option<String>,
    /// Index of the enclosing item.
    pub(crate) parent: Option<usize>,
    pub(crate) depth: usize,
    /// Number of bodies and values around it; 0 for everything that a skeleton may show.
    pub(crate) body_depth: usize,
    pub(crate) name_start: usize,
    /// Wrapped in an export.
    pub(crate) is_exported: bool,
    pub(crate) is_public: bool,
}

/// A comment or an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trivia {
    pub(crate) range: Range<usize>,
    pub(crate) is_attribute: bool,
}

impl Outline {
    pub(crate) fn new(document: &Document) -> Self {
        let mut outline = Self::unfinished(document);
        outline.finish(document.language, &document.source);
        outline
    }

    /// Builds the outline without visibility, which depends on the final nesting.
    pub(crate) fn unfinished(document: &Document) -> Self {
        let found = collect::collect(document);
        nest::nest(document.language, &document.source, found, Coverage::Declarations)
    }

    /// Builds an outline that includes items in bodies and values, without visibility.
    pub(crate) fn including_bodies(document: &Document) -> Self {
        let found = collect::collect(document);
        let mut outline =
            nest::nest(document.language, &document.source, found, Coverage::IncludingBodies);
        outline.merge_adjacent(document.language.spec.merged_kinds);
        outline
    }

    /// Returns the indices of the direct members of an item, or of the top-level items.
    pub(crate) fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let first = parent.map_or(0, |parent| parent + 1);
        let depth = parent.map_or(0, |parent| self.items[parent].depth + 1);
        self.items[first..]
            .iter()
            .enumerate()
            .take_while(move |(_, item)| item.depth >= depth)
            .filter(move |(_, item)| item.depth == depth)
            .map(move |(offset, _)| first + offset)
    }

    /// Returns the comments and attributes directly before an offset, in source order.
    pub(crate) fn trivia_before(&self, source: &str, start: usize) -> &[Trivia] {
        let end = self.trivia.partition_point(|trivia| trivia.range.end <= start);
        let mut first = end;
        let mut edge = start;
        while let Some(trivia) = first.checked_sub(1).map(|index| &self.trivia[index]) {
            if !is_adjacent(source, trivia.range.end, edge) || !starts_line(source, &trivia.range) {
                break;
            }
            edge = trivia.range.start;
            first -= 1;
        }
        &self.trivia[first..end]
    }

    /// Returns where an item starts, including docs and attributes.
    pub(crate) fn full_start(&self, source: &str, item: &Item) -> usize {
        let before = self.trivia_before(source, item.range.start);
        before.first().map_or(item.range.start, |first| first.range.start)
    }
}

/// Returns whether there is only whitespace between two offsets, without an empty line.
fn is_adjacent(source: &str, from: usize, to: usize) -> bool {
    // The text in between is usually code, which `trim` rejects at the first byte.
    let Some(between) = source.get(from..to).filter(|between| between.trim().is_empty()) else {
        return false;
    };
    // A comment node may include its line break.
    let trailing = usize::from(source[..from].ends_with('\n'));
    between.matches('\n').count() + trailing <= 1
}

/// A comment after code on the same line belongs to that code.
fn starts_line(source: &str, range: &Range<usize>) -> bool {
    let line = source[..range.start].rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty() || line.trim_start().starts_with("#[")
}
