//! How often each row is named: half of the words of a text are repeated, and a row is read once.

use crate::table::ROWS;

/// A row, and how often it was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) row: u16,
    pub(crate) times: u16,
}

pub(crate) struct Tally {
    /// Where a row stands in `counted`, from 1 on; 0 for all others.
    places: Vec<u16>,
    counted: Vec<Counted>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self { places: vec![0; ROWS], counted: Vec::new() }
    }

    /// The rows in the order in which they are first named.
    pub(crate) fn count(&mut self, rows: &[u16]) -> &[Counted] {
        for Counted { row, .. } in self.counted.drain(..) {
            self.places[usize::from(row)] = 0;
        }
        for row in rows {
            let place = &mut self.places[usize::from(*row)];
            if *place > 0 {
                self.counted[usize::from(*place) - 1].times += 1;
            } else {
                self.counted.push(Counted { row: *row, times: 1 });
                *place = self.counted.len() as u16;
            }
        }
        &self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_in_the_order_they_come() {
        let mut tally = Tally::new();
        let counted = |row, times| Counted { row, times };
        assert_eq!(tally.count(&[7, 3, 7, 9, 7, 3]), [counted(7, 3), counted(3, 2), counted(9, 1)]);
        assert_eq!(tally.count(&[3]), [counted(3, 1)]);
        assert_eq!(tally.count(&[]), []);
    }
}
