//! Sum of sizes or counts that a text states.

use std::ops::AddAssign;

/// A sum that is unknown if it is too large for its type, instead of wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sum(Option<u64>);

impl Default for Sum {
    fn default() -> Self {
        Self(Some(0))
    }
}

impl AddAssign<u64> for Sum {
    fn add_assign(&mut self, number: u64) {
        self.0 = self.0.and_then(|sum| sum.checked_add(number));
    }
}

impl Sum {
    pub(crate) fn known(self) -> Option<u64> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_is_too_large_stays_unknown() {
        let mut sum = Sum::default();
        sum += 3;
        sum += u64::MAX - 3;
        assert_eq!(sum.known(), Some(u64::MAX));
        sum += 1;
        sum += 0;
        assert_eq!(sum.known(), None);
    }
}
