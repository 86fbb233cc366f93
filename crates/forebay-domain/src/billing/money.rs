//! Amounts of money, exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

const PICODOLLARS_PER_DOLLAR: i64 = 1_000_000_000_000;

/// US dollars as a whole number of picodollars: the price of one token of any model is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(i64);

impl Money {
    pub const ZERO: Self = Self(0);

    pub const fn from_picodollars(picodollars: i64) -> Self {
        Self(picodollars)
    }

    pub const fn picodollars(self) -> i64 {
        self.0
    }

    /// The nearest amount.
    pub fn from_dollars(dollars: f64) -> Self {
        Self((dollars * PICODOLLARS_PER_DOLLAR as f64).round() as i64)
    }

    /// For display and for JSON.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PICODOLLARS_PER_DOLLAR as f64
    }

    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// This price for `count` things.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Money {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// `$12.34` and `-$0.0021`: less than a dollar is shown in hundredths of a cent.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = self.0.unsigned_abs();
        let decimals: u32 = if amount < PICODOLLARS_PER_DOLLAR.unsigned_abs() { 4 } else { 2 };
        let unit = PICODOLLARS_PER_DOLLAR.unsigned_abs() / 10_u64.pow(decimals);
        let rounded = (amount + unit / 2) / unit;
        let per_dollar = 10_u64.pow(decimals);
        let (dollars, rest) = (rounded / per_dollar, rounded % per_dollar);
        let sign = if self.is_negative() { "-" } else { "" };
        match rounded {
            0 if amount > 0 => f.pad(&format!("{sign}<$0.0001")),
            0 => f.pad("$0"),
            _ => f.pad(&format!("{sign}${dollars}.{rest:0width$}", width = decimals as usize)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_dollars() {
        let shown = |picodollars| Money(picodollars).to_string();
        assert_eq!(shown(0), "$0");
        assert_eq!(shown(12_344_000_000_000), "$12.34");
        assert_eq!(shown(-420_000_000_000), "-$0.4200");
        assert_eq!(shown(2_149_999_999), "$0.0021");
        assert_eq!(shown(49_999_999), "<$0.0001");
        assert_eq!(shown(-1), "-<$0.0001");
        assert_eq!(shown(999_999_999_999), "$1.0000");
        assert_eq!(format!("{:>8}", Money(420_000_000_000)), " $0.4200");
    }

    #[test]
    fn sums_do_not_overflow() {
        assert_eq!(Money(i64::MAX) + Money(1), Money(i64::MAX));
        assert_eq!(Money(-5).times(u64::MAX), Money(i64::MIN));
    }
}
