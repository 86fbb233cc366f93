//! Puts items into the items they stand in.

use std::ops::Range;

use super::collect::{Found, Raw};
use super::{Item, Outline};
use crate::kind::Kind;
use crate::language::Language;

/// Deeper items are left out; no one nests declarations like this.
const DEEPEST: usize = 48;

/// Which items are taken over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those that others may see.
    Surface,
    /// Also those in bodies and values.
    Everything,
}

pub(super) fn nest(language: &Language, source: &str, found: Found, extent: Extent) -> Outline {
    let (items, open) = (Vec::new(), Vec::new());
    let mut nesting = Nesting { language, source, items, open, found: &found, extent };
    for raw in &found.items {
        nesting.add(raw);
    }
    let items = nesting.items;
    let name_of = |range: &Range<usize>| (language.table.name_of)(source[range.clone()].trim());
    let hidden = found.hidden.iter().map(|range| (range.start, name_of(range))).collect();
    Outline {
        items,
        trivia: found.trivia,
        purposes: found.purposes,
        imports: found.imports,
        sections: found.sections,
        exports: found.wrappers.any_exports,
        exported: found.exported,
        hidden,
    }
}

struct Nesting<'a> {
    language: &'a Language,
    source: &'a str,
    found: &'a Found,
    items: Vec<Item>,
    /// The items that the next one may stand in, outermost first.
    open: Vec<Open>,
    extent: Extent,
}

/// What an item stands in.
enum Around {
    Nothing,
    /// The item at this place, in its members, or hidden in it.
    Item {
        place: usize,
        is_hidden: bool,
    },
    /// Something that is left out.
    LeftOut,
    /// The same thing under another name.
    Itself,
}

struct Open {
    range: Range<usize>,
    /// Its place in the list, with the range of its members; nothing for what is left out.
    shown: Option<(usize, Option<Range<usize>>)>,
}

impl Nesting<'_> {
    fn add(&mut self, raw: &Raw) {
        while self.open.last().is_some_and(|open| open.range.end <= raw.range.start) {
            self.open.pop();
        }
        let Some(kind) = raw.kind else {
            return self.open.push(Open { range: raw.range.clone(), shown: None });
        };
        let (parent, inside) = match self.around(raw) {
            Around::Itself => return,
            Around::LeftOut => {
                return self.open.push(Open { range: raw.range.clone(), shown: None });
            }
            Around::Nothing => (None, 0),
            Around::Item { place, is_hidden } => {
                (Some(place), self.items[place].inside + usize::from(is_hidden))
            }
        };
        let depth = parent.map_or(0, |parent| self.items[parent].depth + 1);
        if depth >= self.deepest() {
            return self.open.push(Open { range: raw.range.clone(), shown: None });
        }
        let item = Item { inside, ..self.item(raw, kind, parent, depth) };
        let place = self.same_statement(&item).unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        });
        self.open
            .push(Open { range: raw.range.clone(), shown: Some((place, raw.members.clone())) });
    }

    fn around(&self, raw: &Raw) -> Around {
        match self.open.last().map(|open| &open.shown) {
            None => Around::Nothing,
            Some(Some((place, Some(members)))) if holds(members, &raw.range) => {
                Around::Item { place: *place, is_hidden: false }
            }
            // `typedef struct { .. } name`: the type in it is the same thing.
            Some(Some((_, Some(members)))) if raw.members.as_ref() == Some(members) => {
                Around::Itself
            }
            Some(_) if self.extent == Extent::Surface => Around::LeftOut,
            Some(_) => self.hidden_in(),
        }
    }

    /// The innermost open item, which hides what stands in it.
    fn hidden_in(&self) -> Around {
        let mut shown = self.open.iter().rev().filter_map(|open| open.shown.as_ref());
        let Some((place, _)) = shown.next() else { return Around::Nothing };
        let is_direct = self.open.last().is_some_and(|last| last.shown.is_some());
        // What implements a trait is as much an item as what the trait declares.
        let is_implemented = is_direct && self.items[*place].kind == Kind::Impl;
        Around::Item { place: *place, is_hidden: !is_implemented }
    }

    fn deepest(&self) -> usize {
        match self.extent {
            Extent::Surface => self.language.table.depth.min(DEEPEST),
            Extent::Everything => DEEPEST,
        }
    }

    /// Joins an item to the one before it when both are declared by one statement.
    fn same_statement(&mut self, item: &Item) -> Option<usize> {
        let place = self.items.iter().rposition(|before| before.depth <= item.depth)?;
        let before = &mut self.items[place];
        if before.range != item.range || before.depth != item.depth {
            return None;
        }
        before.more_names.push(item.name.clone());
        before.values.extend(item.values.iter().cloned());
        Some(place)
    }

    fn item(&self, raw: &Raw, kind: Kind, parent: Option<usize>, depth: usize) -> Item {
        let wrapper = self.found.wrappers.around(raw.id);
        let name_of =
            |range: &Range<usize>| (self.language.table.name_of)(self.source[range.clone()].trim());
        Item {
            kind,
            name: raw.name.as_ref().map(name_of).unwrap_or_default(),
            qualified: raw.name.as_ref().map(|name| self.qualified(name)).unwrap_or_default(),
            more_names: raw.more_names.iter().map(name_of).collect(),
            name_start: raw.name.as_ref().map_or(raw.range.start, |name| name.start),
            exported: wrapper.as_ref().is_some_and(|wrapper| wrapper.exports),
            range: wrapper.map_or_else(|| raw.range.clone(), |outer| outer.range),
            body: raw.body.clone(),
            members: raw.members.clone(),
            values: raw.values.clone(),
            doc: raw.doc.clone(),
            owner: raw.owner.as_ref().map(name_of),
            public: false,
            parent,
            depth,
            inside: 0,
        }
    }
}

impl Nesting<'_> {
    /// A name as it is written, with what qualifies it: `Foo.prototype.go`.
    fn qualified(&self, name: &Range<usize>) -> String {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '\\');
        let before = &self.source[..name.start];
        let start = before.trim_end_matches(is_part).len();
        let is_qualified = before[start..].ends_with(['.', ':', '\\']);
        self.source[if is_qualified { start } else { name.start }..name.end].trim().to_owned()
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
