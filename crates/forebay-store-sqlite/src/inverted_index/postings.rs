//! Where a word stands: in which passages of a segment, how often in title and body, and at which places.

use super::varint;

/// How often a word stands in one passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The passage's number in its segment.
    pub(super) passage: u32,
    pub(super) title: u32,
    pub(super) body: u32,
}

/// A list as it is written: the passages in order, and apart from them the places.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) count: u32,
    pub(super) postings: Vec<u8>,
    pub(super) places: Vec<u8>,
    last: u32,
}

impl List {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.last = 0;
        self.postings.clear();
        self.places.clear();
    }

    /// Adds a passage after those before it. Its places are put into `places`: those of the title, then those of
    /// the body.
    #[inline]
    pub(super) fn add(&mut self, posting: Posting) {
        let step = u64::from(posting.passage - self.last) << 1;
        // Most words stand once in a body, and that takes one bit.
        if (posting.title, posting.body) == (0, 1) {
            varint::put(&mut self.postings, step);
        } else {
            varint::put(&mut self.postings, step | 1);
            varint::put(&mut self.postings, u64::from(posting.title));
            varint::put(&mut self.postings, u64::from(posting.body));
        }
        self.last = posting.passage;
        self.count += 1;
    }
}

impl List {
    /// Adds a whole list after those before it, its passages counted from `first` on. Each is told by its distance
    /// from the one before, so that only the first is written anew.
    pub(super) fn append(&mut self, postings: &[u8], places: &[u8], first: u32) {
        let mut others = Postings::of(postings);
        let Some(posting) = others.next() else { return };
        self.add(Posting { passage: first + posting.passage, ..posting });
        self.postings.extend_from_slice(others.bytes);
        self.places.extend_from_slice(places);
        for posting in others {
            self.last = first + posting.passage;
            self.count += 1;
        }
    }
}

/// Reads a list.
#[derive(Clone)]
pub(super) struct Postings<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, last: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        let step = varint::take(&mut self.bytes)?;
        self.last = self.last.wrapping_add((step >> 1) as u32);
        let (title, body) = if step & 1 == 0 {
            (0, 1)
        } else {
            (varint::take(&mut self.bytes)? as u32, varint::take(&mut self.bytes)? as u32)
        };
        Some(Posting { passage: self.last, title, body })
    }
}

/// Places in one field, each told by its distance from the one before.
#[derive(Debug, Default)]
pub(super) struct PlaceWriter {
    last: u32,
}

impl PlaceWriter {
    #[inline]
    pub(super) fn put(&mut self, bytes: &mut Vec<u8>, place: u32) {
        varint::put(bytes, u64::from(place - self.last));
        self.last = place;
    }
}

/// Takes the bytes of a passage's places off the front.
pub(super) fn take_places<'a>(bytes: &mut &'a [u8], posting: Posting) -> Option<&'a [u8]> {
    let whole = *bytes;
    for _ in 0..posting.title + posting.body {
        varint::take(bytes)?;
    }
    Some(&whole[..whole.len() - bytes.len()])
}

/// The places in a passage; those in the body come far behind those in the title.
pub(super) fn places(mut bytes: &[u8], posting: Posting) -> Vec<u64> {
    const BODY: u64 = 1 << 32;
    let mut places = Vec::with_capacity((posting.title + posting.body) as usize);
    for (count, start) in [(posting.title, 0), (posting.body, BODY)] {
        let mut place = start;
        for _ in 0..count {
            let Some(step) = varint::take(&mut bytes) else { return places };
            place += step;
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let mut list = List::default();
        let rows = [(0, 0, 1, vec![7]), (3, 1, 2, vec![0, 5, 9]), (900, 0, 2, vec![1, 2])];
        for (passage, title, body, at) in &rows {
            for field in [&at[..*title as usize], &at[*title as usize..]] {
                let mut writer = PlaceWriter::default();
                for place in field {
                    writer.put(&mut list.places, *place);
                }
            }
            list.add(Posting { passage: *passage, title: *title, body: *body });
        }
        assert_eq!(list.count, 3);
        let mut left = &list.places[..];
        for (posting, (passage, title, body, at)) in Postings::of(&list.postings).zip(rows) {
            assert_eq!(posting, Posting { passage, title, body });
            let own = take_places(&mut left, posting).unwrap();
            let own: Vec<u32> = places(own, posting).iter().map(|place| *place as u32).collect();
            assert_eq!(own, at);
        }
    }
}
