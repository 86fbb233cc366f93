//! Merges segments and drops tombstoned chunks; the module documentation describes the policy.

use foldhash::HashSet;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::chunk_lengths::ChunkLengths;
use super::encoded_segment::EncodedSegment;
use super::page::EncodedTerm;
use super::postings::{EncodedPostings, Posting, Postings, read_positions_of};
use super::segment::Segment;
use super::{Field, MAX_PAGES, term, tombstones, varint, vocabulary};

/// How many segments of one level are merged.
const MERGE_FACTOR: usize = 8;
/// Maximum chunks merged within the writing transaction; takes no longer than the write itself.
const MAX_CHUNKS_IN_TRANSACTION: i64 = 500;
/// Chunks that even a small write may merge afterwards; larger merges wait for a large write or an
/// idle time.
const MIN_CHUNKS_AFTER_WRITE: i64 = 6_000;
/// A large write may merge this many times its own chunks.
const WRITE_FACTOR: i64 = 10;
/// Maximum chunks merged when no request is waiting.
const MAX_CHUNKS_IDLE: i64 = 50_000;
/// Tombstones are purged when they exceed this percentage of the chunks, and at least this number.
const TOMBSTONE_PERCENT: i64 = 10;
const MIN_TOMBSTONES: i64 = 500;

/// Upper bound on the chunks that one merge may touch.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct MergeBudget(i64);

impl MergeBudget {
    /// When no request is waiting.
    pub(in super::super) const IDLE: Self = Self(MAX_CHUNKS_IDLE);

    /// Returns the budget after a write of this many chunks: a merge that takes no longer than the
    /// write.
    fn after(chunks: usize) -> Self {
        Self(MIN_CHUNKS_AFTER_WRITE.max(chunks as i64 * WRITE_FACTOR))
    }
}

/// Merges small segments; returns the budget for further merges, if any are due.
pub(super) fn after_write(
    transaction: &Transaction<'_>,
    field: Field,
    chunks: usize,
) -> rusqlite::Result<Option<MergeBudget>> {
    loop {
        let sizes = sizes(transaction, field)?;
        let Some(segments) = mergeable(&sizes, MergeBudget(MAX_CHUNKS_IN_TRANSACTION)) else {
            let budget = MergeBudget::after(chunks);
            return Ok(mergeable(&sizes, budget).map(|_| budget));
        };
        merge(transaction, field, &segments)?;
    }
}

/// Returns whether an idle-time merge or purge is due.
pub(in super::super) fn needs_maintenance(connection: &Connection) -> rusqlite::Result<bool> {
    for field in Field::ALL {
        let is_due = mergeable(&sizes(connection, field)?, MergeBudget::IDLE).is_some();
        if is_due || has_many_tombstones(connection, field)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Purges tombstones of fields that have many.
pub(in super::super) fn purge_many_tombstones(
    transaction: &Transaction<'_>,
) -> rusqlite::Result<()> {
    for field in Field::ALL {
        if has_many_tombstones(transaction, field)? {
            purge_field(transaction, field)?;
        }
    }
    Ok(())
}

/// Rewrites every segment that has a tombstoned chunk.
pub(in super::super) fn purge_tombstones(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    Field::ALL.into_iter().try_for_each(|field| purge_field(transaction, field))
}

fn purge_field(transaction: &Transaction<'_>, field: Field) -> rusqlite::Result<()> {
    let tombstones = tombstones(transaction, field)?;
    if tombstones.is_empty() {
        return Ok(());
    }
    for (id, _) in sizes(transaction, field)? {
        let segment = Segment::read(transaction, id)?;
        if segment.chunk_ids.iter().any(|chunk_id| tombstones.contains(chunk_id)) {
            merge(transaction, field, &[id])?;
        }
    }
    // The rest have no postings in this field.
    transaction.execute("DELETE FROM word_gone WHERE side = ?1", [field as i64]).map(drop)
}

fn has_many_tombstones(connection: &Connection, field: Field) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT count(*) > max(?2, ?3 * (SELECT coalesce(sum(passages), 0) / 100 FROM word_segment
                                             WHERE side = ?1))
             FROM word_gone WHERE side = ?1",
        )?
        .query_row((field as i64, MIN_TOMBSTONES, TOMBSTONE_PERCENT), |row| row.get(0))
}

