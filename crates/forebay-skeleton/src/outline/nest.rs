//! Puts items into the items they stand in.

use std::ops::Range;

use super::collect::{Found, Raw};
use super::{Item, Outline};
use crate::kind::Kind;
use crate::language::Language;

/// Deeper items are left out; no one nests declarations like this.
const DEEPEST: usize = 48;

pub(super) fn nest(language: &Language, source: &str, found: Found) -> Outline {
    let mut nesting =
        Nesting { language, source, items: Vec::new(), open: Vec::new(), found: &found };
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
        let parent = match self.open.last().map(|open| &open.shown) {
            None => None,
            Some(Some((place, Some(members)))) if holds(members, &raw.range) => Some(*place),
            // `typedef struct { .. } name`: the type in it is the same thing.
            Some(Some((_, Some(members)))) if raw.members.as_ref() == Some(members) => return,
            Some(_) => return self.open.push(Open { range: raw.range.clone(), shown: None }),
        };
        let depth = parent.map_or(0, |parent| self.items[parent].depth + 1);
        if depth >= self.language.table.depth.min(DEEPEST) {
            return self.open.push(Open { range: raw.range.clone(), shown: None });
        }
        let item = self.item(raw, kind, parent, depth);
        let place = self.same_statement(&item).unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        });
        self.open
            .push(Open { range: raw.range.clone(), shown: Some((place, raw.members.clone())) });
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
        }
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
