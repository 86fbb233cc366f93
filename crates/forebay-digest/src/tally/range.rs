//! The range of numbers.

/// Smallest, largest and sum of the numbers seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Range {
    pub(crate) count: u64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) sum: f64,
}

impl Range {
    pub(crate) fn add(&mut self, number: f64) {
        if self.count == 0 {
            (self.least, self.most) = (number, number);
        }
        self.count += 1;
        self.least = self.least.min(number);
        self.most = self.most.max(number);
        self.sum += number;
    }

    /// Adds what the other has seen.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.count == 0 {
            *self = other;
        } else if other.count > 0 {
            self.count += other.count;
            self.least = self.least.min(other.least);
            self.most = self.most.max(other.most);
            self.sum += other.sum;
        }
    }

    pub(crate) fn mean(self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// `3..41`, or the one number there is.
    pub(crate) fn show(self) -> String {
        if self.least.total_cmp(&self.most).is_eq() {
            return plain(self.least);
        }
        format!("{}..{}", plain(self.least), plain(self.most))
    }
}

/// A number without needless digits.
pub(crate) fn plain(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{}", number as i64);
    }
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
