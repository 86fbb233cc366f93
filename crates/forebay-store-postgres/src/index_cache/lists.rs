//! Passages of words that were asked for lately, where not all words are held.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::lexemes::{Standing, Written, known, written};
use super::chunk::Passage;

/// What lists may hold together: 16 bytes each. In 100,000 passages a common word alone has thousands.
const MOST_POSTINGS: usize = 4_000_000;

/// Passages with a word.
#[derive(Debug, Default, Clone)]
pub(in super::super) struct List {
    pub(in super::super) postings: Vec<Posting>,
    /// No more than these were read.
    most: i64,
}

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Posting {
    pub(in super::super) passage: i64,
    /// The words of the passage.
    pub(in super::super) length: i32,
    /// About how often the word stands there.
    pub(in super::super) times: f32,
}

#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Counts up when something is added: a list that was read before that lacks it.
    pub(super) changes: u64,
    postings: usize,
    by_word: HashMap<(Standing, String), HeldList>,
    /// Counts up with every use.
    clock: AtomicU64,
}

#[derive(Debug)]
struct HeldList {
    list: Arc<List>,
    /// When it was used last.
    used: AtomicU64,
}

impl List {
    pub(in super::super) fn new(postings: Vec<Posting>, most: i64) -> Self {
        Self { postings, most }
    }

    /// Whether reading up to `most` would give no more.
    pub(super) fn suffices(&self, most: i64) -> bool {
        self.most >= most || (self.postings.len() as i64) < self.most
    }

    /// Adds a passage, unless it was read with the list already.
    fn add(&mut self, passage: i64, length: i32, times: f32) {
        match self.postings.iter_mut().rev().find(|posting| posting.passage == passage) {
            Some(posting) => posting.times = posting.times.max(times),
            None => self.postings.push(Posting { passage, length, times }),
        }
    }
}

impl Lists {
    pub(super) fn let_go(&mut self) {
        *self = Self { changes: self.changes + 1, ..Self::default() };
    }

    pub(super) fn get(&self, standing: Standing, stem: &str) -> Option<Arc<List>> {
        let held = self.by_word.get(&(standing, known(stem).to_owned()))?;
        held.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(&held.list))
    }

    pub(super) fn put(&mut self, standing: Standing, stem: &str, list: Arc<List>) {
        if self.postings + list.postings.len() > MOST_POSTINGS {
            self.let_go_of_half();
        }
        self.postings += list.postings.len();
        let used = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed));
        let before =
            self.by_word.insert((standing, known(stem).to_owned()), HeldList { list, used });
        self.postings -= before.map_or(0, |before| before.list.postings.len());
    }

    /// Lets go of the half that was not used for longest.
    fn let_go_of_half(&mut self) {
        let mut used: Vec<u64> = self.by_word.values().map(HeldList::used).collect();
        used.sort_unstable();
        let middle = used.get(used.len() / 2).copied().unwrap_or_default();
        self.by_word.retain(|_, held| held.used() > middle);
        self.postings = self.by_word.values().map(|held| held.list.postings.len()).sum();
    }

    /// Adds passages to the lists of their words; `project` is how those begin.
    pub(super) fn add(&mut self, new: &[Passage<'_>], project: &str) {
        self.changes += 1;
        if self.by_word.is_empty() {
            return;
        }
        for new in new {
            for word in new.words.lexemes() {
                let Some(Written { standing, stem }) = written(word, project) else { continue };
                let (of, length) = match standing {
                    Standing::Around => (Standing::Around, new.around_length),
                    _ => (Standing::There, new.length),
                };
                if let Some(held) = self.by_word.get_mut(&(of, stem.to_owned())) {
                    Arc::make_mut(&mut held.list).add(new.id, length, standing.times() as f32);
                    self.postings += 1;
                }
            }
        }
    }
}

impl HeldList {
    fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}
