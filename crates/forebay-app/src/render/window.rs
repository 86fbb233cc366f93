//! The excerpt of a chunk that shows why it matched.

use std::collections::BTreeSet;

use forebay_text::{cut, words};

/// Returns the lines of `text` around the densest matches, in at most `bytes` bytes.
pub(crate) fn around(text: &str, matched: &[String], bytes: usize) -> String {
    let text = text.trim_matches('\n');
    if text.len() <= bytes {
        return text.trim_end().to_owned();
    }
    let lines = units(text, bytes);
    let scores = scores(&lines, matched);
    let (first, last) = best_span(&lines, &scores, bytes);
    if first == last {
        return cut_line(lines[first], matched, bytes);
    }
    lines[first..last].join("\n").trim_matches('\n').to_owned()
}

/// Splits text into lines; a fenced code block that fits is one unit, shown whole or not at all.
fn units(text: &str, bytes: usize) -> Vec<&str> {
    let mut units = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let line = rest.find('\n').unwrap_or(rest.len());
        let length = fenced(rest).filter(|length| *length <= bytes).unwrap_or(line);
        units.push(&rest[..length]);
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    units
}

/// Returns the length of the fenced block that a text starts with.
fn fenced(text: &str) -> Option<usize> {
    let indent = text.len() - text.trim_start_matches(' ').len();
    let fence = ["```", "~~~"].into_iter().find(|fence| text[indent..].starts_with(fence))?;
    let mut at = text.find('\n')? + 1;
    for line in text[at..].split_inclusive('\n') {
        at += line.len();
        if line.trim() == fence {
            return Some(at - usize::from(line.ends_with('\n')));
        }
    }
    None
}

/// Returns the score of each line: the more words it has together, and the rarer they are here, the more likely it is
/// the one that answers.
fn scores(lines: &[&str], matched: &[String]) -> Vec<usize> {
    let marks: Vec<Vec<bool>> = lines.iter().map(|line| matches_in(line, matched)).collect();
    let weights: Vec<usize> = (0..matched.len())
        .map(|word| MAX_WORD_WEIGHT / marks.iter().filter(|line| line[word]).count().max(1))
        .collect();
    let score = |line: &Vec<bool>| {
        let found = || line.iter().zip(&weights).filter(|(is_marked, _)| **is_marked);
        found().count() * found().map(|(_, weight)| (*weight).max(1)).sum::<usize>()
    };
    marks.iter().map(score).collect()
}

/// The weight of a word that occurs in one line only.
const MAX_WORD_WEIGHT: usize = 1_000;

/// Marks the matched words that occur in a line, also in another form.
fn matches_in(line: &str, matched: &[String]) -> Vec<bool> {
    let mut marks = vec![false; matched.len()];
    words::mark(line, matched, words::share_prefix, &mut marks);
    marks
}

/// Returns the fitting range of whole lines with the most matches; empty if the match is in a line that is too
/// long to show whole.
fn best_span(lines: &[&str], scores: &[usize], bytes: usize) -> (usize, usize) {
    let spans = spans(lines, scores, bytes);
    let best_score = spans.iter().map(|span| span.score).max().unwrap_or(0);
    let max_score = scores.iter().copied().max().unwrap_or(0);
    if best_score == 0 && max_score > 0 || spans.is_empty() {
        let longest = scores.iter().position(|score| *score == max_score).unwrap_or(0);
        return (longest, longest);
    }
    // Among equal spans, early ones have the matches at their end and late ones at their start.
    let equal: Vec<&LineSpan> = spans.iter().filter(|span| span.score == best_score).collect();
    let middle = equal[equal.len() / 2];
    (middle.first, extended_end(lines, middle, bytes))
}

/// Extends a span by the following lines that still fit; returns its end.
fn extended_end(lines: &[&str], span: &LineSpan, bytes: usize) -> usize {
    let mut size = lines[span.first..span.end].iter().map(|line| line.len() + 1).sum::<usize>();
    let after = lines[span.end..].iter().take_while(|line| {
        size += line.len() + 1;
        size <= bytes + 1
    });
    span.end + after.count()
}

struct LineSpan {
    first: usize,
    end: usize,
    score: usize,
}

