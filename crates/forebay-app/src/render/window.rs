//! The part of a passage that shows why it was found.

use forebay_text::{cut, words};

/// The lines of `text` around the densest matches, in at most `bytes` bytes.
pub(crate) fn around(text: &str, matched: &[String], bytes: usize) -> String {
    let text = text.trim_matches('\n');
    if text.len() <= bytes {
        return text.trim_end().to_owned();
    }
    let lines = units(text, bytes);
    let scores: Vec<usize> = lines.iter().map(|line| matches_in(line, matched)).collect();
    let (first, last) = best_stretch(&lines, &scores, bytes);
    if first == last {
        return cut_line(lines[first], matched, bytes);
    }
    lines[first..last].join("\n")
}

/// Lines; a fenced block of code that fits is one, so that it is shown whole or not at all.
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

/// The length of the fenced block that a text begins with.
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

/// How many of the matched words a line has, by their beginnings.
fn matches_in(line: &str, matched: &[String]) -> usize {
    let mut marks = vec![false; matched.len()];
    words::mark(line, matched, words::share_prefix, &mut marks);
    marks.into_iter().filter(|stands| *stands).count()
}

/// The run of whole lines with the most matches that fits; empty when the match stands in a line
/// that is too long to show whole.
fn best_stretch(lines: &[&str], scores: &[usize], bytes: usize) -> (usize, usize) {
    let stretches = stretches(lines, scores, bytes);
    let best = stretches.iter().map(|stretch| stretch.score).max().unwrap_or(0);
    let most = scores.iter().copied().max().unwrap_or(0);
    if best == 0 && most > 0 || stretches.is_empty() {
        let longest = scores.iter().position(|score| *score == most).unwrap_or(0);
        return (longest, longest);
    }
    // Of the equally good ones an early one has its matches at the end, a late one at the start.
    let equal: Vec<&Stretch> = stretches.iter().filter(|stretch| stretch.score == best).collect();
    let middle = equal[equal.len() / 2];
    (middle.first, grown(lines, middle, bytes))
}

/// The end of a stretch once it has taken the lines after it that still fit.
fn grown(lines: &[&str], stretch: &Stretch, bytes: usize) -> usize {
    let mut size =
        lines[stretch.first..stretch.end].iter().map(|line| line.len() + 1).sum::<usize>();
    let after = lines[stretch.end..].iter().take_while(|line| {
        size += line.len() + 1;
        size <= bytes + 1
    });
    stretch.end + after.count()
}

struct Stretch {
    first: usize,
    end: usize,
    score: usize,
}

/// For every line the longest run of whole lines that ends with it and fits.
fn stretches(lines: &[&str], scores: &[usize], bytes: usize) -> Vec<Stretch> {
    let mut stretches = Vec::new();
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
            stretches.push(Stretch { first, end: last + 1, score });
        }
    }
    stretches
}

/// The part of one long line around its first match.
fn cut_line(line: &str, matched: &[String], bytes: usize) -> String {
    let room = bytes.saturating_sub(2 * '…'.len_utf8());
    let lower = line.to_ascii_lowercase();
    let at = matched.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or(0);
    let start = line.floor_char_boundary(at.saturating_sub(room / 3));
    let before = if start > 0 { "…" } else { "" };
    let shown = cut::prefix(&line[start..], room);
    let after = if start + shown.len() < line.len() { "…" } else { "" };
    format!("{before}{shown}{after}")
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
    fn a_window_shows_the_match() {
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
    fn a_block_of_code_is_shown_whole() {
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
        fn a_window_holds_its_size(text in "[a-zä` \n]{0,400}", word in "[a-z]{1,6}", bytes in 8_usize..200) {
            prop_assert!(around(&text, &[word], bytes).len() <= bytes);
        }
    }
}
