//! Runs a query over a tree and sorts the captures.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use tree_sitter::{
    Node, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator,
};

use super::Trivia;
use crate::captures::{Capture, Captures};
use crate::document::Document;
use crate::elision::ElidedSource;
use crate::symbol_kind::SymbolKind;

/// The captures of a document, before nesting.
#[derive(Default)]
pub(super) struct QueryResults {
    /// Sorted by start, outer items before inner ones.
    pub(super) items: Vec<CapturedItem>,
    pub(super) wrappers: Wrappers,
    pub(super) trivia: Vec<Trivia>,
    pub(super) sections: Vec<(usize, bool)>,
    pub(super) exported: HashSet<String>,
    pub(super) hidden: Vec<Range<usize>>,
    /// Ids of nodes that are exempt from `@opaque`.
    open: HashSet<usize>,
    pub(super) imports: Vec<Range<usize>>,
    pub(super) module_docs: Vec<Range<usize>>,
}

/// An item as captured; ranges refer to the source.
pub(super) struct CapturedItem {
    pub(super) id: usize,
    pattern: usize,
    /// `None` for an opaque node.
    pub(super) kind: Option<SymbolKind>,
    pub(super) range: Range<usize>,
    pub(super) name: Option<Range<usize>>,
    pub(super) more_names: Vec<Range<usize>>,
    pub(super) body: Option<Range<usize>>,
    pub(super) members: Option<Range<usize>>,
    pub(super) values: Vec<Range<usize>>,
    pub(super) doc: Option<Range<usize>>,
    pub(super) owner: Option<Range<usize>>,
}

/// Wrapper nodes by the ids of their children.
#[derive(Default)]
pub(super) struct Wrappers {
    by_child: HashMap<usize, Wrapper>,
    pub(super) any_exports: bool,
}

#[derive(Clone)]
pub(super) struct Wrapper {
    id: usize,
    pub(super) range: Range<usize>,
    pub(super) exports: bool,
}

/// Limit of in-progress matches, which only unusual texts reach. Each node is compared with all of them, so this and
/// the depth bound the cost of a tree.
const MAX_PENDING_MATCHES: u32 = 512;
/// Deeper nodes are ignored: each level may keep matches in progress until its end, so that a tree of 100,000 levels
/// would take quadratic time.
const MAX_NODE_DEPTH: u32 = 300;
/// Progress callbacks before a query is stopped; a count instead of a clock, as for the parser.
const MAX_STEPS: usize = 400_000;

pub(super) fn collect(document: &Document) -> QueryResults {
    let mut found = QueryResults::default();
    let Ok(compiled) = document.language.compiled() else { return found };
    if document.is_tangled() {
        return found;
    }
    let mut indices = HashMap::new();
    let mut steps = MAX_STEPS;
    let mut count = |_: &QueryCursorState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = QueryCursorOptions::new().progress_callback(&mut count);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_PENDING_MATCHES);
    cursor.set_max_start_depth(Some(MAX_NODE_DEPTH));
    let root = document.tree.root_node();
    let text = document.parsed_text();
    let mut matches = cursor.matches_with_options(&compiled.query, root, text.as_bytes(), options);
    while let Some(matched) = matches.next() {
        found.add_match(matched, &compiled.captures, text, &mut indices);
    }
    if let Some(elided) = &document.elided {
        found.map_to_source(elided);
    }
    found.sort();
    found
}

impl QueryResults {
    /// Adds a match; `indices` maps node ids to positions in `items`.
    fn add_match(
        &mut self,
        matched: &QueryMatch<'_, '_>,
        captures: &Captures,
        source: &str,
        indices: &mut HashMap<usize, usize>,
    ) {
        let captures_where = |filter: fn(&Capture) -> bool| {
            let nodes = matched.captures().iter();
            let known = nodes.filter_map(|found| Some((captures.get(found.index)?, found.node)));
            known.filter(move |(capture, _)| filter(capture))
        };
        let mut index = None;
        for (capture, node) in captures_where(|capture| matches!(capture, Capture::Item(_))) {
            index = self.item_index(capture, node, matched.pattern_index, indices);
        }
        for (capture, node) in captures_where(|capture| !matches!(capture, Capture::Item(_))) {
            let item = index.map(|index| &mut self.items[index]);
            match item {
                Some(item) if item.pattern == matched.pattern_index => {
                    item.add_capture(capture, node);
                }
                Some(_) => {}
                None => self.add_file_capture(capture, node, source),
            }
        }
    }

    /// Returns the index of an item; the first pattern that captured it wins.
    fn item_index(
        &mut self,
        capture: Capture,
        node: Node<'_>,
        pattern: usize,
        indices: &mut HashMap<usize, usize>,
    ) -> Option<usize> {
        let Capture::Item(kind) = capture else { return None };
        let next = self.items.len();
        let index = *indices.entry(node.id()).or_insert(next);
        if index == next {
            self.items.push(CapturedItem::new(Some(kind), node, pattern));
        } else if pattern < self.items[index].pattern {
            self.items[index] = CapturedItem::new(Some(kind), node, pattern);
        }
        Some(index)
    }

