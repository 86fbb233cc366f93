//! Selects the items that a skeleton shows.

use crate::language::Language;
use crate::outline::Outline;
use crate::symbol_kind::SymbolKind;

/// Whether each item of an outline is shown.
pub(super) struct VisibleItems(Vec<bool>);

impl VisibleItems {
    pub(super) fn new(
        language: &Language,
        source: &str,
        outline: &Outline,
        include_private: bool,
    ) -> Self {
        let hidden = |start: usize| {
            let before = outline.trivia_before(source, start).iter();
            let mut attributes = before.filter(|trivia| trivia.is_attribute);
            attributes.any(|trivia| (language.spec.hides_item)(&source[trivia.range.clone()]))
        };
        let mut visible: Vec<bool> = outline
            .items
            .iter()
            .map(|item| include_private || (item.is_public && !hidden(item.range.start)))
            .collect();
        let mut has_visible = vec![false; visible.len()];
        for (index, item) in outline.items.iter().enumerate().rev() {
            // A group is shown if it has visible members; an excluded group hides its members.
            if item.kind.is_grouping() && item.members.is_some() {
                let is_named = item.kind == SymbolKind::Module && visible[index];
                let may_show = item.kind == SymbolKind::Module || visible[index];
                let has_members = has_visible[index] && may_show && !hidden(item.range.start);
                visible[index] = is_named || has_members;
            }
            if let Some(parent) = item.parent.filter(|_| visible[index]) {
                has_visible[parent] = true;
            }
        }
        for (index, item) in outline.items.iter().enumerate() {
            visible[index] &= item.parent.is_none_or(|parent| visible[parent]);
        }
        Self(visible)
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.0[index]
    }
}
