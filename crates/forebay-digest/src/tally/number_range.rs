//! Range and sum of numbers.

/// Count, minimum, maximum and sum of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct NumberRange {
    pub(crate) count: u64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) sum: f64,
}

impl NumberRange {
    pub(crate) fn add(&mut self, number: f64) {
        if self.count == 0 {
            (self.min, self.max) = (number, number);
        }
        self.count += 1;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
        self.sum += number;
    }

    /// Adds the numbers of another range.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.count == 0 {
            *self = other;
        } else if other.count > 0 {
            self.count += other.count;
            self.min = self.min.min(other.min);
            self.max = self.max.max(other.max);
            self.sum += other.sum;
        }
    }

    pub(crate) fn mean(self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Returns `3..41`, or a single number.
    pub(crate) fn describe(self) -> String {
        if self.min.total_cmp(&self.max).is_eq() {
            return format_number(self.min);
        }
        format!("{}..{}", format_number(self.min), format_number(self.max))
    }
}

/// Formats a number without rounding.
pub(crate) fn format_number(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < 1e15 {
        return format!("{}", number as i64);
    }
    if (1e-6..1e15).contains(&size) { format!("{number}") } else { format!("{number:e}") }
}

/// Formats a computed number with its significant digits.
pub(crate) fn format_rounded(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || size >= 1.0 {
        return format_number((number * 100.0).round() / 100.0);
    }
    let places = (2 - size.log10().floor() as i32).clamp(2, 300);
    let text = format!("{number:.*}", places as usize);
    format_number(text.parse().unwrap_or(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_significant_digits() {
        for (number, shown) in
            [(3.0, "3"), (0.00059, "0.00059"), (1e-7, "1e-7"), (2.55555, "2.55555"), (-0.5, "-0.5")]
        {
            assert_eq!(format_number(number), shown);
        }
        for (number, shown) in
            [(29.5, "29.5"), (1.0 / 3.0, "0.333"), (0.000_295_5, "0.000296"), (1e3 / 7.0, "142.86")]
        {
            assert_eq!(format_rounded(number), shown);
        }
    }
}
