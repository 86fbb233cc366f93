//! Postings: the chunks of a segment that contain a term, how often, and at which positions.

use super::varint;

/// How often a term occurs in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The chunk's ordinal in its segment.
    pub(super) ordinal: u32,
    pub(super) title: u32,
    pub(super) body: u32,
}

/// Encoded postings of a term, with the positions in a separate buffer.
#[derive(Debug, Default)]
pub(super) struct EncodedPostings {
    pub(super) count: u32,
    pub(super) postings: Vec<u8>,
    pub(super) positions: Vec<u8>,
    last: u32,
}

impl EncodedPostings {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.last = 0;
        self.postings.clear();
        self.positions.clear();
    }

    /// Adds the next chunk. The caller appends its positions: those of the title, then those of the
    /// body.
    #[inline]
    pub(super) fn add(&mut self, posting: Posting) {
        let delta = u64::from(posting.ordinal - self.last) << 1;
        // One occurrence in the body is the most frequent case and takes one bit.
        if (posting.title, posting.body) == (0, 1) {
            varint::write(&mut self.postings, delta);
        } else {
            varint::write(&mut self.postings, delta | 1);
            varint::write(&mut self.postings, u64::from(posting.title));
            varint::write(&mut self.postings, u64::from(posting.body));
        }
        self.last = posting.ordinal;
        self.count += 1;
    }
}

impl EncodedPostings {
    /// Appends encoded postings with their ordinals shifted by `first`. Ordinals are delta-encoded,
    /// so only the first is re-encoded.
    pub(super) fn append(&mut self, postings: &[u8], positions: &[u8], first: u32) {
        let mut others = Postings::new(postings);
        let Some(posting) = others.next() else { return };
        self.add(Posting { ordinal: first + posting.ordinal, ..posting });
        self.postings.extend_from_slice(others.bytes);
        self.positions.extend_from_slice(positions);
        for posting in others {
            self.last = first + posting.ordinal;
            self.count += 1;
        }
    }
}

/// Decodes postings.
#[derive(Clone)]
pub(super) struct Postings<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, last: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        let delta = varint::read(&mut self.bytes)?;
        self.last = self.last.wrapping_add((delta >> 1) as u32);
        let (title, body) = if delta & 1 == 0 {
            (0, 1)
        } else {
            (varint::read(&mut self.bytes)? as u32, varint::read(&mut self.bytes)? as u32)
        };
        Some(Posting { ordinal: self.last, title, body })
    }
}

/// Delta-encodes positions in one section.
#[derive(Debug, Default)]
pub(super) struct PositionWriter {
    last: u32,
}

impl PositionWriter {
    #[inline]
    pub(super) fn write(&mut self, bytes: &mut Vec<u8>, position: u32) {
        varint::write(bytes, u64::from(position - self.last));
        self.last = position;
    }
}

/// Reads the encoded positions of a chunk.
pub(super) fn read_positions_of<'a>(bytes: &mut &'a [u8], posting: Posting) -> Option<&'a [u8]> {
    let whole = *bytes;
    for _ in 0..posting.title + posting.body {
        varint::read(bytes)?;
    }
    Some(&whole[..whole.len() - bytes.len()])
}

/// Decodes positions; those in the body start at 2^32.
pub(super) fn positions(mut bytes: &[u8], posting: Posting) -> Vec<u64> {
    const BODY: u64 = 1 << 32;
    let mut positions = Vec::with_capacity((posting.title + posting.body) as usize);
    for (count, start) in [(posting.title, 0), (posting.body, BODY)] {
        let mut position = start;
        for _ in 0..count {
            let Some(delta) = varint::read(&mut bytes) else { return positions };
            position += delta;
            positions.push(position);
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_was_encoded() {
        let mut list = EncodedPostings::default();
        let rows = [(0, 0, 1, vec![7]), (3, 1, 2, vec![0, 5, 9]), (900, 0, 2, vec![1, 2])];
        for (ordinal, title, body, positions_of) in &rows {
            for section in [&positions_of[..*title as usize], &positions_of[*title as usize..]] {
                let mut writer = PositionWriter::default();
                for position in section {
                    writer.write(&mut list.positions, *position);
                }
            }
            list.add(Posting { ordinal: *ordinal, title: *title, body: *body });
        }
        assert_eq!(list.count, 3);
        let mut rest = &list.positions[..];
        for (posting, (ordinal, title, body, positions_of)) in
            Postings::new(&list.postings).zip(rows)
        {
            assert_eq!(posting, Posting { ordinal, title, body });
            let of_chunk = read_positions_of(&mut rest, posting).unwrap();
            let of_chunk: Vec<u32> =
                positions(of_chunk, posting).iter().map(|position| *position as u32).collect();
            assert_eq!(of_chunk, positions_of);
        }
    }
}
