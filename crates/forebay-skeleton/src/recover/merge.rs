//! Merges two outlines of one text.

use std::collections::{BTreeSet, HashMap};

use super::containment;
use crate::document::Document;
use crate::errors::SyntaxError;
use crate::outline::{Item, Outline};
use crate::symbol_kind::SymbolKind;

/// Merges the outline of the whole tree with that of the blocks.
///
/// Items of the whole that no error touches are kept. Of the others, those in both outlines are taken from the
/// blocks, which follow the indentation.
pub(super) fn merge(document: &Document, whole: Outline, blocks: Outline) -> Outline {
    let errors = document.syntax_errors();
    let names = |outline: &Outline| -> BTreeSet<usize> {
        outline.items.iter().map(|item| item.name_start).collect()
    };
    let (in_whole, in_blocks) = (names(&whole), names(&blocks));
    let is_sound = |item: &Item| {
        let count = |names: &BTreeSet<usize>| names.range(item.range.clone()).count();
        let touches = |error: &SyntaxError| {
            error.bytes.start <= item.range.end && item.range.start <= error.bytes.end
        };
        let is_complete = count(&in_blocks) <= count(&in_whole);
        is_complete
            && !errors.iter().any(touches)
            && containment::is_consistently_indented(&document.source, item)
    };
    let (sound, doubtful): (Vec<Item>, Vec<Item>) = whole.items.into_iter().partition(is_sound);
    let is_covered = |item: &Item| sound.iter().any(|sound| sound.range.contains(&item.name_start));
    let block_items: Vec<Item> =
        blocks.items.into_iter().filter(|item| !is_covered(item)).collect();
    let block_names: BTreeSet<usize> = block_items.iter().map(|item| item.name_start).collect();
    let kinds: HashMap<usize, SymbolKind> =
        doubtful.iter().map(|item| (item.name_start, item.kind)).collect();
    // A line may parse differently on its own; its kind in the whole tree is more reliable.
    let block_items = block_items.into_iter().map(|item| Item {
        kind: kinds.get(&item.name_start).copied().unwrap_or(item.kind),
        ..item
    });
    let is_additional = |item: &Item| {
        // An item without members that contains an item of the blocks swallowed it by mistake.
        let swallows =
            item.members.is_none() && block_names.range(item.range.clone()).next().is_some();
        !block_names.contains(&item.name_start) && !swallows
    };
    let additional = doubtful.into_iter().filter(is_additional);
    let mut items: Vec<Item> = block_items.chain(additional).chain(sound.clone()).collect();
    items.sort_by_key(|item| (item.range.start, usize::MAX - item.range.end));
    let mut trivia: Vec<_> = whole.trivia.into_iter().chain(blocks.trivia).collect();
    trivia.sort_by_key(|trivia| (trivia.range.start, trivia.range.end));
    trivia.dedup();
    let mut sections: Vec<_> = whole.sections.into_iter().chain(blocks.sections).collect();
    sections.sort_unstable();
    sections.dedup();
    Outline {
        has_exports: whole.has_exports || items.iter().any(|item| item.is_exported),
        items: nested(items),
        trivia,
        sections,
        module_docs: whole.module_docs,
        imports: whole.imports,
        exported: whole.exported,
        hidden: whole.hidden,
    }
}

/// Nests each item in the innermost one whose members contain it; bodies may extend too far.
fn nested(mut items: Vec<Item>) -> Vec<Item> {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..items.len() {
        let range = items[index].range.clone();
        while open.last().is_some_and(|last| !contains(&items[*last], range.start, range.end)) {
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

fn contains(item: &Item, start: usize, end: usize) -> bool {
    item.members.as_ref().is_some_and(|members| members.start <= start && end <= members.end)
}
