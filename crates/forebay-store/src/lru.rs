//! What was read lately and never changes: the next question needs much of the same.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::RandomState;
use parking_lot::Mutex;

/// What is held, by its key.
#[derive(Debug)]
pub struct LruCache<K, Piece> {
    most_bytes: usize,
    held: Mutex<Held<K, Piece>>,
}

#[derive(Debug)]
struct Held<K, Piece> {
    /// Counts up with every use.
    clock: u64,
    bytes: usize,
    pieces: HashMap<K, (u64, Piece), RandomState>,
}

/// What a piece takes in memory.
pub trait Bytes {
    fn bytes(&self) -> usize;
}

impl Bytes for [u8] {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl<Piece: Bytes + ?Sized> Bytes for Arc<Piece> {
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}

impl<K: Copy + Eq + Hash, Piece: Bytes + Clone> LruCache<K, Piece> {
    pub fn new(most_bytes: usize) -> Self {
        let held = Held { clock: 0, bytes: 0, pieces: HashMap::default() };
        Self { most_bytes, held: Mutex::new(held) }
    }

    pub fn get(&self, key: K) -> Option<Piece> {
        self.held.lock().get(key)
    }

    pub fn get_each(&self, keys: &[K]) -> Vec<Option<Piece>> {
        let mut held = self.held.lock();
        keys.iter().map(|key| held.get(*key)).collect()
    }

    pub fn put(&self, key: K, piece: Piece) {
        let mut held = self.held.lock();
        if held.bytes + piece.bytes() > self.most_bytes {
            held.let_go_of_half();
        }
        let clock = held.clock;
        held.bytes += piece.bytes();
        if let Some((_, before)) = held.pieces.insert(key, (clock, piece)) {
            held.bytes -= before.bytes();
        }
    }
}

impl<K: Copy + Eq + Hash, Piece: Bytes + Clone> Held<K, Piece> {
    fn get(&mut self, key: K) -> Option<Piece> {
        self.clock += 1;
        let (used, piece) = self.pieces.get_mut(&key)?;
        *used = self.clock;
        Some(piece.clone())
    }

    /// Lets go of the half that was not used for longest.
    fn let_go_of_half(&mut self) {
        let mut used: Vec<u64> = self.pieces.values().map(|(used, _)| *used).collect();
        used.sort_unstable();
        let middle = used.get(used.len() / 2).copied().unwrap_or_default();
        self.pieces.retain(|_, (used, _)| *used > middle);
        self.bytes = self.pieces.values().map(|(_, piece)| piece.bytes()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_held() {
        let lately = LruCache::new(800);
        let piece: Arc<[u8]> = vec![0; 100].into();
        for number in 0..8 {
            lately.put(number, Arc::clone(&piece));
            assert!(lately.get(number).is_some());
        }
        assert!(lately.get(0).is_some(), "all fit");
        lately.put(9, piece);
        assert!(lately.get(0).is_some() && lately.get(9).is_some());
        assert!(lately.get(1).is_none());
        assert!(lately.held.lock().bytes <= 800);
    }
}
