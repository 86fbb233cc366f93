//! Joins what declares a function with the equations that define it.

use super::{Item, Outline};
use crate::kind::Kind;

impl Outline {
    /// Makes one item of those of these kinds that follow each other by the same name.
    pub(super) fn join(&mut self, kinds: &[Kind]) {
        if kinds.is_empty() {
            return;
        }
        let items = std::mem::take(&mut self.items);
        let mut places: Vec<usize> = Vec::with_capacity(items.len());
        for mut item in items {
            item.parent = item.parent.map(|parent| places[parent]);
            let before = self.items.iter().rposition(|before| before.depth <= item.depth);
            match before {
                Some(place) if goes_on(kinds, &self.items[place], &item) => {
                    stretch(&mut self.items[place], &item);
                    places.push(place);
                }
                _ => {
                    places.push(self.items.len());
                    self.items.push(item);
                }
            }
        }
    }
}

fn goes_on(kinds: &[Kind], before: &Item, item: &Item) -> bool {
    let are_joined = kinds.contains(&before.kind) && kinds.contains(&item.kind);
    let is_named = before.name == item.name || before.more_names.contains(&item.name);
    are_joined && is_named && before.parent == item.parent && before.depth == item.depth
}

/// What follows the first line of an item is its body.
fn stretch(item: &mut Item, equation: &Item) {
    let body = item.body.as_ref().map_or(item.range.end, |body| body.start);
    item.body = Some(body..equation.range.end);
    item.range.end = equation.range.end;
}
