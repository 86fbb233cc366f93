//! The terms of a segment in the making: each has a number in the order in which it came.

use forebay_text::packed_word::prefix_key;

use super::names::Names;
use super::table::Table;

#[derive(Default)]
pub(super) struct Terms {
    numbers: Table<u32>,
    names: Names,
}

impl Terms {
    /// The number of a term, which is a new one where it is new.
    pub(super) fn number(&mut self, term: &str) -> u32 {
        if let Some(known) = self.numbers.get(term, 0, term.len()) {
            return known;
        }
        let number = self.count() as u32;
        self.numbers.insert(term, number);
        self.names.push(term);
        number
    }

    pub(super) fn count(&self) -> usize {
        self.names.count()
    }

    pub(super) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize)
    }

    /// The numbers of all terms in the order of their names.
    pub(super) fn in_order(&self) -> Vec<u32> {
        let beginning = |number: u32| prefix_key(self.name(number).as_bytes());
        let mut order: Vec<(u64, u32)> =
            (0..self.count() as u32).map(|number| (beginning(number), number)).collect();
        order.sort_unstable_by(|(one_begins, one), (other_begins, other)| {
            let by_name = || self.name(*one).cmp(self.name(*other));
            one_begins.cmp(other_begins).then_with(by_name)
        });
        order.into_iter().map(|(_, number)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn terms_are_known_by_their_numbers(names in prop::collection::vec("[a-zä]{1,20}", 0..60)) {
            let mut terms = Terms::default();
            for name in &names {
                let number = terms.number(name);
                prop_assert_eq!(terms.name(number), name);
                prop_assert_eq!(terms.number(name), number);
            }
            let in_order: Vec<&str> =
                terms.in_order().into_iter().map(|number| terms.name(number)).collect();
            let mut expect: Vec<&str> = names.iter().map(String::as_str).collect();
            expect.sort_unstable();
            expect.dedup();
            prop_assert_eq!(in_order, expect);
        }
    }
}
