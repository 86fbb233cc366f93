//! The chunks of a segment with their lengths in words.

use super::varint;

#[derive(Debug, Default)]
pub(super) struct ChunkLengths {
    /// Chunk ids, or ordinals until ids are assigned, and lengths.
    chunks: Vec<(i64, u32)>,
    /// How many have ids; those after them have ordinals.
    with_ids: usize,
}

impl ChunkLengths {
    /// Creates it from chunks with ids.
    pub(super) fn with_assigned_ids(chunks: Vec<(i64, u32)>) -> Self {
        Self { with_ids: chunks.len(), chunks }
    }

    pub(super) fn add(&mut self, ordinal: i64, words: u32) {
        self.chunks.push((ordinal, words));
    }

    pub(super) fn count(&self) -> usize {
        self.chunks.len()
    }

    /// Replaces ordinals by ids.
    pub(super) fn assign_ids(&mut self, ids: &[i64]) {
        for (chunk_id, _) in &mut self.chunks[self.with_ids..] {
            *chunk_id = ids.get(*chunk_id as usize).copied().unwrap_or_default();
        }
        self.with_ids = self.chunks.len();
    }

    /// Returns the lowest and the highest id; None if there are no chunks.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        let ids = self.chunks.iter().map(|(chunk_id, _)| *chunk_id);
        Some((ids.clone().min()?, ids.max()?))
    }

    /// Returns the total length in words.
    pub(super) fn words(&self) -> u64 {
        self.chunks.iter().map(|(_, words)| u64::from(*words)).sum()
    }

    /// Encodes each chunk as the delta from the previous id and its length.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.chunks.len() * 3);
        let mut previous = 0;
        for (chunk_id, words) in &self.chunks {
            let delta = chunk_id - previous;
            // Merged segments may have ids out of order; the lowest bit is the sign.
            varint::write(&mut bytes, delta.unsigned_abs() << 1 | u64::from(delta < 0));
            varint::write(&mut bytes, u64::from(*words));
            previous = *chunk_id;
        }
        bytes
    }
}