/// Returns segments of one level that are due and within the budget.
fn mergeable(sizes: &[(i64, i64)], MergeBudget(max_chunks): MergeBudget) -> Option<Vec<i64>> {
    let level_of = |chunks: i64| chunks.max(1).ilog2() / MERGE_FACTOR.ilog2();
    (0..=i64::BITS / MERGE_FACTOR.ilog2()).find_map(|level| {
        let candidates = sizes.iter().filter(|(_, chunks)| level_of(*chunks) == level);
        let candidates: Vec<&(i64, i64)> = candidates.take(MERGE_FACTOR).collect();
        let total: i64 = candidates.iter().map(|(_, chunks)| chunks).sum();
        let is_due = candidates.len() == MERGE_FACTOR && total <= max_chunks;
        is_due.then(|| candidates.into_iter().map(|(id, _)| *id).collect())
    })
}

/// Returns id and chunk count of each segment, oldest first.
fn sizes(connection: &Connection, field: Field) -> rusqlite::Result<Vec<(i64, i64)>> {
    connection
        .prepare_cached("SELECT id, passages FROM word_segment WHERE side = ?1 ORDER BY id")?
        .query_map([field as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Replaces segments by one without tombstoned chunks.
fn merge(transaction: &Transaction<'_>, field: Field, ids: &[i64]) -> rusqlite::Result<()> {
    MergedSegment::new(transaction, field, ids.to_vec())?.install(transaction).map(drop)
}

/// The merge of several segments, without tombstoned chunks, not installed yet.
///
/// Segments are immutable, so merging needs no write transaction; chunks deleted in the meantime
/// keep their tombstones.
pub(in super::super) struct MergedSegment {
    field: Field,
    sources: Vec<i64>,
    dropped: Vec<i64>,
    segment: EncodedSegment,
}

impl MergedSegment {
    /// Merges the next segments that are due and within the budget; None if there are none.
    pub(in super::super) fn next(
        connection: &Connection,
        budget: MergeBudget,
    ) -> rusqlite::Result<Option<Self>> {
        for field in Field::ALL {
            if let Some(segments) = mergeable(&sizes(connection, field)?, budget) {
                return Self::new(connection, field, segments).map(Some);
            }
        }
        Ok(None)
    }

    pub(super) fn new(
        connection: &Connection,
        field: Field,
        ids: Vec<i64>,
    ) -> rusqlite::Result<Self> {
        let tombstones = tombstones(connection, field)?;
        let mut cursors = Vec::with_capacity(ids.len());
        let (mut chunks, mut dropped) = (Vec::new(), Vec::new());
        for id in &ids {
            let segment = Segment::read(connection, *id)?;
            cursors.push(SegmentCursor::open(
                connection,
                &segment,
                &tombstones,
                (&mut chunks, &mut dropped),
            )?);
        }
        let words = vocabulary::read_all(connection, &ids)?;
        let mut segment = EncodedSegment::new(ChunkLengths::with_assigned_ids(chunks), words);
        let mut terms = HashSet::default();
        let (mut term, mut postings) = (Vec::new(), EncodedPostings::default());
        while let Some(next) = cursors.iter().filter_map(SegmentCursor::term).min() {
            next.clone_into(&mut term);
            postings.clear();
            for cursor in cursors.iter_mut().filter(|cursor| cursor.term() == Some(&term)) {
                cursor.append_to(&mut postings);
                cursor.advance(connection)?;
            }
            if postings.count > 0 {
                segment.add(&term, &postings);
                if !dropped.is_empty() {
                    terms.insert(term.clone());
                }
            }
        }
        if !dropped.is_empty() {
            segment.retain_words(|word| {
                term::terms_of(word).iter().all(|term| terms.contains(term.as_bytes()))
            });
        }
        Ok(Self { field, sources: ids, dropped, segment })
    }

    /// Replaces the source segments; returns `false` if another process has merged one of them.
    pub(in super::super) fn install(self, transaction: &Transaction<'_>) -> rusqlite::Result<bool> {
        for id in &self.sources {
            let is_there: bool = transaction
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM word_segment WHERE id = ?1)")?
                .query_row([id], |row| row.get(0))?;
            if !is_there {
                return Ok(false);
            }
        }
        remove(transaction, self.field, &self.sources, &self.dropped)?;
        self.segment.write(transaction, self.field)?;
        Ok(true)
    }
}

fn remove(
    transaction: &Transaction<'_>,
    field: Field,
    ids: &[i64],
    dropped: &[i64],
) -> rusqlite::Result<()> {
    for id in ids {
        transaction.prepare_cached("DELETE FROM word_segment WHERE id = ?1")?.execute([id])?;
        for table in ["word_page", "word_places"] {
            transaction
                .prepare_cached(&format!("DELETE FROM {table} WHERE id >= ?1 AND id < ?2"))?
                .execute((id * MAX_PAGES, (id + 1) * MAX_PAGES))?;
        }
    }
    let mut delete =
        transaction.prepare_cached("DELETE FROM word_gone WHERE side = ?1 AND passage = ?2")?;
    dropped.iter().try_for_each(|chunk_id| delete.execute((field as i64, chunk_id)).map(drop))
}

/// Reads a segment term by term.
struct SegmentCursor {
    next_page: i64,
    terms: Vec<u8>,
    positions: Vec<u8>,
    /// Offsets of the next term in `terms` and in `positions`.
    at: (usize, usize),
    term: Vec<u8>,
    has_term: bool,
    postings: std::ops::Range<usize>,
    term_positions: std::ops::Range<usize>,
    ordinals: OrdinalMap,
}

/// Maps the ordinals of a segment to those of the merged one.
enum OrdinalMap {
    /// Shifted by this, if no chunk is dropped.
    Offset(u32),
    /// One by one; None for dropped chunks.
    Map(Vec<Option<u32>>),
}

impl OrdinalMap {
    /// Appends the chunks of a segment to the merged ones.
    fn new(
        segment: &Segment,
        tombstones: &HashSet<i64>,
        (chunks, dropped): (&mut Vec<(i64, u32)>, &mut Vec<i64>),
    ) -> Self {
        let before = (chunks.len() as u32, dropped.len());
        let mut ordinals = Vec::with_capacity(segment.chunk_ids.len());
        for (chunk_id, words) in segment.chunk_ids.iter().zip(&segment.lengths) {
            if tombstones.contains(chunk_id) {
                dropped.push(*chunk_id);
                ordinals.push(None);
            } else {
                ordinals.push(Some(chunks.len() as u32));
                chunks.push((*chunk_id, *words));
            }
        }
        if dropped.len() == before.1 { Self::Offset(before.0) } else { Self::Map(ordinals) }
    }
}

impl SegmentCursor {
    fn open(
        connection: &Connection,
        segment: &Segment,
        tombstones: &HashSet<i64>,
        merged: (&mut Vec<(i64, u32)>, &mut Vec<i64>),
    ) -> rusqlite::Result<Self> {
        let mut cursor = Self {
            next_page: segment.id * MAX_PAGES,
            terms: Vec::new(),
            positions: Vec::new(),
            at: (0, 0),
            term: Vec::new(),
            has_term: true,
            postings: 0..0,
            term_positions: 0..0,
            ordinals: OrdinalMap::new(segment, tombstones, merged),
        };
        cursor.advance(connection)?;
        Ok(cursor)
    }

    /// Returns the current term; None at the end.
    fn term(&self) -> Option<&[u8]> {
        self.has_term.then_some(&self.term[..])
    }

    fn advance(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.at.0 >= self.terms.len() && !self.load_next_page(connection)? {
            self.has_term = false;
            return Ok(());
        }
        self.has_term = self.read_term().is_some();
        Ok(())
    }

    fn load_next_page(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        let found = connection
            .prepare_cached(
                "SELECT terms, places FROM word_page JOIN word_places USING (id) WHERE id = ?1",
            )?
            .query_row([self.next_page], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        self.next_page += 1;
        let is_there = found.is_some();
        (self.terms, self.positions) = found.unwrap_or_default();
        self.at = (0, 0);
        self.term.clear();
        Ok(is_there)
    }

    fn read_term(&mut self) -> Option<()> {
        let mut left = self.terms.get(self.at.0..)?;
        let word = EncodedTerm::read(&mut left)?;
        word.apply_to(&mut self.term);
        let postings = word.postings;
        let end = self.terms.len() - left.len();
        self.postings = end - postings.len()..end;
        self.at.0 = end;
        let mut left = self.positions.get(self.at.1..)?;
        let positions = varint::read_slice(&mut left)?;
        let end = self.positions.len() - left.len();
        self.term_positions = end - positions.len()..end;
        self.at.1 = end;
        Some(())
    }

    /// Appends the current term's postings with their new ordinals.
    fn append_to(&self, output: &mut EncodedPostings) {
        let postings = &self.terms[self.postings.clone()];
        let positions = &self.positions[self.term_positions.clone()];
        match &self.ordinals {
            OrdinalMap::Offset(first) => output.append(postings, positions, *first),
            OrdinalMap::Map(ordinals) => append_remaining(output, postings, positions, ordinals),
        }
    }
}

fn append_remaining(
    output: &mut EncodedPostings,
    postings: &[u8],
    mut left: &[u8],
    ordinals: &[Option<u32>],
) {
    for posting in Postings::new(postings) {
        let Some(positions) = read_positions_of(&mut left, posting) else { return };
        if let Some(ordinal) = ordinals.get(posting.ordinal as usize).copied().flatten() {
            output.add(Posting { ordinal, ..posting });
            output.positions.extend_from_slice(positions);
        }
    }
}
