//! Runs a query over a tree and sorts what it captured.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use tree_sitter::{
    Node, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator,
};

use super::Trivia;
use crate::captures::{Capture, Captures};
use crate::document::Document;
use crate::kind::Kind;
use crate::surface::Surface;

/// What a query found, before it is nested.
#[derive(Default)]
pub(super) struct Found {
    /// By start, the outer before the inner.
    pub(super) items: Vec<Raw>,
    pub(super) wrappers: Wrappers,
    pub(super) trivia: Vec<Trivia>,
    pub(super) sections: Vec<(usize, bool)>,
    pub(super) exported: HashSet<String>,
    pub(super) hidden: Vec<Range<usize>>,
    /// The ids of what is not opaque though it looks so.
    open: HashSet<usize>,
    pub(super) imports: Vec<Range<usize>>,
    pub(super) purposes: Vec<Range<usize>>,
}

/// An item as captured.
pub(super) struct Raw {
    pub(super) id: usize,
    pattern: usize,
    /// Nothing for what hides its inside.
    pub(super) kind: Option<Kind>,
    pub(super) range: Range<usize>,
    pub(super) name: Option<Range<usize>>,
    pub(super) more_names: Vec<Range<usize>>,
    pub(super) body: Option<Range<usize>>,
    pub(super) members: Option<Range<usize>>,
    pub(super) values: Vec<Range<usize>>,
    pub(super) doc: Option<Range<usize>>,
    pub(super) owner: Option<Range<usize>>,
}

/// Nodes that begin where the item they hold begins, by the ids of what they hold.
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

/// Matches under way at once; more than this only happens in texts that no one wrote. Each node is compared with
/// all of them, so this and the depth bound what a tree costs.
const MATCHES_AT_ONCE: u32 = 512;
/// Nodes further in are not looked at: each level may leave matches under way until its end, and a tree of a hundred
/// thousand levels would take its square of steps. No one nests items like this.
const DEEPEST_NODE: u32 = 300;
/// How often a query may report progress; a count for the same reason as the parser's.
const MOST_STEPS: usize = 400_000;

pub(super) fn collect(document: &Document) -> Found {
    let mut found = Found::default();
    let Ok(compiled) = document.language.compiled() else { return found };
    if document.is_tangled() {
        return found;
    }
    let mut places = HashMap::new();
    let mut steps = MOST_STEPS;
    let mut count = |_: &QueryCursorState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = QueryCursorOptions::new().progress_callback(&mut count);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCHES_AT_ONCE);
    cursor.set_max_start_depth(Some(DEEPEST_NODE));
    let root = document.tree.root_node();
    let text = document.parsed_text();
    let mut matches = cursor.matches_with_options(&compiled.query, root, text.as_bytes(), options);
    while let Some(matched) = matches.next() {
        found.take(matched, &compiled.captures, text, &mut places);
    }
    if let Some(surface) = &document.surface {
        found.move_to_source(surface);
    }
    found.sort();
    found
}

impl Found {
    /// Takes one match; `places` tells where the item of a node stands in the list.
    fn take(
        &mut self,
        matched: &QueryMatch<'_, '_>,
        captures: &Captures,
        source: &str,
        places: &mut HashMap<usize, usize>,
    ) {
        let meanings = |wanted: fn(&Capture) -> bool| {
            let nodes = matched.captures().iter();
            let known = nodes.filter_map(|found| Some((captures.get(found.index)?, found.node)));
            known.filter(move |(capture, _)| wanted(capture))
        };
        let mut place = None;
        for (capture, node) in meanings(|capture| matches!(capture, Capture::Item(_))) {
            place = self.place(capture, node, matched.pattern_index, places);
        }
        for (capture, node) in meanings(|capture| !matches!(capture, Capture::Item(_))) {
            let item = place.map(|place| &mut self.items[place]);
            match item {
                Some(item) if item.pattern == matched.pattern_index => item.take(capture, node),
                Some(_) => {}
                None => self.take_other(capture, node, source),
            }
        }
    }

    /// The place of an item in the list; the first pattern that captured it counts.
    fn place(
        &mut self,
        capture: Capture,
        node: Node<'_>,
        pattern: usize,
        places: &mut HashMap<usize, usize>,
    ) -> Option<usize> {
        let Capture::Item(kind) = capture else { return None };
        let next = self.items.len();
        let place = *places.entry(node.id()).or_insert(next);
        if place == next {
            self.items.push(Raw::new(Some(kind), node, pattern));
        } else if pattern < self.items[place].pattern {
            self.items[place] = Raw::new(Some(kind), node, pattern);
        }
        Some(place)
    }

    fn take_other(&mut self, capture: Capture, node: Node<'_>, source: &str) {
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
            Capture::Purpose => self.purposes.push(range),
            Capture::Opaque => self.items.push(Raw::new(None, node, 0)),
            Capture::Import => self.imports.push(range),
            Capture::Hidden => self.hidden.push(range),
            Capture::Open => {
                self.open.insert(node.id());
            }
            Capture::Section { public } => self.sections.push((range.start, public)),
            _ => {}
        }
    }

    /// From where things stand in what was parsed to where they stand in the source.
    fn move_to_source(&mut self, surface: &Surface) {
        let items = self.items.iter_mut().flat_map(Raw::ranges);
        let wrappers = self.wrappers.by_child.values_mut().map(|wrapper| &mut wrapper.range);
        let trivia = self.trivia.iter_mut().map(|trivia| &mut trivia.range);
        let others = self.imports.iter_mut().chain(&mut self.purposes).chain(&mut self.hidden);
        for range in items.chain(wrappers).chain(trivia).chain(others) {
            *range = surface.in_source(range);
        }
        for (start, _) in &mut self.sections {
            *start = surface.in_source(&(*start..*start)).start;
        }
        let apart = surface.comments.iter().cloned();
        self.trivia.extend(apart.map(|range| Trivia { range, is_attribute: false }));
    }

    fn sort(&mut self) {
        self.items.retain(|item| item.kind.is_some() || !self.open.contains(&item.id));
        // What hides its inside comes before an item of the same extent.
        let order =
            |item: &Raw| (item.range.start, usize::MAX - item.range.end, item.kind.is_some());
        self.items.sort_by_key(order);
        self.trivia.sort_by_key(|trivia| trivia.range.start);
        self.trivia.dedup();
        self.sections.sort_unstable();
        self.imports.sort_by_key(|range| range.start);
        self.imports.dedup();
    }
}

impl Raw {
    fn new(kind: Option<Kind>, node: Node<'_>, pattern: usize) -> Self {
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

    fn take(&mut self, capture: Capture, node: Node<'_>) {
        let range = node.byte_range();
        match capture {
            Capture::Name => self.take_name(range),
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

impl Raw {
    /// A statement may declare several names; the same one may be captured several times.
    fn take_name(&mut self, range: Range<usize>) {
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

    /// The outermost wrapper of a node, and whether any on the way exports.
    pub(super) fn around(&self, id: usize) -> Option<Wrapper> {
        let mut found = self.by_child.get(&id)?.clone();
        while let Some(outer) = self.by_child.get(&found.id) {
            found = Wrapper { exports: found.exports || outer.exports, ..outer.clone() };
        }
        Some(found)
    }
}
