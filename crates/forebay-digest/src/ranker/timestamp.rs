//! The time stamp that a line starts with, and the names of job and step before it.

use memchr::memchr2;

/// Longer text before a tab is no name.
const MAX_NAME_BYTES: usize = 80;

/// Returns the length of a leading time stamp with the names before it.
pub(super) fn leading_len(line: &[u8]) -> usize {
    let job = name_len(line);
    let step = job.and_then(|job| Some(job + name_len(&line[job..])?));
    let starts = [step, job, Some(0)].into_iter().flatten();
    let mut after = starts.filter_map(|start| after_stamp(&line[start..]));
    after.next().map_or(0, |after| line.len() - after.len())
}

/// Returns the length of a name and the tab after it.
fn name_len(line: &[u8]) -> Option<usize> {
    let end = memchr2(b'\t', b'\n', &line[..line.len().min(MAX_NAME_BYTES + 1)])?;
    (end > 0 && line[end] == b'\t').then_some(end + 1)
}

fn after_stamp(text: &[u8]) -> Option<&[u8]> {
    let text = after_one_of(b"[(", text).unwrap_or(text);
    let text = after_date(text).unwrap_or(text);
    let text = after_time(text)?;
    let text = after_fraction(text).unwrap_or(text);
    let text = after_zone(text).unwrap_or(text);
    let text = after_one_of(b"])", text).unwrap_or(text);
    Some(after_one_of(b" ", text).unwrap_or(text))
}

fn after_date(text: &[u8]) -> Option<&[u8]> {
    let text = after_one_of(b"-/", after_digits(4, text)?)?;
    let text = after_one_of(b"-/", after_digits(2, text)?)?;
    after_one_of(b"T ", after_digits(2, text)?)
}

fn after_time(text: &[u8]) -> Option<&[u8]> {
    let text = after_one_of(b":", after_digits(2, text)?)?;
    let text = after_one_of(b":", after_digits(2, text)?)?;
    after_digits(2, text)
}

fn after_fraction(text: &[u8]) -> Option<&[u8]> {
    let text = after_one_of(b".,", text)?;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| &text[digits..])
}

fn after_zone(text: &[u8]) -> Option<&[u8]> {
    if let Some(after) = after_one_of(b"Z", text) {
        return Some(after);
    }
    let text = after_one_of(b" ", text).unwrap_or(text);
    let text = after_digits(2, after_one_of(b"+-", text)?)?;
    after_digits(2, after_one_of(b":", text).unwrap_or(text))
}

fn after_one_of<'a>(bytes: &[u8], text: &'a [u8]) -> Option<&'a [u8]> {
    let (first, after) = text.split_first()?;
    bytes.contains(first).then_some(after)
}

fn after_digits(count: usize, text: &[u8]) -> Option<&[u8]> {
    let (digits, after) = text.split_at_checked(count)?;
    digits.iter().all(u8::is_ascii_digit).then_some(after)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::bytes::{Regex, RegexBuilder};

    use super::*;

    /// Time stamps as the training of the trees described them.
    const STAMP: &str = r"^(?:[^\t\n]{1,80}\t){0,2}[\[(]?(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ])?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?[\])]? ?";

    /// Pieces of stamps, whole and broken, and of what is around them, with `|` between them.
    const PIECES: &str = "2024-05-01|2024/5/01|T| |12:00:01|7:00:01|.123|,|Z|+01:00|-0530|+1|[|(|]|)|\t|job|step one|\
        \n|\u{e9}|0123456789012345678901234567890123456789";

    proptest! {
        #[test]
        fn a_stamp_is_as_long_as_the_pattern_matches(
            pieces in prop::collection::vec(prop::sample::select(PIECES.split('|').collect::<Vec<_>>()), 0..9),
        ) {
            static PATTERN: LazyLock<Regex> =
                LazyLock::new(|| RegexBuilder::new(STAMP).unicode(false).build().unwrap());
            let line = pieces.concat();
            let matched = PATTERN.find(line.as_bytes()).map_or(0, |found| found.end());
            prop_assert_eq!(leading_len(line.as_bytes()), matched, "{:?}", line);
        }
    }
}
