//! The rows that may be shown, in bounded memory whatever the size of the text.

use std::collections::{BTreeMap, VecDeque};

use super::fold::Row;

/// Each part holds this many times what a digest can show, so that there is a choice.
const SPARE: usize = 4;

/// And at least so many bytes.
const AT_LEAST: usize = 32 * 1024;

/// What a row costs beside its text.
const ROW_BYTES: usize = size_of::<Row>();

/// The first rows, the last rows, and the most telling of those between.
#[derive(Debug)]
pub(super) struct Kept {
    part: usize,
    head: Vec<Row>,
    head_bytes: usize,
    tail: VecDeque<Row>,
    tail_bytes: usize,
    /// By worth, then by line: what leaves first is the least telling, and of those the earliest.
    telling: BTreeMap<(u32, u64), Row>,
    telling_bytes: usize,
    failure: bool,
    wanted: bool,
}

impl Kept {
    pub(super) fn for_digest_of(bytes: usize) -> Self {
        Self {
            part: bytes.saturating_mul(SPARE).max(AT_LEAST),
            head: Vec::new(),
            head_bytes: 0,
            tail: VecDeque::new(),
            tail_bytes: 0,
            telling: BTreeMap::new(),
            telling_bytes: 0,
            failure: false,
            wanted: false,
        }
    }

    /// A row that says something failed was seen.
    pub(super) fn has_failure(&self) -> bool {
        self.failure
    }

    /// A row that has words of the intent was seen.
    pub(super) fn is_wanted(&self) -> bool {
        self.wanted
    }

    pub(super) fn keep(&mut self, row: Row, worth: u32) {
        self.failure |= row.salience.failure;
        self.wanted |= row.salience.wanted != 0;
        if self.head_bytes + size(&row) <= self.part && self.tail.is_empty() {
            self.head_bytes += size(&row);
            self.head.push(row);
            return;
        }
        if worth > 0 {
            self.keep_telling(&row, worth);
        }
        self.keep_last(row);
    }

    /// All rows kept, in order, each once.
    pub(super) fn into_rows(self) -> Vec<Row> {
        let mut rows = self.head;
        rows.extend(self.tail);
        rows.extend(self.telling.into_values());
        rows.sort_by_key(|row| row.first);
        rows.dedup_by_key(|row| row.first);
        rows
    }

    fn keep_telling(&mut self, row: &Row, worth: u32) {
        let key = (worth, row.first);
        let full = self.telling_bytes + size(row) > self.part;
        if full && self.telling.first_key_value().is_some_and(|(least, _)| key < *least) {
            return;
        }
        self.telling_bytes += size(row);
        self.telling.insert(key, row.clone());
        while self.telling_bytes > self.part
            && let Some((_, least)) = self.telling.pop_first()
        {
            self.telling_bytes -= size(&least);
        }
    }

    fn keep_last(&mut self, row: Row) {
        self.tail_bytes += size(&row);
        self.tail.push_back(row);
        while self.tail_bytes > self.part
            && let Some(oldest) = self.tail.pop_front()
        {
            self.tail_bytes -= size(&oldest);
        }
    }
}

fn size(row: &Row) -> usize {
    row.shown.len() + ROW_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::salience::Salience;

    fn row(line: u64) -> Row {
        let shown = format!("line {line}");
        Row { first: line, last: line, alike: false, shown, salience: Salience::default() }
    }

    #[test]
    fn what_is_kept_stays_small_and_holds_the_best() {
        let mut kept = Kept::for_digest_of(1_000);
        for line in 1..=100_000 {
            kept.keep(row(line), u32::from(line == 50_000) * 40 + u32::from(line % 9 == 0));
        }
        let rows = kept.into_rows();
        assert!(rows.iter().map(size).sum::<usize>() <= 3 * AT_LEAST);
        assert_eq!(rows.first(), Some(&row(1)));
        assert_eq!(rows.last(), Some(&row(100_000)));
        assert!(rows.contains(&row(50_000)));
        assert!(rows.is_sorted_by_key(|row| row.first));
    }
}
