//! The mean of a sample with the interval that contains the true mean in 95 of 100 samples.

/// A mean, and the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Fewer values say too little: the interval of Student's t assumes that their mean is about normally distributed.
pub const MIN_VALUES: usize = 10;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_985;

impl Interval {
    /// `None` if there are fewer than [`MIN_VALUES`] values.
    pub fn of_mean(values: &[f64]) -> Option<Self> {
        if values.len() < MIN_VALUES {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half = t(count - 1.0) * (squares / (count - 1.0) / count).sqrt();
        Some(Self { mean, low: mean - half, high: mean + half })
    }

    /// Whether the true mean may be zero.
    pub fn contains_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// The 97.5th percentile of Student's t distribution, by the expansion of Cornish and Fisher.
fn t(freedom: f64) -> f64 {
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0;
    Z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of printed tables.
    #[test]
    fn percentiles_are_those_of_tables() {
        for (freedom, expect) in [(9.0, 2.262), (14.0, 2.145), (29.0, 2.045), (100.0, 1.984)] {
            let found = t(freedom);
            assert!((found - expect).abs() < 0.001, "{freedom}: {found}");
        }
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(Interval::of_mean(&[1.0; 9]), None);
        let same = Interval::of_mean(&[3.0; 10]).unwrap();
        assert_eq!(same, Interval { mean: 3.0, low: 3.0, high: 3.0 });
        assert!(!same.contains_zero());
    }

    #[test]
    fn an_interval_is_that_of_the_textbook() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let found = Interval::of_mean(&values).unwrap();
        // Mean 5.5, standard deviation 3.02765, 2.262 * 3.02765 / sqrt(10) = 2.1658.
        assert!((found.mean - 5.5).abs() < 1e-9);
        assert!(
            (found.high - 7.6658).abs() < 0.002 && (found.low - 3.3342).abs() < 0.002,
            "{found:?}"
        );
    }
}
