//! Nests captured items.

use std::ops::Range;

use super::collect::{CapturedItem, QueryResults};
use super::{Item, Outline};
use crate::language::Language;
use crate::symbol_kind::SymbolKind;

/// Deeper items are omitted.
const MAX_DEPTH: usize = 48;

/// Which items an outline includes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    /// Items outside of bodies and values.
    Declarations,
    /// Also items in bodies and values.
    IncludingBodies,
}

pub(super) fn nest(
    language: &Language,
    source: &str,
    results: QueryResults,
    coverage: Coverage,
) -> Outline {
    let (items, open) = (Vec::new(), Vec::new());
    let mut nester = Nester { language, source, items, open, results: &results, coverage };
    for captured in &results.items {
        nester.add(captured);
    }
    let items = nester.items;
    let plain_name =
        |range: &Range<usize>| (language.spec.plain_name)(source[range.clone()].trim());
    let hidden = results.hidden.iter().map(|range| (range.start, plain_name(range))).collect();
    Outline {
        items,
        trivia: results.trivia,
        module_docs: results.module_docs,
        imports: results.imports,
        sections: results.sections,
        has_exports: results.wrappers.any_exports,
        exported: results.exported,
        hidden,
    }
}

struct Nester<'a> {
    language: &'a Language,
    source: &'a str,
    results: &'a QueryResults,
    items: Vec<Item>,
    /// The items that may enclose the next one, outermost first.
    open: Vec<OpenItem>,
    coverage: Coverage,
}

/// What encloses an item.
enum Enclosing {
    TopLevel,
    /// An item, whose members or body it is in.
    Item {
        index: usize,
        is_in_body: bool,
    },
    /// An omitted or opaque node.
    Omitted,
    /// An item with the same members under another name.
    SameItem,
}

struct OpenItem {
    range: Range<usize>,
    /// Index of the item and range of its members; `None` if it is omitted.
    item: Option<(usize, Option<Range<usize>>)>,
}

impl Nester<'_> {
    fn add(&mut self, captured: &CapturedItem) {
        while self.open.last().is_some_and(|open| open.range.end <= captured.range.start) {
            self.open.pop();
        }
        let Some(kind) = captured.kind else {
            return self.open.push(OpenItem { range: captured.range.clone(), item: None });
        };
        let (parent, body_depth) = match self.enclosing(captured) {
            Enclosing::SameItem => return,
            Enclosing::Omitted => {
                return self.open.push(OpenItem { range: captured.range.clone(), item: None });
            }
            Enclosing::TopLevel => (None, 0),
            Enclosing::Item { index, is_in_body } => {
                (Some(index), self.items[index].body_depth + usize::from(is_in_body))
            }
        };
        let depth = parent.map_or(0, |parent| self.items[parent].depth + 1);
        if depth >= self.max_depth() {
            return self.open.push(OpenItem { range: captured.range.clone(), item: None });
        }
        let item = Item { body_depth, ..self.item(captured, kind, parent, depth) };
        let index = self.merge_into_statement(&item).unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        });
        self.open.push(OpenItem {
            range: captured.range.clone(),
            item: Some((index, captured.members.clone())),
        });
    }

    fn enclosing(&self, captured: &CapturedItem) -> Enclosing {
        match self.open.last().map(|open| &open.item) {
            None => Enclosing::TopLevel,
            Some(Some((index, Some(members)))) if contains(members, &captured.range) => {
                Enclosing::Item { index: *index, is_in_body: false }
            }
            // In `typedef struct { .. } name`, the struct is the same item.
            Some(Some((_, Some(members)))) if captured.members.as_ref() == Some(members) => {
                Enclosing::SameItem
            }
            Some(_) if self.coverage == Coverage::Declarations => Enclosing::Omitted,
            Some(_) => self.enclosing_body(),
        }
    }

    /// Returns the innermost open item, whose body contains the next one.
    fn enclosing_body(&self) -> Enclosing {
        let mut item = self.open.iter().rev().filter_map(|open| open.item.as_ref());
        let Some((index, _)) = item.next() else { return Enclosing::TopLevel };
        let is_direct = self.open.last().is_some_and(|last| last.item.is_some());
        // Trait implementations are items like those that the trait declares.
        let is_implemented = is_direct && self.items[*index].kind == SymbolKind::Impl;
        Enclosing::Item { index: *index, is_in_body: !is_implemented }
    }

    fn max_depth(&self) -> usize {
        match self.coverage {
            Coverage::Declarations => self.language.spec.max_depth.min(MAX_DEPTH),
            Coverage::IncludingBodies => MAX_DEPTH,
        }
    }

    /// Merges an item into the previous one if the same statement declares both.
    fn merge_into_statement(&mut self, item: &Item) -> Option<usize> {
        let index = self.items.iter().rposition(|before| before.depth <= item.depth)?;
        let before = &mut self.items[index];
        if before.range != item.range || before.depth != item.depth {
            return None;
        }
        before.more_names.push(item.name.clone());
        before.values.extend(item.values.iter().cloned());
        Some(index)
    }

    fn item(
        &self,
        captured: &CapturedItem,
        kind: SymbolKind,
        parent: Option<usize>,
        depth: usize,
    ) -> Item {
        let wrapper = self.results.wrappers.outermost(captured.id);
        let plain_name = |range: &Range<usize>| {
            (self.language.spec.plain_name)(self.source[range.clone()].trim())
        };
        Item {
            kind,
            name: captured.name.as_ref().map(plain_name).unwrap_or_default(),
            qualified: captured.name.as_ref().map(|name| self.qualified(name)).unwrap_or_default(),
            more_names: captured.more_names.iter().map(plain_name).collect(),
            name_start: captured.name.as_ref().map_or(captured.range.start, |name| name.start),
            is_exported: wrapper.as_ref().is_some_and(|wrapper| wrapper.exports),
            range: wrapper.map_or_else(|| captured.range.clone(), |outer| outer.range),
            body: captured.body.clone(),
            members: captured.members.clone(),
            values: captured.values.clone(),
            doc: captured.doc.clone(),
            owner: captured.owner.as_ref().map(plain_name),
            is_public: false,
            parent,
            depth,
            body_depth: 0,
        }
    }
}

impl Nester<'_> {
    /// Returns a name with its qualifier as written: `Foo.prototype.go`.
    fn qualified(&self, name: &Range<usize>) -> String {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '\\');
        let before = &self.source[..name.start];
        let start = before.trim_end_matches(is_part).len();
        let is_qualified = before[start..].ends_with(['.', ':', '\\']);
        self.source[if is_qualified { start } else { name.start }..name.end].trim().to_owned()
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
