//! Timestamps, levels and container names that precede log messages.

/// A log level, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Fatal,
    Error,
    Warning,
    Info,
    Debug,
}

impl Level {
    fn from_word(word: &str) -> Option<Self> {
        let mut upper = [0_u8; 8];
        let word = word.as_bytes();
        let upper = upper.get_mut(..word.len())?;
        upper.copy_from_slice(word);
        upper.make_ascii_uppercase();
        Some(match &*upper {
            b"FATAL" | b"CRITICAL" | b"CRIT" | b"PANIC" | b"EMERG" | b"ALERT" => Self::Fatal,
            b"ERROR" | b"ERR" | b"SEVERE" => Self::Error,
            b"WARN" | b"WARNING" => Self::Warning,
            b"INFO" | b"NOTICE" => Self::Info,
            b"DEBUG" | b"TRACE" | b"VERBOSE" => Self::Debug,
            _ => return None,
        })
    }
}

/// Number of bytes at the start of a message that are searched for its level.
const LEVEL_SEARCH_BYTES: usize = 60;

/// Returns the level of a klog line by its leading letter: `E0301 10:00:02.1 …`.
pub(crate) fn klog_level(line: &str) -> Option<(Level, &'static str)> {
    klog_len(line)?;
    match line.as_bytes().first()? {
        b'F' => Some((Level::Fatal, "fatal")),
        b'E' => Some((Level::Error, "error")),
        b'W' => Some((Level::Warning, "warning")),
        b'I' => Some((Level::Info, "info")),
        _ => Some((Level::Debug, "debug")),
    }
}

/// Returns the first word near the start of a message that names a level, also in a sentence.
pub(crate) fn find_level(message: &str) -> Option<(Level, &str)> {
    level_words(message).next()
}

/// Returns the level that a message names first, and the word that states its level.
pub(crate) fn levels(message: &str) -> (Option<Level>, Option<&str>) {
    let mut words = level_words(message);
    let first = words.next();
    let is_stated = |(_, word): &(Level, &str)| is_at_level_position(message, word);
    let stated = first.into_iter().chain(words).find(is_stated);
    (first.map(|(level, _)| level), stated.map(|(_, word)| word))
}

fn level_words(message: &str) -> impl Iterator<Item = (Level, &str)> {
    let start = forebay_text::cut::prefix(message, LEVEL_SEARCH_BYTES);
    start
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| (3..=8).contains(&word.len()))
        .filter_map(|word| Some((Level::from_word(word)?, word)))
}

/// Returns true if the word comes first, is set apart or has capital letters only; else it is part
/// of a sentence.
fn is_at_level_position(message: &str, word: &str) -> bool {
    let at = word.as_ptr() as usize - message.as_ptr() as usize;
    let (before, after) = (&message[..at], &message[at + word.len()..]);
    let is_first = !before.contains(char::is_alphanumeric);
    let is_apart = before.ends_with(['[', '(', '<', '=', '"', '|', '.', '/'])
        || after.starts_with([']', ')', '>', ':', '|', '"'])
        || before.ends_with("  ")
        || before.ends_with("] ")
        || after.starts_with("  ")
        || after.starts_with(" [")
        || after.starts_with(" -");
    is_first || is_apart || word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Removes fractions of a second.
pub(crate) fn without_fraction(timestamp: &str) -> &str {
    // Index after the two digits that follow the second colon.
    let at = timestamp
        .match_indices(':')
        .nth(1)
        .map_or(timestamp.len(), |(at, _)| (at + 3).min(timestamp.len()));
    let has_fraction = timestamp.get(at..).is_some_and(|rest| rest.starts_with(['.', ',']));
    if has_fraction { &timestamp[..at] } else { timestamp }
}

/// Splits a line into its leading timestamp and the rest.
pub(crate) fn split_timestamp(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start_matches(['[', '(', ' ']);
    let rest = without_key(rest);
    // klog writes the level letter before the timestamp.
    let (from, length) =
        match iso_len(rest).or_else(|| clock_len(rest)).or_else(|| syslog_len(rest)) {
            Some(length) => (0, length),
            None => (1, klog_len(rest)?),
        };
    let timestamp = &rest[from..length];
    Some((timestamp, rest[length..].trim_start_matches([']', ')', ' ', '-', '|', ':', '\t', '"'])))
}

/// Strips the key of a logfmt timestamp: `time="2024-…`.
fn without_key(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return text;
    }
    let value = ["time=", "ts=", "timestamp=", "t="].iter().find_map(|key| text.strip_prefix(key));
    value.map_or(text, |value| value.strip_prefix('"').unwrap_or(value))
}

