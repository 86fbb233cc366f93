//! What is nearest to a text that does not stand in a file: most misses are white space or quotes.

use std::collections::HashMap;

use super::{line_of, numbered};
use crate::edit::source_file::lines_told;

/// A stretch of a file that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// First and last line, counted from 1.
    pub(crate) lines: (usize, usize),
    pub(crate) difference: Difference,
}

/// In what a candidate differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    LineEnds,
    /// `old_string` has a backslash and an n where the file breaks its line.
    EscapedBreaks,
    WhiteSpace,
    Quotes,
    Dashes,
    Case,
    /// Several of these.
    Marks,
    /// In some of its lines.
    Lines,
    /// In parts of its one line.
    Words,
}

/// Candidates that are told.
const MOST: usize = 3;
/// Lines of a candidate that are quoted.
const QUOTED: usize = 12;
/// Of the words of a line, so many in a hundred must be the same.
const ALIKE: usize = 60;

/// What a text may differ in without being another.
const BY_LIKELIHOOD: &[Difference] = &[
    Difference::WhiteSpace,
    Difference::Quotes,
    Difference::Dashes,
    Difference::Case,
    Difference::Marks,
];

/// The stretches nearest to `wanted`, the best first; all of the best kind there is.
pub(crate) fn nearest(text: &str, wanted: &str) -> Vec<Candidate> {
    if wanted.contains('\r') && text.contains(&wanted.replace("\r\n", "\n")) {
        return squeezed(text, wanted, Difference::LineEnds);
    }
    let unescaped = wanted.replace("\\n", "\n").replace("\\t", "\t");
    if unescaped != wanted && text.contains(&unescaped) {
        return squeezed(text, &unescaped, Difference::EscapedBreaks);
    }
    for difference in BY_LIKELIHOOD {
        let found = squeezed(text, wanted, *difference);
        if !found.is_empty() {
            return found;
        }
    }
    let by_lines = sharing_lines(text, wanted);
    if by_lines.is_empty() { sharing_words(text, wanted) } else { by_lines }
}

/// Candidates as an answer quotes them.
pub(crate) fn told(text: &str, candidates: &[Candidate]) -> String {
    let mut lines = Vec::new();
    for Candidate { lines: (first, last), difference } in candidates {
        let place = lines_told(*first, *last);
        lines.push(format!("{place} {}:", difference.words(first == last)));
        let shown = (*last).min(first + QUOTED - 1);
        lines.extend(numbered(text, *first, shown));
        if shown < *last {
            lines.push(format!("... to line {last}"));
        }
    }
    lines.join("\n")
}

impl Difference {
    /// What is said of one line, or of several.
    fn words(self, is_one: bool) -> String {
        let what = match self {
            Self::LineEnds => "in line ends only (give \\n)",
            Self::EscapedBreaks => "only where old_string has \\n or \\t written out",
            Self::WhiteSpace => "in white space only",
            Self::Quotes => "in quotes only",
            Self::Dashes => "in dashes only",
            Self::Case => "in upper and lower case only",
            Self::Marks => "in quotes, dashes, case or white space only",
            Self::Lines if is_one => return "has some of the words".to_owned(),
            Self::Lines => return "have some of the lines".to_owned(),
            Self::Words => return "is alike".to_owned(),
        };
        format!("{} {what}", if is_one { "differs" } else { "differ" })
    }

    /// A character as it counts where only this differs; nothing if it does not.
    fn counted(self, character: char) -> Option<char> {
        match self {
            Self::LineEnds | Self::EscapedBreaks | Self::Lines | Self::Words => Some(character),
            Self::WhiteSpace => is_no_space(character).then_some(character),
            Self::Quotes => Some(if is_quote(character) { '"' } else { character }),
            Self::Dashes => Some(if is_dash(character) { '-' } else { character }),
            Self::Case => Some(lower(character)),
            Self::Marks if is_quote(character) => Some('"'),
            Self::Marks if is_dash(character) => Some('-'),
            Self::Marks => is_no_space(character).then(|| lower(character)),
        }
    }
}

