//! Byte-bounded caches of immutable values.

use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::RandomState;
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};

/// The cache allots at least 32 values to a shard, so this makes at most four shards: one value may
/// take a quarter of the capacity, which the page of a frequent term in a large segment needs.
const EXPECTED_VALUES: usize = 128;

/// A concurrent cache bounded by the bytes of its values.
pub type ByteCache<Key, Value> = Cache<Key, Value, ByByteSize, RandomState>;

/// Creates a cache that holds at most `max_bytes`.
pub fn byte_cache<Key, Value>(max_bytes: usize) -> ByteCache<Key, Value>
where
    Key: Eq + Hash,
    Value: ByteSize + Clone,
{
    let (hasher, lifecycle) = (RandomState::default(), DefaultLifecycle::default());
    Cache::with(EXPECTED_VALUES, max_bytes as u64, ByByteSize, hasher, lifecycle)
}

/// The memory that a value takes.
pub trait ByteSize {
    fn byte_size(&self) -> usize;
}

impl<Value: ByteSize + ?Sized> ByteSize for Arc<Value> {
    fn byte_size(&self) -> usize {
        (**self).byte_size()
    }
}

/// Weighs values by their [`ByteSize`].
#[derive(Debug, Clone)]
pub struct ByByteSize;

impl<Key, Value: ByteSize> Weighter<Key, Value> for ByByteSize {
    fn weight(&self, _: &Key, value: &Value) -> u64 {
        value.byte_size() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ByteSize for [u8] {
        fn byte_size(&self) -> usize {
            self.len()
        }
    }

    #[test]
    fn evicts_values_beyond_the_byte_limit() {
        let cache = byte_cache(1_000);
        let value: Arc<[u8]> = vec![0; 100].into();
        for key in 0..100 {
            cache.insert(key, Arc::clone(&value));
            assert!(cache.weight() <= 1_000);
        }
        assert!((1..=10).contains(&(0..100).filter(|key| cache.get(key).is_some()).count()));
    }

    #[test]
    fn keeps_everything_below_the_byte_limit() {
        let cache = byte_cache(16 * 1_000);
        let value: Arc<[u8]> = vec![0; 100].into();
        for key in 0..20 {
            cache.insert(key, Arc::clone(&value));
        }
        assert!((0..20).all(|key| cache.get(&key).is_some()));
    }
}
