//! Wall-clock timestamps, and durations for display.
//!
//! They decide what is stated in time: filters, sorting by time, recency, retention, expiry. Entries and events are
//! ordered by sequence number, because a clock can be set back.

use std::fmt;
use std::time::Duration;

/// Milliseconds since the Unix epoch, by the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Age relative to `now`; never negative, even if the clock was set back.
    pub fn age(self, now: Self) -> Duration {
        Duration::from_millis(now.0.saturating_sub(self.0).max(0) as u64)
    }

    /// This time minus `span`.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }

    /// This time plus `span`.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

/// A duration in its largest fitting unit: `3 d`, `41 s`, `12 ms`.
#[derive(Debug, Clone, Copy)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        match seconds {
            0 => write!(f, "{} ms", self.0.as_millis()),
            1..10 => write!(f, "{:.1} s", self.0.as_secs_f64()),
            10..120 => write!(f, "{seconds} s"),
            120..7_200 => write!(f, "{} min", seconds / 60),
            7_200..172_800 => write!(f, "{} h", seconds / 3_600),
            _ => write!(f, "{} d", seconds / 86_400),
        }
    }
}

/// Midnight UTC of a calendar day; None if there is no such day.
pub fn start_of_day(year: i64, month: u32, day: u32) -> Option<Timestamp> {
    const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = LENGTHS.get(month.checked_sub(1)? as usize)? + u32::from(is_leap && month == 2);
    if !(1..=length).contains(&day) || !(0..10_000).contains(&year) {
        return None;
    }
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let months: u32 =
        LENGTHS[..month as usize - 1].iter().sum::<u32>() + u32::from(is_leap && month > 2);
    let days = years + i64::from(months) + i64::from(day) - 1;
    Some(Timestamp(days * 86_400_000))
}

/// Days as a duration.
pub const fn days(count: u64) -> Duration {
    Duration::from_secs(count * 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(millis: u64, expect: &str) {
        assert_eq!(Span(Duration::from_millis(millis)).to_string(), expect);
    }

    #[test]
    fn displays_the_largest_fitting_unit() {
        check(0, "0 ms");
        check(999, "999 ms");
        check(1_240, "1.2 s");
        check(41_000, "41 s");
        check(130_000, "2 min");
        check(3 * 3_600_000, "3 h");
        check(72 * 3_600_000, "3 d");
    }

    #[test]
    fn computes_midnight_of_calendar_days() {
        for (date, seconds) in [
            ((1970, 1, 1), 0),
            ((2000, 3, 1), 951_868_800),
            ((2026, 8, 21), 1_787_270_400),
            ((1969, 12, 31), -86_400),
        ] {
            let (year, month, day) = date;
            assert_eq!(
                start_of_day(year, month, day),
                Some(Timestamp(seconds * 1_000)),
                "{date:?}"
            );
        }
        assert_eq!(start_of_day(2025, 2, 29), None);
        assert_eq!(start_of_day(2025, 0, 1), None);
    }

    #[test]
    fn age_is_never_negative() {
        assert_eq!(Timestamp(5_000).age(Timestamp(1_000)), Duration::ZERO);
    }
}
