//! Logs: split by time and by runs of similar records; continuation lines stay with their record.

use super::{Cut, Piece, SOFT, lines, pack};

/// Bytes at the start of a line searched for a timestamp.
const TIMESTAMP_WINDOW: usize = 48;
/// Smaller records share a cut with their predecessors.
const SMALL_BYTES: usize = 200;
/// Levels: a new minute is the best place to cut, then a record with another template, then one with the same.
const MINUTE: u8 = SOFT - 1;
const OTHER: u8 = SOFT;
const SAME: u8 = SOFT + 1;
/// Leading words that form the template of a record.
const TEMPLATE_WORDS: usize = 5;

/// Chunks of whole records, titled by their time span.
pub(super) fn chunks(text: &str) -> Vec<Piece> {
    let mut pieces = pack(text, cuts(text));
    for piece in &mut pieces {
        let body = &text[piece.start..piece.end];
        let first = body.lines().find_map(time);
        let last = body.lines().rev().find_map(time);
        piece.title = match (first, last) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
            (Some(only), _) => only.to_owned(),
            _ => String::new(),
        };
    }
    pieces
}

/// Whether most of the first lines have a timestamp.
pub(super) fn is_likely(text: &str) -> bool {
    const LINES: usize = 40;
    let first = text.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    let (with, all) =
        first.fold((0, 0), |(with, all), line| (with + usize::from(time(line).is_some()), all + 1));
    all >= 5 && with * 2 > all
}

fn cuts(text: &str) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    let (mut minute, mut template) = ("", Vec::new());
    for (at, line) in lines(text) {
        // A line without a timestamp continues the record.
        let Some(time) = time(line) else { continue };
        let own = minute_of(time);
        let is_new_minute = own != minute;
        minute = own;
        let before = std::mem::replace(&mut template, template_of(line, time));
        let level = match (is_new_minute, before == template) {
            (true, _) => MINUTE,
            (false, false) => OTHER,
            (false, true) => SAME,
        };
        let is_far = cuts.last().is_none_or(|last| at - last.at >= SMALL_BYTES);
        if is_new_minute || is_far {
            cuts.push(Cut::new(at, level, ""));
        }
    }
    cuts
}

/// The leading words of a record without its variable parts.
fn template_of<'a>(line: &'a str, time: &str) -> Vec<&'a str> {
    let said = line.find(time).map_or(line, |at| &line[at + time.len()..]);
    let words = said.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let lasting = words.filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit()));
    lasting.take(TEMPLATE_WORDS).collect()
}

/// The timestamp near the start of a line, with its date: `2026-08-01T10:00:05`.
fn time(line: &str) -> Option<&str> {
    let head = &line[..line.floor_char_boundary(TIMESTAMP_WINDOW)];
    let bytes = head.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_clock = |colon: &usize| {
        let hours = *colon >= 2 && is_digit(colon - 2) && is_digit(colon - 1);
        // Rejects `2026:10:00`, where the year is taken for an hour.
        let is_year = *colon >= 3 && is_digit(colon - 3);
        hours && !is_year && is_digit(colon + 1) && is_digit(colon + 2)
    };
    let colon = memchr::memchr_iter(b':', bytes).find(is_clock)?;
    let seconds = bytes.get(colon + 3) == Some(&b':') && is_digit(colon + 4) && is_digit(colon + 5);
    let end = colon + if seconds { 6 } else { 3 };
    let start = head[..colon - 2].rfind(['[', '(', '"', '|', '=']).map_or(0, |at| at + 1);
    Some(head[start..end].trim_start())
}

/// A timestamp without seconds.
fn minute_of(time: &str) -> &str {
    let clock = &time[time.len().saturating_sub("10:00:05".len())..];
    let has_seconds = clock.matches(':').count() == 2 && clock.len() == "10:00:05".len();
    if has_seconds { &time[..time.len() - ":05".len()] } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Format;

    #[test]
    fn finds_timestamps() {
        for (line, expect) in [
            ("2026-08-01T10:00:05Z INFO up", Some("2026-08-01T10:00:05")),
            ("[2026-08-01 10:00:05.123] up", Some("2026-08-01 10:00:05")),
            ("Aug  1 10:00:05 host sshd[1]: up", Some("Aug  1 10:00:05")),
            ("1.2.3.4 - - [01/Aug/2026:10:00:05 +0000] \"GET /\"", Some("01/Aug/2026:10:00:05")),
            ("10:00 up", Some("10:00")),
            ("    at main (x.rs:10:1)", None),
            ("a text: with a colon", None),
        ] {
            assert_eq!(time(line), expect, "{line}");
        }
    }

    #[test]
    fn cuts_where_a_run_of_similar_records_ends() {
        let record = |second: usize, said: &str| format!("2026-08-01T10:00:{second:02} {said}\n");
        let poll = |second| record(second, &format!("INFO polled queue {second} in {second}.2 ms"));
        let fail = |second| {
            record(second, &format!("ERROR worker {second} lost its {}", "lease ".repeat(30)))
        };
        let text: String =
            (0..20).map(poll).chain((20..24).map(fail)).chain((24..60).map(poll)).collect();
        let pieces = chunks(&text);
        let begins_with_failures =
            |piece: &Piece| text[piece.start..].starts_with("2026-08-01T10:00:20 ERROR");
        assert!(pieces.iter().any(begins_with_failures), "{pieces:#?}");
    }

    #[test]
    fn keeps_traces_with_their_record_and_cuts_at_minutes() {
        let trace = "    at frame\n".repeat(30);
        let text: String = (0..8)
            .map(|record| {
                format!("2026-08-01T10:0{}:{record:02} ERROR failed\n{trace}", record / 3)
            })
            .collect();
        let pieces = chunks(&text);
        assert!(pieces.len() > 2);
        for piece in &pieces {
            assert!(text[piece.start..].starts_with("2026-"), "{piece:?}");
        }
        assert_eq!(pieces[0].title, "2026-08-01T10:00:00 to 2026-08-01T10:00:02");
        let short = "10:00:01 up\n10:00:02 down\n".repeat(4);
        assert_eq!(Format::detect("x", &short), Format::Log);
    }
}
