//! A share of something, such as a tenth.

use serde::{Deserialize, Serialize};

/// A number from 0 to 1, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(u32);

const WHOLE: u32 = 1_000_000;

impl Share {
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether the share includes a thing with this hash: of many hashes, it includes this share.
    pub fn includes(self, hash: &[u8; 32]) -> bool {
        let (first, _) = hash.split_at(8);
        let number = first.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(WHOLE) < u64::from(self.0)
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.as_f64()
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if !(0.0..=1.0).contains(&number) {
            return Err(format!("experiment.holdout = {number}: expected a number from 0 to 1"));
        }
        Ok(Self((number * f64::from(WHOLE)).round() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(number: f64) -> Share {
        Share::try_from(number).unwrap()
    }

    #[test]
    fn a_share_includes_that_many() {
        let included = |share: Share| {
            let hash = |number: u32| *blake3::hash(&number.to_le_bytes()).as_bytes();
            (0..10_000).filter(|number| share.includes(&hash(*number))).count()
        };
        assert_eq!((included(share(0.0)), included(share(1.0))), (0, 10_000));
        // Three standard deviations are 90.
        assert!((910..=1_090).contains(&included(share(0.1))), "{}", included(share(0.1)));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for number in [-0.1, 1.01, f64::NAN, f64::INFINITY] {
            assert!(Share::try_from(number).is_err(), "{number}");
        }
        assert!((share(0.1).as_f64() - 0.1).abs() < 1e-9);
    }
}
