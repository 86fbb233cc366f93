//! Interns the terms of a segment: each gets an id in order of first occurrence.

use forebay_text::packed_word::prefix_key;

use super::string_arena::StringArena;
use super::word_table::WordTable;

#[derive(Default)]
pub(super) struct TermInterner {
    ids: WordTable<u32>,
    strings: StringArena,
}

impl TermInterner {
    /// Returns the id of a term, a new one if it is new.
    pub(super) fn id(&mut self, term: &str) -> u32 {
        if let Some(known) = self.ids.get(term, 0, term.len()) {
            return known;
        }
        let id = self.len() as u32;
        self.ids.insert(term, id);
        self.strings.push(term);
        id
    }

    pub(super) fn len(&self) -> usize {
        self.strings.count()
    }

    pub(super) fn string(&self, id: u32) -> &str {
        self.strings.get(id as usize)
    }

    /// Returns all ids in the order of their strings.
    pub(super) fn sorted_ids(&self) -> Vec<u32> {
        let prefix_key = |id: u32| prefix_key(self.string(id).as_bytes());
        let mut order: Vec<(u64, u32)> =
            (0..self.len() as u32).map(|id| (prefix_key(id), id)).collect();
        order.sort_unstable_by(|(a_prefix, a), (b_prefix, b)| {
            let by_name = || self.string(*a).cmp(self.string(*b));
            a_prefix.cmp(b_prefix).then_with(by_name)
        });
        order.into_iter().map(|(_, id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn interns_each_term_once(strings in prop::collection::vec("[a-zä]{1,20}", 0..60)) {
            let mut terms = TermInterner::default();
            for string in &strings {
                let id = terms.id(string);
                prop_assert_eq!(terms.string(id), string);
                prop_assert_eq!(terms.id(string), id);
            }
            let sorted_ids: Vec<&str> =
                terms.sorted_ids().into_iter().map(|id| terms.string(id)).collect();
            let mut expect: Vec<&str> = strings.iter().map(String::as_str).collect();
            expect.sort_unstable();
            expect.dedup();
            prop_assert_eq!(sorted_ids, expect);
        }
    }
}
