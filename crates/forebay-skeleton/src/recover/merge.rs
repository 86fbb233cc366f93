//! Joins two outlines of one text.

use std::collections::{BTreeSet, HashMap};

use super::harmless;
use crate::document::Document;
use crate::errors::SyntaxError;
use crate::kind::Kind;
use crate::outline::{Item, Outline};

/// The items of both. What the whole tells without an error is right; of the rest, what both tell is
/// taken from the pieces, which follow the indentation.
pub(super) fn of(document: &Document, whole: Outline, pieces: Outline) -> Outline {
    let errors = document.syntax_errors();
    let names = |outline: &Outline| -> BTreeSet<usize> {
        outline.items.iter().map(|item| item.name_start).collect()
    };
    let (in_whole, in_pieces) = (names(&whole), names(&pieces));
    let is_sound = |item: &Item| {
        let told = |names: &BTreeSet<usize>| names.range(item.range.clone()).count();
        let touches = |error: &SyntaxError| {
            error.bytes.start <= item.range.end && item.range.start <= error.bytes.end
        };
        let tells_all = told(&in_pieces) <= told(&in_whole);
        tells_all && !errors.iter().any(touches) && harmless::is_indented(&document.source, item)
    };
    let (sound, doubtful): (Vec<Item>, Vec<Item>) = whole.items.into_iter().partition(is_sound);
    let is_settled = |item: &Item| sound.iter().any(|sound| sound.range.contains(&item.name_start));
    let pieces_items: Vec<Item> =
        pieces.items.into_iter().filter(|item| !is_settled(item)).collect();
    let known: BTreeSet<usize> = pieces_items.iter().map(|item| item.name_start).collect();
    let kinds: HashMap<usize, Kind> =
        doubtful.iter().map(|item| (item.name_start, item.kind)).collect();
    // A line alone may read as something else than in its place.
    let pieces_items = pieces_items.into_iter().map(|item| Item {
        kind: kinds.get(&item.name_start).copied().unwrap_or(item.kind),
        ..item
    });
    let is_other = |item: &Item| {
        // What holds a known item and has no members swallowed it by mistake.
        let swallows = item.members.is_none() && known.range(item.range.clone()).next().is_some();
        !known.contains(&item.name_start) && !swallows
    };
    let others = doubtful.into_iter().filter(is_other);
    let mut items: Vec<Item> = pieces_items.chain(others).chain(sound.clone()).collect();
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
        hidden: whole.hidden,
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