/// Splits `web-1  | message`, as docker compose writes it, into container and message.
pub(crate) fn split_container(line: &str) -> Option<(&str, &str)> {
    const MAX_CONTAINER_BYTES: usize = 64;
    let bar = memchr::memchr(b'|', &line.as_bytes()[..line.len().min(MAX_CONTAINER_BYTES)])?;
    let name = line[..bar].trim_end();
    let is_name = bar > name.len()
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let message = &line[bar + 1..];
    (is_name && Level::from_word(name).is_none())
        .then(|| (name, message.strip_prefix(' ').unwrap_or(message)))
}

/// The earliest and the latest of many timestamps.
#[derive(Debug, Default)]
pub(crate) struct TimeRange {
    first: (u64, String),
    last: (u64, String),
    /// Sort key of the previous timestamp.
    previous: u64,
    /// How often a timestamp without a year was earlier than the previous one.
    backward_jumps: u64,
}

impl TimeRange {
    pub(crate) fn add(&mut self, timestamp: &str) {
        // Fast path: most lines are of the same second as the previous one.
        const SECOND_BYTES: usize = "2024-05-01T10:00:00".len();
        if self.last.0 == self.previous
            && let (Some(one), Some(other)) =
                (timestamp.get(..SECOND_BYTES), self.last.1.get(..SECOND_BYTES))
            && one == other
        {
            timestamp.clone_into(&mut self.last.1);
            return;
        }
        let sort_key = sort_key(timestamp);
        let is_first = self.first.1.is_empty();
        let has_year = sort_key >= 1_000_000_000_000;
        self.backward_jumps += u64::from(!has_year && sort_key < self.previous);
        self.previous = sort_key;
        if is_first || has_year && sort_key < self.first.0 {
            self.first = (sort_key, timestamp.to_owned());
        }
        if is_first || !has_year || sort_key >= self.last.0 {
            self.last.0 = sort_key;
            timestamp.clone_into(&mut self.last.1);
        }
    }

    /// Returns `first .. last`, or `None` if timestamps without a year jump backward more than
    /// once.
    ///
    /// A single jump is allowed: midnight, or the end of a year.
    pub(crate) fn describe(&self) -> Option<String> {
        let (first, last) = (without_fraction(&self.first.1), without_fraction(&self.last.1));
        (self.backward_jumps <= 1 && !first.is_empty()).then(|| format!("{first} .. {last}"))
    }
}

/// Returns a number that grows with time, to the second: `20240501100000`; without year or day if
/// the timestamp has none.
fn sort_key(timestamp: &str) -> u64 {
    let number = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit);
        digits.fold(0_u64, |number, digit| {
            number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
        })
    };
    if timestamp.starts_with(|c: char| c.is_ascii_alphabetic())
        && let Some(month) = timestamp.get(..3).and_then(month_number)
    {
        // `May  1 10:00:00`.
        return month * 100_000_000 + number(timestamp.get(3..15).unwrap_or_default());
    }
    if timestamp.as_bytes().get(2) == Some(&b'/')
        && let Some(month) = timestamp.get(3..6).and_then(month_number)
    {
        // `01/May/2024:10:00:00`.
        let part = |range| number(timestamp.get(range).unwrap_or_default());
        return (part(7..11) * 10_000 + month * 100 + part(0..2)) * 1_000_000 + part(12..20);
    }
    if crate::tally::looks_like_date(timestamp) {
        return number(timestamp.get(..19).unwrap_or(timestamp));
    }
    number(without_fraction(timestamp))
}

/// Returns the number of a month, from 1.
fn month_number(name: &str) -> Option<u64> {
    MONTHS.iter().position(|month| *month == name).map(|at| at as u64 + 1)
}

/// Returns the length of a klog timestamp with its level: `I0501 10:00:00.123456`.
fn klog_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_day = b"IWEFD".contains(bytes.first()?)
        && bytes.get(1..5)?.iter().all(u8::is_ascii_digit)
        && bytes[5..].starts_with(b" ");
    if is_day { Some(6 + clock_len(&text[6..])?) } else { None }
}

