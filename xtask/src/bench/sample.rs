//! Figures of many rounds: the middle one and the slow ones.

use std::time::Duration;

/// What the rounds of a trial took.
#[derive(Debug, Default)]
pub(super) struct Sample(Vec<Duration>);

impl Sample {
    pub(super) fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn median(&self) -> f64 {
        self.share(0.5)
    }

    pub(super) fn p95(&self) -> f64 {
        self.share(0.95)
    }

    pub(super) fn p99(&self) -> f64 {
        self.share(0.99)
    }

    /// Milliseconds that this share of the rounds stayed within.
    fn share(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        let place = (sorted.len() as f64 * share).ceil() as usize;
        sorted.get(place.saturating_sub(1)).map_or(f64::NAN, |took| took.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_from_the_fastest() {
        let mut sample = Sample::default();
        (1..=100).rev().for_each(|millis| sample.add(Duration::from_millis(millis)));
        assert!((sample.median() - 50.0).abs() < 1e-9);
        assert!((sample.p95() - 95.0).abs() < 1e-9);
        assert!(Sample::default().median().is_nan());
    }
}
