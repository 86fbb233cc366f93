//! Finds the closest matches of a text that does not occur in a file; most misses differ in whitespace or quotes.

use std::collections::HashMap;

use super::{line_of, numbered};
use crate::edit::source_file::line_range;

/// A range of lines that may be the intended match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// First and last line, counted from 1.
    pub(crate) lines: (usize, usize),
    pub(crate) difference: Difference,
}

/// How a candidate differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    LineEndings,
    /// `old_string` has a literal `\n` or `\t` where the file has the character.
    EscapedNewlines,
    Whitespace,
    Quotes,
    Dashes,
    Case,
    /// Several of the above.
    Marks,
    /// Some of the lines differ.
    Lines,
    /// Parts of a single line differ.
    Words,
}

/// Candidates in an answer.
const MAX_CANDIDATES: usize = 3;
/// Quoted lines per candidate.
const MAX_QUOTED_LINES: usize = 12;
/// Percentage of a line's words that must match.
const MIN_SHARED_WORDS_PERCENT: usize = 60;

/// Differences that count as a near match, the most likely first.
const TOLERATED_DIFFERENCES: &[Difference] = &[
    Difference::Whitespace,
    Difference::Quotes,
    Difference::Dashes,
    Difference::Case,
    Difference::Marks,
];

/// Returns the closest matches of `wanted`, best first, all with the same kind of difference.
pub(crate) fn nearest(text: &str, wanted: &str) -> Vec<Candidate> {
    if wanted.contains('\r') && text.contains(&wanted.replace("\r\n", "\n")) {
        return normalized_matches(text, wanted, Difference::LineEndings);
    }
    let unescaped = wanted.replace("\\n", "\n").replace("\\t", "\t");
    if unescaped != wanted && text.contains(&unescaped) {
        return normalized_matches(text, &unescaped, Difference::EscapedNewlines);
    }
    for difference in TOLERATED_DIFFERENCES {
        let found = normalized_matches(text, wanted, *difference);
        if !found.is_empty() {
            return found;
        }
    }
    let by_lines = by_shared_lines(text, wanted);
    if by_lines.is_empty() { by_shared_words(text, wanted) } else { by_lines }
}

/// Describes candidates, quoting their lines.
pub(crate) fn describe(text: &str, candidates: &[Candidate]) -> String {
    let mut lines = Vec::new();
    for Candidate { lines: (first, last), difference } in candidates {
        let place = line_range(*first, *last);
        lines.push(format!("{place} {}:", difference.words(first == last)));
        let shown = (*last).min(first + MAX_QUOTED_LINES - 1);
        lines.extend(numbered(text, *first, shown));
        if shown < *last {
            lines.push(format!("... to line {last}"));
        }
    }
    lines.join("\n")
}

impl Difference {
    /// Describes the difference, for one line or for several.
    fn words(self, is_one: bool) -> String {
        let what = match self {
            Self::LineEndings => "in line endings only (use \\n)",
            Self::EscapedNewlines => "only where old_string has a literal \\n or \\t",
            Self::Whitespace => "in whitespace only",
            Self::Quotes => "in quotes only",
            Self::Dashes => "in dashes only",
            Self::Case => "in letter case only",
            Self::Marks => "in quotes, dashes, case or whitespace only",
            Self::Lines if is_one => return "matches some of the words".to_owned(),
            Self::Lines => return "match some of the lines".to_owned(),
            Self::Words => return "is similar".to_owned(),
        };
        format!("{} {what}", if is_one { "differs" } else { "differ" })
    }

    /// Normalizes a character so that this difference disappears; None drops it.
    fn normalize(self, character: char) -> Option<char> {
        match self {
            Self::LineEndings | Self::EscapedNewlines | Self::Lines | Self::Words => {
                Some(character)
            }
            Self::Whitespace => is_not_whitespace(character).then_some(character),
            Self::Quotes => Some(if is_quote(character) { '"' } else { character }),
            Self::Dashes => Some(if is_dash(character) { '-' } else { character }),
            Self::Case => Some(lower(character)),
            Self::Marks if is_quote(character) => Some('"'),
            Self::Marks if is_dash(character) => Some('-'),
            Self::Marks => is_not_whitespace(character).then(|| lower(character)),
        }
    }
}

fn is_not_whitespace(character: char) -> bool {
    !character.is_whitespace() && character != '\u{200b}'
}