/// Returns for every line the longest fitting span that ends with it.
fn spans(lines: &[&str], scores: &[usize], bytes: usize) -> Vec<LineSpan> {
    let mut spans = Vec::new();
    let (mut first, mut size, mut score) = (0, 0, 0);
    for (last, line) in lines.iter().enumerate() {
        size += line.len() + 1;
        score += scores[last];
        while size > bytes + 1 {
            size -= lines[first].len() + 1;
            score -= scores[first];
            first += 1;
        }
        if first <= last {
            spans.push(LineSpan { first, end: last + 1, score });
        }
    }
    spans
}

/// Returns the part of a long line with the most different matches.
fn cut_line(line: &str, matched: &[String], bytes: usize) -> String {
    let room = bytes.saturating_sub(2 * '…'.len_utf8());
    let (first, end) = densest(&matches_at(line, matched), room).unwrap_or((0, 0));
    let before_match = (room / 3).min(room.saturating_sub(end - first));
    let start = line.floor_char_boundary(first.saturating_sub(before_match));
    let before = if start > 0 { "…" } else { "" };
    let shown = cut::prefix(&line[start..], room);
    let after = if start + shown.len() < line.len() { "…" } else { "" };
    format!("{before}{shown}{after}")
}

/// A matched word and where a form of it is in a line.
struct MatchAt {
    word: usize,
    start: usize,
    end: usize,
}

fn matches_at(line: &str, matched: &[String]) -> Vec<MatchAt> {
    let mut found = Vec::new();
    words::each(line, |start, form| {
        let word = matched.iter().position(|word| words::share_prefix(form, word));
        found.extend(word.map(|word| MatchAt { word, start, end: start + form.len() }));
    });
    found
}

/// Returns the start and the end of the matches with the most different words that fit, the earliest of equal ones.
fn densest(matches: &[MatchAt], room: usize) -> Option<(usize, usize)> {
    let span = |first: usize| {
        let start = matches[first].start;
        let within = matches[first..].iter().take_while(|one| one.end <= start + room);
        let within: Vec<&MatchAt> = within.collect();
        let words: BTreeSet<usize> = within.iter().map(|one| one.word).collect();
        (words.len(), start, within.last().map_or(start, |one| one.end))
    };
    let spans = (0..matches.len()).map(span);
    // Of equal ones, `max_by_key` would return the last.
    let best = spans.rev().max_by_key(|(words, ..)| *words)?;
    Some((best.1, best.2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, matched: &str, bytes: usize, expect: &str) {
        assert_eq!(around(text, &[matched.to_owned()], bytes), expect);
    }

    #[test]
    fn shows_the_match() {
        check("one\ntwo\nthree\nfour\nfive\nsix\nseven", "four", 14, "four\nfive\nsix");
        check("all fits", "fits", 100, "all fits");
        check(
            &format!("{} needle {}", "x".repeat(90), "y".repeat(90)),
            "needle",
            40,
            "…xxxxxxxxxx needle yyyyyyyyyyyyyyyy…",
        );
    }

    #[test]
    fn shows_the_part_of_a_long_line_with_the_most_words() {
        let line = format!(
            "a port {} the default ports are open {} default {}",
            "x ".repeat(90),
            "y ".repeat(90),
            "z ".repeat(90)
        );
        let shown = around(&line, &["default".to_owned(), "port".to_owned()], 60);
        assert!(shown.contains("the default ports"), "{shown}");
    }

    #[test]
    fn shows_the_line_with_all_words_before_many_with_a_common_one() {
        let common = "the port is open\n".repeat(20);
        let text = format!("{common}a b c\nthe default port is 8080\nd e f\n{common}");
        let words = ["default".to_owned(), "port".to_owned()];
        let shown = around(&text, &words, 40);
        assert!(shown.contains("default port is 8080"), "{shown}");
    }

    #[test]
    fn shows_a_code_block_whole() {
        let text = format!(
            "{}intro\n```rust\nlet x = needle();\nlet y = x;\n```\n{}",
            "a b c\n".repeat(30),
            "d e f\n".repeat(30)
        );
        let shown = around(&text, &["needle".to_owned()], 70);
        assert!(shown.contains("```rust\nlet x = needle();\nlet y = x;\n```"), "{shown}");
        let unclosed = format!("```\n{}needle\n{}", "x\n".repeat(50), "y\n".repeat(50));
        assert!(around(&unclosed, &["needle".to_owned()], 20).contains("needle"));
    }

    proptest! {
        #[test]
        fn stays_within_its_size(text in "[a-zä` \n]{0,400}", word in "[a-z]{1,6}", bytes in 8_usize..200) {
            prop_assert!(around(&text, &[word], bytes).len() <= bytes);
        }
    }
}
