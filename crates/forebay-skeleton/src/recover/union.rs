//! Joins two outlines of one text.

use std::collections::{BTreeSet, HashMap};

use crate::kind::Kind;
use crate::outline::{Item, Outline};

/// The items of both; those that both tell are taken from the second, which follows the indentation.
pub(super) fn of(whole: Outline, pieces: Outline) -> Outline {
    let kinds: HashMap<usize, Kind> =
        whole.items.iter().map(|item| (item.name_start, item.kind)).collect();
    let known: BTreeSet<usize> = pieces.items.iter().map(|item| item.name_start).collect();
    // A line alone may read as something else than in its place.
    let pieces_items = pieces.items.into_iter().map(|item| Item {
        kind: kinds.get(&item.name_start).copied().unwrap_or(item.kind),
        ..item
    });
    let is_other = |item: &Item| {
        // What holds a known item and has no members swallowed it by mistake.
        let swallows = item.members.is_none() && known.range(item.range.clone()).next().is_some();
        !known.contains(&item.name_start) && !swallows
    };
    let others = whole.items.into_iter().filter(is_other);
    let mut items: Vec<Item> = pieces_items.chain(others).collect();
    items.sort_by_key(|item| (item.range.start, usize::MAX - item.range.end));
    let mut trivia: Vec<_> = whole.trivia.into_iter().chain(pieces.trivia).collect();
    trivia.sort_by_key(|trivia| (trivia.range.start, trivia.range.end));
    trivia.dedup();
    let mut sections: Vec<_> = whole.sections.into_iter().chain(pieces.sections).collect();
    sections.sort_unstable();
    sections.dedup();
    Outline {
        exports: whole.exports || items.iter().any(|item| item.exported),
        items: nested(items),
        trivia,
        sections,
        purposes: whole.purposes,
        imports: whole.imports,
        exported: whole.exported,
    }
}

/// Puts each item into the innermost one whose members hold it; bodies may reach too far.
fn nested(mut items: Vec<Item>) -> Vec<Item> {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..items.len() {
        let range = items[index].range.clone();
        while open.last().is_some_and(|last| !holds(&items[*last], range.start, range.end)) {
            open.pop();
        }
        items[index].parent = open.last().copied();
        items[index].depth = open.len();
        if items[index].members.is_some() {
            open.push(index);
        }
    }
    items
}

fn holds(item: &Item, start: usize, end: usize) -> bool {
    item.members.as_ref().is_some_and(|members| members.start <= start && end <= members.end)
}
