//! Selects the items that a skeleton shows.

use crate::language::Language;
use crate::outline::Outline;
use crate::skeleton::LineIndex;
use crate::symbol_kind::SymbolKind;

/// Items that a skeleton does not show, and how many lines they have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) items: usize,
    pub(crate) lines: usize,
}

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

    /// Returns what is not shown, without the members of items that are not shown.
    pub(super) fn left_out(&self, outline: &Outline, lines: &LineIndex) -> LeftOut {
        let mut left_out = LeftOut::default();
        for (index, item) in outline.items.iter().enumerate() {
            let is_outermost = item.parent.is_none_or(|parent| self.contains(parent));
            if !self.contains(index) && is_outermost && !item.kind.is_part() {
                left_out.items += 1;
                left_out.lines += lines.range(&item.range).count();
            }
        }
        left_out
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.0[index]
    }
}
