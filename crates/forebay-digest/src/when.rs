//! Times and levels that programs write before their messages.

/// A level, from the worst on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Fatal,
    Error,
    Warning,
    Info,
    Debug,
}

impl Level {
    fn of(word: &str) -> Option<Self> {
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

/// How far into a message its level is looked for.
const LEVEL_WITHIN: usize = 60;

/// The level a message names near its start, and the word for it.
pub(crate) fn level(message: &str) -> Option<(Level, &str)> {
    let start = forebay_domain::text::cut::prefix(message, LEVEL_WITHIN);
    start
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| (3..=8).contains(&word.len()))
        .find_map(|word| Some((Level::of(word)?, word)))
}

/// A time without the fraction of its second.
pub(crate) fn to_the_second(stamp: &str) -> &str {
    // Two digits after the second colon.
    let at =
        stamp.match_indices(':').nth(1).map_or(stamp.len(), |(at, _)| (at + 3).min(stamp.len()));
    if stamp[at..].starts_with(['.', ',']) { &stamp[..at] } else { stamp }
}

/// The time a line starts with, and what follows it.
pub(crate) fn stamped(line: &str) -> Option<(&str, &str)> {
    let start = line.len() - line.trim_start_matches(['[', '(', ' ']).len();
    let rest = &line[start..];
    let length = iso(rest).or_else(|| clock(rest)).or_else(|| syslog(rest))?;
    let stamp = &rest[..length];
    Some((stamp, rest[length..].trim_start_matches([']', ')', ' ', '-', '|', ':', '\t'])))
}

/// `2024-05-01T10:00:00.123Z`, `2024/05/01 10:00:00,123 +0000`.
fn iso(text: &str) -> Option<usize> {
    let date = crate::tally::looks_like_date(text).then_some(10)?;
    let after = &text[date..];
    let gap = usize::from(after.starts_with(['T', ' ']));
    Some(date + gap + clock(&after[gap..])?)
}

/// `10:00:00`, with fractions and zone.
fn clock(text: &str) -> Option<usize> {
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

/// `May  1 10:00:00`.
fn syslog(text: &str) -> Option<usize> {
    let month = text.get(..3).filter(|month| MONTHS.contains(month))?;
    let time = text.get(month.len() + 4..)?;
    Some(month.len() + 4 + clock(time)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_split_off() {
        for line in [
            "2024-05-01T10:00:00.123Z rest",
            "[2024-05-01 10:00:00,123] rest",
            "May  1 10:00:00 rest",
            "10:00:00.5 - rest",
        ] {
            assert_eq!(stamped(line).map(|(_, rest)| rest), Some("rest"), "{line}");
        }
        assert_eq!(stamped("version 10:20"), None);
    }

    #[test]
    fn levels_are_found_near_the_start() {
        assert_eq!(level("[main] WARN  o.a.Pool - slow"), Some((Level::Warning, "WARN")));
        assert_eq!(level("level=error msg=x"), Some((Level::Error, "error")));
        assert_eq!(level("information about errors"), None);
    }
}
