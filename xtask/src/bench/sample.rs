//! Durations of repeated measurements, and their percentiles.

use std::time::Duration;

/// Durations of the rounds of a benchmark.
#[derive(Debug, Default)]
pub(super) struct Sample(Vec<Duration>);

impl Sample {
    pub(super) fn add(&mut self, elapsed: Duration) {
        self.0.push(elapsed);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn median(&self) -> f64 {
        self.percentile(0.5)
    }

    pub(super) fn p95(&self) -> f64 {
        self.percentile(0.95)
    }

    /// Describes the spread in milliseconds: `median of 5 runs (12-15 ms)`.
    pub(super) fn spread(&self) -> String {
        let (min, max) = (self.percentile(0.0), self.percentile(1.0));
        format!("median of {} runs ({min:.0}-{max:.0} ms)", self.0.len())
    }

    pub(super) fn p99(&self) -> f64 {
        self.percentile(0.99)
    }

    /// Returns a percentile in milliseconds; `fraction` is between 0 and 1.
    fn percentile(&self, fraction: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        let rank = (sorted.len() as f64 * fraction).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).map_or(f64::NAN, |elapsed| elapsed.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_counted_from_the_fastest() {
        let mut sample = Sample::default();
        (1..=100).rev().for_each(|millis| sample.add(Duration::from_millis(millis)));
        assert!((sample.median() - 50.0).abs() < 1e-9);
        assert!((sample.p95() - 95.0).abs() < 1e-9);
        assert_eq!(sample.spread(), "median of 100 runs (1-100 ms)");
        assert!(Sample::default().median().is_nan());
    }
}
