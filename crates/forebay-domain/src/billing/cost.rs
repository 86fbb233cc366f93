//! Tokens that were billed, with their price.

use super::money::Money;
use super::prices::Rates;
use crate::usage::BilledTokens;

/// Tokens that were billed, and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub tokens: BilledTokens,
    /// `None` if the price of a part is unknown.
    pub money: Option<Money>,
}

impl Default for Cost {
    fn default() -> Self {
        Self { tokens: BilledTokens::default(), money: Some(Money::ZERO) }
    }
}

impl Cost {
    pub fn new(tokens: BilledTokens, rates: Option<&Rates>) -> Self {
        let money = match rates {
            Some(rates) => rates.price(tokens),
            None => (tokens == BilledTokens::default()).then_some(Money::ZERO),
        };
        Self { tokens, money }
    }

    /// What `count` tokens cost if one of them costs this; none cost nothing, whatever the price.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        if count == 0 {
            return Self::default();
        }
        Self { tokens: self.tokens.times(count), money: self.money.map(|money| money.times(count)) }
    }

    pub fn add(&mut self, other: Self) {
        self.tokens.add(other.tokens);
        self.money = self.money.zip(other.money).map(|(own, other)| own + other);
    }

    /// How much more this costs than `other`.
    pub fn more_than(self, other: Self) -> Difference {
        let tokens = |cost: Self| cost.tokens.total() as i64;
        Difference {
            tokens: tokens(self) - tokens(other),
            money: self.money.zip(other.money).map(|(own, other)| own - other),
        }
    }
}

/// A gain, or a loss if negative, in tokens that were billed and in money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    pub tokens: i64,
    /// `None` if the price of a part is unknown.
    pub money: Option<Money>,
}

impl Default for Difference {
    fn default() -> Self {
        Self { tokens: 0, money: Some(Money::ZERO) }
    }
}

impl Difference {
    pub fn add(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.money = self.money.zip(other.money).map(|(own, other)| own + other);
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let money = self.money.zip(other.money).map(|(own, other)| own - other);
        Self { tokens: self.tokens - other.tokens, money }
    }
}