    fn add_file_capture(&mut self, capture: Capture, node: Node<'_>, source: &str) {
        let range = node.byte_range();
        match capture {
            Capture::Wrapper => self.wrappers.add(node, false),
            Capture::Export => self.wrappers.add(node, true),
            Capture::Exported => {
                self.wrappers.any_exports = true;
                self.exported.insert(source[range].trim_matches(['"', '\'']).to_owned());
            }
            Capture::Comment => self.trivia.push(Trivia { range, is_attribute: false }),
            Capture::Attribute => self.trivia.push(Trivia { range, is_attribute: true }),
            Capture::ModuleDoc => self.module_docs.push(range),
            Capture::Opaque => self.items.push(CapturedItem::new(None, node, 0)),
            Capture::Import => self.imports.push(range),
            Capture::Hidden => self.hidden.push(range),
            Capture::Open => {
                self.open.insert(node.id());
            }
            Capture::Section { is_public } => self.sections.push((range.start, is_public)),
            _ => {}
        }
    }

    /// Maps all ranges from the parsed text to the source.
    fn map_to_source(&mut self, elided: &ElidedSource) {
        let items = self.items.iter_mut().flat_map(CapturedItem::ranges);
        let wrappers = self.wrappers.by_child.values_mut().map(|wrapper| &mut wrapper.range);
        let trivia = self.trivia.iter_mut().map(|trivia| &mut trivia.range);
        let others = self.imports.iter_mut().chain(&mut self.module_docs).chain(&mut self.hidden);
        for range in items.chain(wrappers).chain(trivia).chain(others) {
            *range = elided.source_range(range);
        }
        for (start, _) in &mut self.sections {
            *start = elided.source_range(&(*start..*start)).start;
        }
        let comments = elided.comments.iter().cloned();
        self.trivia.extend(comments.map(|range| Trivia { range, is_attribute: false }));
    }

    fn sort(&mut self) {
        self.items.retain(|item| item.kind.is_some() || !self.open.contains(&item.id));
        // An opaque node precedes an item of the same range.
        let order = |item: &CapturedItem| {
            (item.range.start, usize::MAX - item.range.end, item.kind.is_some())
        };
        self.items.sort_by_key(order);
        self.trivia.sort_by_key(|trivia| trivia.range.start);
        self.trivia.dedup();
        self.sections.sort_unstable();
        self.imports.sort_by_key(|range| range.start);
        self.imports.dedup();
    }
}

impl CapturedItem {
    fn new(kind: Option<SymbolKind>, node: Node<'_>, pattern: usize) -> Self {
        Self {
            id: node.id(),
            pattern,
            kind,
            range: node.byte_range(),
            name: None,
            more_names: Vec::new(),
            body: None,
            members: None,
            values: Vec::new(),
            doc: None,
            owner: None,
        }
    }

    fn ranges(&mut self) -> impl Iterator<Item = &mut Range<usize>> {
        let parts =
            [&mut self.name, &mut self.body, &mut self.members, &mut self.doc, &mut self.owner];
        let lists = self.more_names.iter_mut().chain(&mut self.values);
        std::iter::once(&mut self.range).chain(parts.into_iter().flatten()).chain(lists)
    }

    fn add_capture(&mut self, capture: Capture, node: Node<'_>) {
        let range = node.byte_range();
        match capture {
            Capture::Name => self.add_name(range),
            Capture::Body => self.body = Some(range),
            Capture::Members => self.members = Some(range),
            Capture::Rest if self.members.is_none() => {
                self.members = Some(range.start..self.range.end);
            }
            Capture::Value if !self.values.contains(&range) => self.values.push(range),
            Capture::Doc => self.doc = Some(range),
            Capture::Owner => self.owner = Some(range),
            _ => {}
        }
    }
}

impl CapturedItem {
    /// A statement may declare several names, and a name may be captured several times.
    fn add_name(&mut self, range: Range<usize>) {
        match &self.name {
            None => self.name = Some(range),
            Some(name) if *name == range || self.more_names.contains(&range) => {}
            Some(_) => self.more_names.push(range),
        }
    }
}

impl Wrappers {
    fn add(&mut self, node: Node<'_>, exports: bool) {
        self.any_exports |= exports;
        let wrapper = Wrapper { id: node.id(), range: node.byte_range(), exports };
        for child in node.children(&mut node.walk()) {
            let known = self.by_child.entry(child.id()).or_insert_with(|| wrapper.clone());
            known.exports |= exports;
        }
    }

    /// Returns the outermost wrapper of a node, and whether any wrapper on the way exports.
    pub(super) fn outermost(&self, id: usize) -> Option<Wrapper> {
        let mut found = self.by_child.get(&id)?.clone();
        while let Some(outer) = self.by_child.get(&found.id) {
            found = Wrapper { exports: found.exports || outer.exports, ..outer.clone() };
        }
        Some(found)
    }
}
