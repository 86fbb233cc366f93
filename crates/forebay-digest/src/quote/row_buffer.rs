//! Holds candidate rows in bounded memory, whatever the size of the text.

use std::collections::{BTreeMap, VecDeque};

use super::fold::Row;

/// Each part of the buffer holds this many times the size of the digest, to leave a choice.
const OVERSAMPLING: usize = 4;

/// Minimum size of each part.
const MIN_PART_BYTES: usize = 32 * 1024;

/// Memory of a row beside its text.
const ROW_OVERHEAD_BYTES: usize = size_of::<Row>();

/// The first rows, the last rows, and the most salient rows between them.
#[derive(Debug)]
pub(super) struct RowBuffer {
    part_bytes: usize,
    head: Vec<Row>,
    head_bytes: usize,
    tail: VecDeque<Row>,
    tail_bytes: usize,
    /// By score, then by line; the lowest score is evicted first, of equals the earliest line.
    salient: BTreeMap<(u32, u64), Row>,
    salient_bytes: usize,
    has_failure: bool,
    has_intent_match: bool,
}

impl RowBuffer {
    pub(super) fn for_digest_bytes(bytes: usize) -> Self {
        Self {
            part_bytes: bytes.saturating_mul(OVERSAMPLING).max(MIN_PART_BYTES),
            head: Vec::new(),
            head_bytes: 0,
            tail: VecDeque::new(),
            tail_bytes: 0,
            salient: BTreeMap::new(),
            salient_bytes: 0,
            has_failure: false,
            has_intent_match: false,
        }
    }

    /// Returns true if any row reported a failure.
    pub(super) fn has_failure(&self) -> bool {
        self.has_failure
    }

    /// Returns true if any row contained intent words.
    pub(super) fn has_intent_match(&self) -> bool {
        self.has_intent_match
    }

    pub(super) fn push(&mut self, row: Row, score: u32) {
        self.has_failure |= row.salience.is_failure;
        self.has_intent_match |= row.salience.intent_mask != 0;
        if self.head_bytes + size(&row) <= self.part_bytes && self.tail.is_empty() {
            self.head_bytes += size(&row);
            self.head.push(row);
            return;
        }
        if score > 0 {
            self.push_salient(&row, score);
        }
        self.push_tail(row);
    }

    /// Returns all buffered rows in line order, without duplicates.
    pub(super) fn into_rows(self) -> Vec<Row> {
        let mut rows = self.head;
        rows.extend(self.tail);
        rows.extend(self.salient.into_values());
        rows.sort_by_key(|row| row.first);
        rows.dedup_by_key(|row| row.first);
        rows
    }

    fn push_salient(&mut self, row: &Row, score: u32) {
        let key = (score, row.first);
        let full = self.salient_bytes + size(row) > self.part_bytes;
        if full && self.salient.first_key_value().is_some_and(|(lowest, _)| key < *lowest) {
            return;
        }
        self.salient_bytes += size(row);
        self.salient.insert(key, row.clone());
        while self.salient_bytes > self.part_bytes
            && let Some((_, lowest)) = self.salient.pop_first()
        {
            self.salient_bytes -= size(&lowest);
        }
    }

    fn push_tail(&mut self, row: Row) {
        self.tail_bytes += size(&row);
        self.tail.push_back(row);
        while self.tail_bytes > self.part_bytes
            && let Some(oldest) = self.tail.pop_front()
        {
            self.tail_bytes -= size(&oldest);
        }
    }
}

fn size(row: &Row) -> usize {
    row.shown.len() + row.mark.len() + ROW_OVERHEAD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::salience::Salience;

    fn row(line: u64) -> Row {
        let shown = format!("line {line}");
        Row {
            first: line,
            last: line,
            has_variants: false,
            shown,
            mark: String::new(),
            is_blank: false,
            salience: Salience::default(),
            score: None,
            reason: None,
        }
    }

    #[test]
    fn buffer_stays_bounded_and_keeps_the_best_rows() {
        let mut buffer = RowBuffer::for_digest_bytes(1_000);
        for line in 1..=100_000 {
            buffer.push(row(line), u32::from(line == 50_000) * 40 + u32::from(line % 9 == 0));
        }
        let rows = buffer.into_rows();
        assert!(rows.iter().map(size).sum::<usize>() <= 3 * MIN_PART_BYTES);
        assert_eq!(rows.first(), Some(&row(1)));
        assert_eq!(rows.last(), Some(&row(100_000)));
        assert!(rows.contains(&row(50_000)));
        assert!(rows.is_sorted_by_key(|row| row.first));
    }
}
