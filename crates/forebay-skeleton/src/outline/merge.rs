//! Merges the signature of a function with its equations.

use super::{Item, Outline};
use crate::symbol_kind::SymbolKind;

impl Outline {
    /// Merges adjacent items of these kinds that have the same name.
    pub(super) fn merge_adjacent(&mut self, kinds: &[SymbolKind]) {
        if kinds.is_empty() {
            return;
        }
        let items = std::mem::take(&mut self.items);
        let mut new_indices: Vec<usize> = Vec::with_capacity(items.len());
        for mut item in items {
            item.parent = item.parent.map(|parent| new_indices[parent]);
            let before = self.items.iter().rposition(|before| before.depth <= item.depth);
            match before {
                Some(index) if continues(kinds, &self.items[index], &item) => {
                    extend(&mut self.items[index], &item);
                    new_indices.push(index);
                }
                _ => {
                    new_indices.push(self.items.len());
                    self.items.push(item);
                }
            }
        }
    }
}

fn continues(kinds: &[SymbolKind], before: &Item, item: &Item) -> bool {
    let are_mergeable = kinds.contains(&before.kind) && kinds.contains(&item.kind);
    let is_named = before.name == item.name || before.more_names.contains(&item.name);
    are_mergeable && is_named && before.parent == item.parent && before.depth == item.depth
}

/// Everything after the first line becomes the body.
fn extend(item: &mut Item, equation: &Item) {
    let body = item.body.as_ref().map_or(item.range.end, |body| body.start);
    item.body = Some(body..equation.range.end);
    item.range.end = equation.range.end;
}
