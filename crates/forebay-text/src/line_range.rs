//! Line ranges as people write them: `640-700`, `640`, `640-`, `-50`.

use std::str::FromStr;

/// A range of lines, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRange {
    /// From the first to the last number; the last may lie beyond the text.
    Between(u64, u64),
    /// The last N lines.
    Last(u64),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a line range: write 640-700, 640, 640- (to the end) or -50 (the last 50)")]
pub struct BadLineRange(String);

impl LineRange {
    /// Clips to a text of `total` lines; `None` when the range lies outside.
    pub fn within(self, total: u64) -> Option<(u64, u64)> {
        let (first, last) = match self {
            Self::Between(first, last) => (first, last.min(total)),
            Self::Last(count) => (total.saturating_sub(count) + 1, total),
        };
        (first <= last).then_some((first, last))
    }
}

impl FromStr for LineRange {
    type Err = BadLineRange;

    fn from_str(text: &str) -> Result<Self, BadLineRange> {
        let bad = || BadLineRange(text.chars().take(40).collect());
        let number = |digits: &str| match digits.trim().parse() {
            Ok(0) | Err(_) => Err(bad()),
            Ok(number) => Ok(number),
        };
        let text = text.trim();
        match text.split_once(['-', ':', '.']) {
            None => number(text).map(|line| Self::Between(line, line)),
            Some(("", last)) => number(last).map(Self::Last),
            Some((first, "")) => number(first).map(|line| Self::Between(line, u64::MAX)),
            Some((first, last)) => {
                let range = (number(first)?, number(last.trim_start_matches('.'))?);
                if range.0 <= range.1 { Ok(Self::Between(range.0, range.1)) } else { Err(bad()) }
            }
        }
    }
}

/// Several ranges, separated by commas: `1-3,10-12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRanges(Vec<LineRange>);

impl LineRanges {
    /// All lines.
    pub fn all() -> Self {
        Self(vec![LineRange::Between(1, u64::MAX)])
    }

    /// Clips to a text of `total` lines: in order, without overlaps, empty when all ranges lie outside.
    pub fn within(&self, total: u64) -> Vec<(u64, u64)> {
        let mut clipped: Vec<_> = self.0.iter().filter_map(|range| range.within(total)).collect();
        clipped.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (first, last) in clipped {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        merged
    }
}

impl FromStr for LineRanges {
    type Err = BadLineRange;

    fn from_str(text: &str) -> Result<Self, BadLineRange> {
        text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, total: u64, expect: Option<(u64, u64)>) {
        let read: Result<LineRange, _> = text.parse();
        assert_eq!(read.ok().and_then(|range| range.within(total)), expect, "{text}");
    }

    #[test]
    fn ranges_are_clipped_to_the_text() {
        check("3-5", 10, Some((3, 5)));
        check("3", 10, Some((3, 3)));
        check("8-", 10, Some((8, 10)));
        check("8-99", 10, Some((8, 10)));
        check("-4", 10, Some((7, 10)));
        check("-40", 10, Some((1, 10)));
        check("3..5", 10, Some((3, 5)));
        check("11-12", 10, None);
    }

    #[test]
    fn several_ranges_are_ordered_and_merged() {
        let within = |text: &str, total| text.parse::<LineRanges>().unwrap().within(total);
        assert_eq!(within("1-3,10-12", 20), [(1, 3), (10, 12)]);
        assert_eq!(within("10-12, 1-3", 20), [(1, 3), (10, 12)]);
        assert_eq!(within("1-5,4-8,9", 20), [(1, 9)]);
        assert_eq!(within("1-2,-2", 20), [(1, 2), (19, 20)]);
        assert_eq!(within("1-2,30-40", 20), [(1, 2)]);
        assert_eq!(within("30-40", 20), []);
        assert!("1-3,".parse::<LineRanges>().is_err() && "1-3,x".parse::<LineRanges>().is_err());
    }

    #[test]
    fn rejects_malformed_ranges() {
        for text in ["", "a", "0", "5-3", "1-b", "--", "0-4"] {
            assert!(text.parse::<LineRange>().is_err(), "{text}");
        }
    }
}
