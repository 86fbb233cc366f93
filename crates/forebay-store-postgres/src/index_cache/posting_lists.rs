//! LRU cache of posting lists, used while the project has no snapshot in memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::lexemes::{Occurrence, ParsedLexeme, parse_lexeme, truncate};
use super::chunk::ChunkRow;

/// Maximum number of postings in all lists: 16 bytes each. In 100,000 chunks a common word alone has thousands.
const MAX_POSTINGS: usize = 4_000_000;

/// The chunks that contain a word.
#[derive(Debug, Default, Clone)]
pub(in super::super) struct PostingList {
    pub(in super::super) postings: Vec<Posting>,
    /// The limit with which the list was read.
    limit: i64,
}

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Posting {
    pub(in super::super) chunk: i64,
    /// Number of words in the chunk.
    pub(in super::super) length: i32,
    /// Approximate frequency of the word in the chunk.
    pub(in super::super) frequency: f32,
}

#[derive(Debug, Default)]
pub(super) struct PostingListCache {
    /// Incremented when chunks are added: a list that was read before is then incomplete.
    pub(super) version: u64,
    postings: usize,
    by_word: HashMap<(Occurrence, String), CachedList>,
    /// Incremented with every use.
    clock: AtomicU64,
}

#[derive(Debug)]
struct CachedList {
    list: Arc<PostingList>,
    /// Clock value of the last use.
    last_used: AtomicU64,
}

impl PostingList {
    pub(in super::super) fn new(postings: Vec<Posting>, limit: i64) -> Self {
        Self { postings, limit }
    }

    /// Returns whether reading up to `limit` would return no more.
    pub(super) fn covers(&self, limit: i64) -> bool {
        self.limit >= limit || (self.postings.len() as i64) < self.limit
    }

    /// Adds a chunk unless the list contains it.
    fn add(&mut self, chunk: i64, length: i32, frequency: f32) {
        match self.postings.iter_mut().rev().find(|posting| posting.chunk == chunk) {
            Some(posting) => posting.frequency = posting.frequency.max(frequency),
            None => self.postings.push(Posting { chunk, length, frequency }),
        }
    }
}

impl PostingListCache {
    pub(super) fn clear(&mut self) {
        *self = Self { version: self.version + 1, ..Self::default() };
    }

    pub(super) fn get(&self, occurrence: Occurrence, stem: &str) -> Option<Arc<PostingList>> {
        let cached = self.by_word.get(&(occurrence, truncate(stem).to_owned()))?;
        cached.last_used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(&cached.list))
    }

    pub(super) fn put(&mut self, occurrence: Occurrence, stem: &str, list: Arc<PostingList>) {
        if self.postings + list.postings.len() > MAX_POSTINGS {
            self.evict_half();
        }
        self.postings += list.postings.len();
        let last_used = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed));
        let before = self
            .by_word
            .insert((occurrence, truncate(stem).to_owned()), CachedList { list, last_used });
        self.postings -= before.map_or(0, |before| before.list.postings.len());
    }

    /// Evicts the least recently used half.
    fn evict_half(&mut self) {
        let mut last_used: Vec<u64> = self.by_word.values().map(CachedList::last_used).collect();
        last_used.sort_unstable();
        let middle = last_used.get(last_used.len() / 2).copied().unwrap_or_default();
        self.by_word.retain(|_, cached| cached.last_used() > middle);
        self.postings = self.by_word.values().map(|cached| cached.list.postings.len()).sum();
    }

    /// Adds chunks to the lists of their words; `project` is the prefix of the lexemes.
    pub(super) fn add(&mut self, new: &[ChunkRow<'_>], project: &str) {
        self.version += 1;
        if self.by_word.is_empty() {
            return;
        }
        for new in new {
            for word in new.words.lexemes() {
                let Some(ParsedLexeme { occurrence, stem }) = parse_lexeme(word, project) else {
                    continue;
                };
                let (class, length) = match occurrence {
                    Occurrence::Context => (Occurrence::Context, new.around_length),
                    _ => (Occurrence::Present, new.length),
                };
                if let Some(cached) = self.by_word.get_mut(&(class, stem.to_owned())) {
                    Arc::make_mut(&mut cached.list).add(
                        new.id,
                        length,
                        occurrence.frequency() as f32,
                    );
                    self.postings += 1;
                }
            }
        }
    }
}

impl CachedList {
    fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }
}