fn is_quote(character: char) -> bool {
    matches!(character, '\'' | '"' | '`' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{b4}')
}

fn is_dash(character: char) -> bool {
    matches!(character, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn lower(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

/// Returns the matches after normalizing one kind of difference.
fn normalized_matches(text: &str, wanted: &str, difference: Difference) -> Vec<Candidate> {
    let wanted = wanted.chars().filter(|character| *character != '\r');
    let wanted: String = wanted.filter_map(|character| difference.normalize(character)).collect();
    if !wanted.contains(is_not_whitespace) {
        return Vec::new();
    }
    let mut normalized_matches = String::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len());
    for (offset, character) in text.char_indices() {
        let Some(normalize) = difference.normalize(character) else { continue };
        normalized_matches.push(normalize);
        origins.extend(std::iter::repeat_n(offset, normalize.len_utf8()));
    }
    let found = normalized_matches.match_indices(&wanted).take(MAX_CANDIDATES).map(|(start, _)| {
        let last = start + wanted.len() - 1;
        let lines = (line_of(text, origins[start]), line_of(text, origins[last]));
        Candidate { lines, difference }
    });
    found.collect()
}

/// Returns windows as long as `wanted` that contain most of its lines.
fn by_shared_lines(text: &str, wanted: &str) -> Vec<Candidate> {
    let wanted: Vec<&str> = wanted.lines().map(str::trim).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        places.entry(line.trim()).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (position, line) in wanted.iter().enumerate().filter(|(_, line)| is_significant(line)) {
        for place in places.get(line).into_iter().flatten() {
            *votes.entry(place.saturating_sub(position)).or_default() += 1;
        }
    }
    let total = text.lines().count();
    let mut best: Vec<(usize, usize)> = votes.into_iter().collect();
    best.sort_by_key(|(start, votes)| (std::cmp::Reverse(*votes), *start));
    let most = best.first().map_or(0, |(_, votes)| *votes);
    let chosen = best.into_iter().filter(|(_, votes)| votes * 2 > most).take(MAX_CANDIDATES);
    chosen
        .map(|(start, _)| Candidate {
            lines: (start + 1, (start + wanted.len().max(1)).min(total)),
            difference: Difference::Lines,
        })
        .collect()
}

fn is_significant(line: &str) -> bool {
    line.chars().filter(|character| character.is_alphanumeric()).count() >= 3
}

/// Returns lines that contain most words of the longest line of `wanted`.
fn by_shared_words(text: &str, wanted: &str) -> Vec<Candidate> {
    let longest = wanted.lines().max_by_key(|line| line.trim().len()).unwrap_or_default();
    let words: Vec<&str> = words(longest).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let own: Vec<&str> = self::words(line).collect();
        let shared = words.iter().filter(|word| own.contains(word)).count();
        let alike = shared * 100 / words.len().max(own.len()).max(1);
        if alike >= MIN_SHARED_WORDS_PERCENT {
            found.push((alike, index + 1));
        }
    }
    found.sort_by_key(|(alike, line)| (std::cmp::Reverse(*alike), *line));
    let best = found.into_iter().take(MAX_CANDIDATES);
    best.map(|(_, line)| Candidate { lines: (line, line), difference: Difference::Words }).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str =
        "fn one() {\n    let a = \"x\";\n\treturn a;\n}\n\nfn two() {\n    call(1, 2, 3);\n}\n";

    #[track_caller]
    fn check(wanted: &str, expect: &[(usize, usize)], difference: Difference) {
        let found = nearest(TEXT, wanted);
        let lines: Vec<(usize, usize)> = found.iter().map(|candidate| candidate.lines).collect();
        assert_eq!(lines, expect, "{wanted}");
        assert!(found.iter().all(|candidate| candidate.difference == difference), "{found:?}");
    }

    #[test]
    fn classifies_differences() {
        check("fn one() {\r\n    let a", &[(1, 2)], Difference::LineEndings);
        check("    let a = \"x\";\n    return a;", &[(2, 3)], Difference::Whitespace);
        check("let a = “x”;", &[(2, 2)], Difference::Quotes);
        check("let a = 'x';", &[(2, 2)], Difference::Quotes);
        check("LET A = \"X\";", &[(2, 2)], Difference::Case);
        check("let a  = 'X';", &[(2, 2)], Difference::Marks);
        check("fn one() {\\n    let a", &[(1, 2)], Difference::EscapedNewlines);
        check("fn two() {\n    call(1, 2, 4);\n}", &[(6, 8)], Difference::Lines);
        check("call(1, 2, 4)", &[(7, 7)], Difference::Words);
        check("nothing like it", &[], Difference::Words);
    }

    #[test]
    fn quotes_candidates_with_line_numbers() {
        let found = nearest(TEXT, "let a='x';\nreturn a");
        insta::assert_snapshot!(describe(TEXT, &found), @r#"
        lines 2-3 differ in quotes, dashes, case or whitespace only:
        2|     let a = "x";
        3| 	return a;
        "#);
    }

    proptest! {
        #[test]
        fn candidates_are_within_the_text(text in "[ab'\" \n\ré]{0,60}", wanted in "[ab'\" \n\ré]{0,20}") {
            let total = text.lines().count();
            for candidate in nearest(&text, &wanted) {
                let (first, last) = candidate.lines;
                prop_assert!(1 <= first && first <= last && last <= total.max(1), "{candidate:?}");
                describe(&text, &[candidate]);
            }
        }
    }
}