/// Returns the length of `2024-05-01T10:00:00.123Z` or `2024/05/01 10:00:00,123 +0000`.
fn iso_len(text: &str) -> Option<usize> {
    let date = crate::tally::looks_like_date(text).then_some(10)?;
    let after = &text[date..];
    let gap = usize::from(after.starts_with(['T', ' ']));
    Some(date + gap + clock_len(&after[gap..])?)
}

/// Returns the length of `10:00:00`, including fraction and zone.
fn clock_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits =
        |at: usize| bytes.get(at..at + 2).is_some_and(|pair| pair.iter().all(u8::is_ascii_digit));
    let is_clock = digits(0)
        && bytes.get(2) == Some(&b':')
        && digits(3)
        && bytes.get(5) == Some(&b':')
        && digits(6);
    if !is_clock {
        return None;
    }
    let is_zone = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | 'Z' | '+' | ':');
    let tail = text[8..].find(|c: char| !is_zone(c));
    Some(8 + tail.unwrap_or(text.len() - 8))
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns the length of `May  1 10:00:00`.
fn syslog_len(text: &str) -> Option<usize> {
    let month = text.get(..3).filter(|month| MONTHS.contains(month))?;
    let time = text.get(month.len() + 4..)?;
    Some(month.len() + 4 + clock_len(time)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_off_timestamps() {
        for line in [
            "2024-05-01T10:00:00.123Z rest",
            "[2024-05-01 10:00:00,123] rest",
            "May  1 10:00:00 rest",
            "10:00:00.5 - rest",
            "time=\"2024-05-01T10:00:00Z\" rest",
            "E0501 10:00:00.123456 rest",
        ] {
            assert_eq!(split_timestamp(line).map(|(_, rest)| rest), Some("rest"), "{line}");
        }
        assert_eq!(split_timestamp("version 10:20"), None);
    }

    #[test]
    fn time_range_covers_all_timestamps() {
        let time_range = |timestamps: &[&str]| {
            let mut time_range = TimeRange::default();
            for timestamp in timestamps {
                time_range.add(timestamp);
            }
            time_range.describe()
        };
        let mixed = ["2024-05-02 10:00:00", "2024-05-01 10:00:00", "2024-05-01 12:00:00"];
        assert_eq!(
            time_range(&mixed).as_deref(),
            Some("2024-05-01 10:00:00 .. 2024-05-02 10:00:00")
        );
        assert_eq!(time_range(&["23:59:00", "00:01:00"]).as_deref(), Some("23:59:00 .. 00:01:00"));
        assert_eq!(time_range(&["10:00:00", "09:00:00", "11:00:00", "10:00:00"]), None);
    }

    #[test]
    fn only_a_fraction_is_removed() {
        for (timestamp, shown) in [
            ("10:00:00,123", "10:00:00"),
            ("15/Nov/2026:06:39:51 +0000", "15/Nov/2026:06:39:51 +0000"),
            ("15/Nov/2026:06:3é9:51 +0000", "15/Nov/2026:06:3é9:51 +0000"),
            ("10:00:", "10:00:"),
        ] {
            assert_eq!(without_fraction(timestamp), shown);
        }
    }

    #[test]
    fn splits_off_container_names() {
        assert_eq!(split_container("web-1  | GET /"), Some(("web-1", "GET /")));
        assert_eq!(split_container("a | b"), Some(("a", "b")));
        for line in ["| a | b |", "two words | x", "x|y", "no bar", "INFO | x"] {
            assert_eq!(split_container(line), None, "{line}");
        }
    }

    #[test]
    fn sort_keys_follow_time() {
        assert_eq!(sort_key("2024-05-01 10:00:00,1"), 20_240_501_100_000);
        assert_eq!(sort_key("01/May/2024:10:00:00 +0000"), 20_240_501_100_000);
        assert_eq!(sort_key("May  1 10:00:00"), 501_100_000);
        assert_eq!(klog_level("E0501 10:00:00.1 x"), Some((Level::Error, "error")));
    }

    #[test]
    fn finds_levels_near_the_start() {
        assert_eq!(find_level("[main] WARN  o.a.Pool - slow"), Some((Level::Warning, "WARN")));
        assert_eq!(find_level("level=error msg=x"), Some((Level::Error, "error")));
        assert_eq!(find_level("information about errors"), None);
        assert_eq!(levels("a1b2c3d handle an error in the parser"), (Some(Level::Error), None));
        assert_eq!(levels("worker-1 error: lost"), (Some(Level::Error), Some("error")));
    }
}
