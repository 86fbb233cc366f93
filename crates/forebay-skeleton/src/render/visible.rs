//! Which items a skeleton shows.

use crate::kind::Kind;
use crate::language::Language;
use crate::outline::Outline;

pub(super) struct Shown(Vec<bool>);

impl Shown {
    pub(super) fn of(language: &Language, source: &str, outline: &Outline, private: bool) -> Self {
        let hidden = |start: usize| {
            let before = outline.before(source, start).iter();
            let mut attributes = before.filter(|trivia| trivia.is_attribute);
            attributes.any(|trivia| (language.table.hides)(&source[trivia.range.clone()]))
        };
        let mut shown: Vec<bool> = outline
            .items
            .iter()
            .map(|item| private || (item.public && !hidden(item.range.start)))
            .collect();
        let mut holds_shown = vec![false; shown.len()];
        for (index, item) in outline.items.iter().enumerate().rev() {
            // A group is shown for what it holds; what is hidden on purpose hides what it holds.
            if item.kind.is_mere_group() && item.members.is_some() {
                let is_named = item.kind == Kind::Module && shown[index];
                let is_seen = item.kind == Kind::Module || shown[index];
                let holds = holds_shown[index] && is_seen && !hidden(item.range.start);
                shown[index] = is_named || holds;
            }
            if let Some(parent) = item.parent.filter(|_| shown[index]) {
                holds_shown[parent] = true;
            }
        }
        for (index, item) in outline.items.iter().enumerate() {
            shown[index] &= item.parent.is_none_or(|parent| shown[parent]);
        }
        Self(shown)
    }

    pub(super) fn is(&self, index: usize) -> bool {
        self.0[index]
    }
}