fn is_no_space(character: char) -> bool {
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

/// Places that are the same but for one kind of difference.
fn squeezed(text: &str, wanted: &str, difference: Difference) -> Vec<Candidate> {
    let wanted = wanted.chars().filter(|character| *character != '\r');
    let wanted: String = wanted.filter_map(|character| difference.counted(character)).collect();
    if !wanted.contains(is_no_space) {
        return Vec::new();
    }
    let mut squeezed = String::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len());
    for (offset, character) in text.char_indices() {
        let Some(counted) = difference.counted(character) else { continue };
        squeezed.push(counted);
        origins.extend(std::iter::repeat_n(offset, counted.len_utf8()));
    }
    let found = squeezed.match_indices(&wanted).take(MOST).map(|(start, _)| {
        let last = start + wanted.len() - 1;
        let lines = (line_of(text, origins[start]), line_of(text, origins[last]));
        Candidate { lines, difference }
    });
    found.collect()
}

/// Windows as long as `wanted` that have most of its lines.
fn sharing_lines(text: &str, wanted: &str) -> Vec<Candidate> {
    let wanted: Vec<&str> = wanted.lines().map(str::trim).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        places.entry(line.trim()).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (position, line) in wanted.iter().enumerate().filter(|(_, line)| says_something(line)) {
        for place in places.get(line).into_iter().flatten() {
            *votes.entry(place.saturating_sub(position)).or_default() += 1;
        }
    }
    let total = text.lines().count();
    let mut best: Vec<(usize, usize)> = votes.into_iter().collect();
    best.sort_by_key(|(start, votes)| (std::cmp::Reverse(*votes), *start));
    let most = best.first().map_or(0, |(_, votes)| *votes);
    let chosen = best.into_iter().filter(|(_, votes)| votes * 2 > most).take(MOST);
    chosen
        .map(|(start, _)| Candidate {
            lines: (start + 1, (start + wanted.len().max(1)).min(total)),
            difference: Difference::Lines,
        })
        .collect()
}

fn says_something(line: &str) -> bool {
    line.chars().filter(|character| character.is_alphanumeric()).count() >= 3
}

/// Lines that have most words of the longest line of `wanted`.
fn sharing_words(text: &str, wanted: &str) -> Vec<Candidate> {
    let longest = wanted.lines().max_by_key(|line| line.trim().len()).unwrap_or_default();
    let words: Vec<&str> = words(longest).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let own: Vec<&str> = self::words(line).collect();
        let shared = words.iter().filter(|word| own.contains(word)).count();
        let alike = shared * 100 / words.len().max(own.len()).max(1);
        if alike >= ALIKE {
            found.push((alike, index + 1));
        }
    }
    found.sort_by_key(|(alike, line)| (std::cmp::Reverse(*alike), *line));
    let best = found.into_iter().take(MOST);
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
    fn misses_are_told_apart() {
        check("fn one() {\r\n    let a", &[(1, 2)], Difference::LineEnds);
        check("    let a = \"x\";\n    return a;", &[(2, 3)], Difference::WhiteSpace);
        check("let a = “x”;", &[(2, 2)], Difference::Quotes);
        check("let a = 'x';", &[(2, 2)], Difference::Quotes);
        check("LET A = \"X\";", &[(2, 2)], Difference::Case);
        check("let a  = 'X';", &[(2, 2)], Difference::Marks);
        check("fn one() {\\n    let a", &[(1, 2)], Difference::EscapedBreaks);
        check("fn two() {\n    call(1, 2, 4);\n}", &[(6, 8)], Difference::Lines);
        check("call(1, 2, 4)", &[(7, 7)], Difference::Words);
        check("nothing like it", &[], Difference::Words);
    }

    #[test]
    fn candidates_are_quoted_with_their_lines() {
        let found = nearest(TEXT, "let a='x';\nreturn a");
        insta::assert_snapshot!(told(TEXT, &found), @r#"
        lines 2-3 differ in quotes, dashes, case or white space only:
        2|     let a = "x";
        3| 	return a;
        "#);
    }

    proptest! {
        #[test]
        fn candidates_lie_in_the_text(text in "[ab'\" \n\ré]{0,60}", wanted in "[ab'\" \n\ré]{0,20}") {
            let total = text.lines().count();
            for candidate in nearest(&text, &wanted) {
                let (first, last) = candidate.lines;
                prop_assert!(1 <= first && first <= last && last <= total.max(1), "{candidate:?}");
                told(&text, &[candidate]);
            }
        }
    }
}
