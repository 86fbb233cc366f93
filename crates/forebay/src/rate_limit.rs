//! Rate limiting: a token bucket for each caller or source.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of buckets; full ones are dropped beyond it.
const MAX_BUCKETS: usize = 10_000;

/// Allows each caller `per_second` requests, with bursts of `burst`.
pub(crate) struct RateLimit {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    filled: Instant,
}

impl RateLimit {
    pub(crate) fn new(per_second: f64, burst: f64) -> Self {
        Self { per_second, burst, buckets: Mutex::default() }
    }

    /// Takes a token from a caller's bucket; the error is the time to wait.
    pub(crate) fn take(&self, who: &str, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_BUCKETS {
            buckets.retain(|_, bucket| self.level(bucket, now) < self.burst);
        }
        let bucket = buckets
            .entry(who.to_owned())
            .or_insert_with(|| Bucket { left: self.burst, filled: now });
        (bucket.left, bucket.filled) = (self.level(bucket, now), now);
        if bucket.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.left) / self.per_second));
        }
        bucket.left -= 1.0;
        Ok(())
    }

    /// Returns a token that was taken for something that turned out not to count.
    pub(crate) fn give_back(&self, who: &str) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(who) {
            bucket.left = (bucket.left + 1.0).min(self.burst);
        }
    }

    /// Whether a caller's bucket is empty.
    pub(crate) fn is_exhausted(&self, who: &str, now: Instant) -> bool {
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.get(who).is_some_and(|bucket| self.level(bucket, now) < 1.0)
    }

    fn level(&self, bucket: &Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.filled).as_secs_f64();
        (bucket.left + since * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_empties_and_refills() {
        let rate = RateLimit::new(2.0, 3.0);
        let start = Instant::now();
        let ask = |who: &str, millis: u64| rate.take(who, start + Duration::from_millis(millis));
        for _ in 0..3 {
            assert_eq!(ask("a", 0), Ok(()));
        }
        assert_eq!(ask("a", 0), Err(Duration::from_millis(500)));
        assert!(rate.is_exhausted("a", start));
        rate.give_back("a");
        assert_eq!(ask("a", 0), Ok(()));
        assert_eq!(ask("b", 0), Ok(()), "another caller has a bucket of its own");
        assert_eq!(ask("a", 500), Ok(()));
        assert!(ask("a", 600).is_err());
        for _ in 0..3 {
            assert_eq!(ask("a", 60_000), Ok(()));
        }
        assert!(ask("a", 60_000).is_err(), "no more than the burst is saved up");
    }

    #[test]
    fn number_of_buckets_is_bounded() {
        let rate = RateLimit::new(1.0, 1.0);
        let start = Instant::now();
        for number in 0..50_000_u64 {
            let now = start + Duration::from_millis(number);
            assert_eq!(rate.take(&number.to_string(), now), Ok(()));
        }
        assert!(rate.buckets.lock().unwrap().len() <= MAX_BUCKETS);
    }
}
