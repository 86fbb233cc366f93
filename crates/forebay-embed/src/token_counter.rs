//! Token counts of a text: about half of its words repeat, and each row is then read only once.

use crate::embedding_table::ROWS;

/// A row of the embedding table and how often its token occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenCount {
    pub(crate) row: u16,
    pub(crate) count: u16,
}

pub(crate) struct TokenCounter {
    /// By row: its position in `counts` plus 1, or 0.
    positions: Vec<u16>,
    counts: Vec<TokenCount>,
}

impl TokenCounter {
    pub(crate) fn new() -> Self {
        Self { positions: vec![0; ROWS], counts: Vec::new() }
    }

    /// Counts the rows, in order of first occurrence.
    pub(crate) fn count(&mut self, rows: &[u16]) -> &[TokenCount] {
        for TokenCount { row, .. } in self.counts.drain(..) {
            self.positions[usize::from(row)] = 0;
        }
        for row in rows {
            let position = &mut self.positions[usize::from(*row)];
            if *position > 0 {
                self.counts[usize::from(*position) - 1].count += 1;
            } else {
                self.counts.push(TokenCount { row: *row, count: 1 });
                *position = self.counts.len() as u16;
            }
        }
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rows_in_order_of_first_occurrence() {
        let mut counter = TokenCounter::new();
        let counted = |row, count| TokenCount { row, count };
        assert_eq!(
            counter.count(&[7, 3, 7, 9, 7, 3]),
            [counted(7, 3), counted(3, 2), counted(9, 1)]
        );
        assert_eq!(counter.count(&[3]), [counted(3, 1)]);
        assert_eq!(counter.count(&[]), []);
    }
}
