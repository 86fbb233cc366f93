//! Finds a symbol by its path.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Item, Outline};

impl Document {
    /// The byte ranges of the items that a path names, with their docs and attributes.
    ///
    /// A path is a name, or names from the outside in with `::`, `.`, `#` or `/` between them;
    /// it may begin anywhere. Overloads and parts of one type in several blocks are all found.
    pub fn symbol(&self, path: &str) -> Vec<Range<usize>> {
        let wanted = parts(path);
        let (outline, _) = self.outline();
        let items = outline.items.iter().filter(|item| matches(&outline, item, &wanted));
        let whole_lines = |start: usize| self.source[..start].rfind('\n').map_or(0, |at| at + 1);
        items
            .map(|item| whole_lines(outline.full_start(&self.source, item))..item.range.end)
            .collect()
    }
}

fn parts(path: &str) -> Vec<&str> {
    let whole = path.trim().trim_end_matches("()");
    whole
        .split("::")
        .flat_map(|part| part.split(['.', '#', '/']))
        .filter(|part| !part.is_empty())
        .collect()
}

fn matches(outline: &Outline, item: &Item, wanted: &[&str]) -> bool {
    let Some((last, outer)) = wanted.split_last() else { return false };
    let is_named = item.name == *last || item.more_names.iter().any(|name| name == last);
    is_named && stands_in(outline, item, outer)
}

/// Whether the names of what an item stands in end like this.
fn stands_in(outline: &Outline, item: &Item, outer: &[&str]) -> bool {
    let Some((last, rest)) = outer.split_last() else { return true };
    if let Some(owner) = &item.owner {
        return owner == last && rest.is_empty();
    }
    let Some(parent) = item.parent.map(|parent| &outline.items[parent]) else { return false };
    if parent.name == *last {
        return stands_in(outline, parent, rest);
    }
    // Groups without a name of their own may be left out of a path.
    parent.name.is_empty() && stands_in(outline, parent, outer)
}
