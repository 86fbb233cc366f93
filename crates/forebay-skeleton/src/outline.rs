//! The items of a document: found by its language's query, nested, and told public or not.

mod collect;
mod join;
mod nest;
mod settle;

use std::collections::HashSet;
use std::ops::Range;

use crate::document::Document;
use crate::kind::Kind;
use nest::Extent;

/// The items of a text in source order; an item follows the one it stands in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) items: Vec<Item>,
    /// Comments and attributes, in source order.
    pub(crate) trivia: Vec<Trivia>,
    /// Nodes that may say what the file is for.
    pub(crate) purposes: Vec<Range<usize>>,
    /// What is taken from elsewhere.
    pub(crate) imports: Vec<Range<usize>>,
    /// Where sections begin, and whether what follows is public.
    pub(crate) sections: Vec<(usize, bool)>,
    /// Names that are exported apart from their items.
    pub(crate) exported: HashSet<String>,
    /// Names that are made private apart from their items, with where that is said.
    pub(crate) hidden: Vec<(usize, String)>,
    /// Something is exported.
    pub(crate) exports: bool,
}

/// One item, as byte ranges of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The name as the source has it, with what stands before it: `Foo.prototype.go`.
    pub(crate) qualified: String,
    /// Names declared by the same statement after the first.
    pub(crate) more_names: Vec<String>,
    /// With everything that wraps it.
    pub(crate) range: Range<usize>,
    pub(crate) body: Option<Range<usize>>,
    pub(crate) members: Option<Range<usize>>,
    pub(crate) values: Vec<Range<usize>>,
    pub(crate) doc: Option<Range<usize>>,
    /// The type it belongs to without standing in it.
    pub(crate) owner: Option<String>,
    /// The index of the item it stands in.
    pub(crate) parent: Option<usize>,
    pub(crate) depth: usize,
    /// How many bodies and values it is hidden in; 0 for all that a skeleton may show.
    pub(crate) inside: usize,
    pub(crate) name_start: usize,
    /// Wrapped in something that exports.
    pub(crate) exported: bool,
    pub(crate) public: bool,
}

/// A comment or an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trivia {
    pub(crate) range: Range<usize>,
    pub(crate) is_attribute: bool,
}

impl Outline {
    pub(crate) fn of(document: &Document) -> Self {
        let mut outline = Self::unsettled(document);
        outline.settle(document.language, &document.source);
        outline
    }

    /// The items before it is told what is public, which depends on where they stand.
    pub(crate) fn unsettled(document: &Document) -> Self {
        let found = collect::collect(document);
        nest::nest(document.language, &document.source, found, Extent::Surface)
    }

    /// All items, also those in bodies and values, which are told by nothing but their name.
    pub(crate) fn with_hidden(document: &Document) -> Self {
        let found = collect::collect(document);
        let mut outline =
            nest::nest(document.language, &document.source, found, Extent::Everything);
        outline.join(document.language.table.joined);
        outline
    }

    /// The items that stand directly in this one, or at the top.
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

    /// The comments and attributes that stand directly before an offset, in source order.
    pub(crate) fn before(&self, source: &str, start: usize) -> &[Trivia] {
        let end = self.trivia.partition_point(|trivia| trivia.range.end <= start);
        let mut first = end;
        let mut edge = start;
        while let Some(trivia) = first.checked_sub(1).map(|index| &self.trivia[index]) {
            if !touches(source, trivia.range.end, edge) || !begins_its_line(source, &trivia.range) {
                break;
            }
            edge = trivia.range.start;
            first -= 1;
        }
        &self.trivia[first..end]
    }

    /// Where an item begins with its docs and attributes.
    pub(crate) fn full_start(&self, source: &str, item: &Item) -> usize {
        let before = self.before(source, item.range.start);
        before.first().map_or(item.range.start, |first| first.range.start)
    }
}

/// Whether nothing but space stands between two offsets, and no empty line.
fn touches(source: &str, from: usize, to: usize) -> bool {
    // What stands between is far more often code than space, and that is told by its first byte.
    let Some(between) = source.get(from..to).filter(|between| between.trim().is_empty()) else {
        return false;
    };
    // A comment node may hold its own line end.
    let own = usize::from(source[..from].ends_with('\n'));
    between.matches('\n').count() + own <= 1
}

/// What stands after code on its line belongs to that code.
fn begins_its_line(source: &str, range: &Range<usize>) -> bool {
    let line = source[..range.start].rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty() || line.trim_start().starts_with("#[")
}
