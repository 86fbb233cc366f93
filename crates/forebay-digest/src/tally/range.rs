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

/// A number with all its digits and none more.
pub(crate) fn plain(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < 1e15 {
        return format!("{}", number as i64);
    }
    if (1e-6..1e15).contains(&size) { format!("{number}") } else { format!("{number:e}") }
}

/// A number that was worked out, with as many digits as say something.
pub(crate) fn rounded(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || size >= 1.0 {
        return plain((number * 100.0).round() / 100.0);
    }
    let places = (2 - size.log10().floor() as i32).clamp(2, 300);
    let text = format!("{number:.*}", places as usize);
    plain(text.parse().unwrap_or(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_say_something() {
        for (number, shown) in
            [(3.0, "3"), (0.00059, "0.00059"), (1e-7, "1e-7"), (2.55555, "2.55555"), (-0.5, "-0.5")]
        {
            assert_eq!(plain(number), shown);
        }
        for (number, shown) in
            [(29.5, "29.5"), (1.0 / 3.0, "0.333"), (0.000_295_5, "0.000296"), (1e3 / 7.0, "142.86")]
        {
            assert_eq!(rounded(number), shown);
        }
    }
}
