//! Wildcard patterns: whether two overlap, and whether one contains the other.

/// Beyond this many comparisons, patterns are assumed to overlap and not to contain each other.
const MAX_STEPS: usize = 4_000_000;

/// A pattern that is matched against a whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    /// A text matches if it matches one of these.
    alternatives: Vec<Vec<Token>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    AnyChar,
    AnyText,
}

impl Glob {
    /// Parses a pattern: `*` is any text, `?` any character; a trailing ` *` is optional.
    pub(super) fn new(pattern: &str) -> Self {
        let read = |text: &str| text.chars().map(Token::new).collect::<Vec<_>>();
        let bare = pattern.strip_suffix(" *").map(read);
        Self { alternatives: std::iter::once(read(pattern)).chain(bare).collect() }
    }

    /// Matches a text, alone or followed by a space and anything.
    pub(super) fn prefix(text: &str) -> Self {
        let bare: Vec<Token> = text.chars().map(Token::Char).collect();
        let mut with_words = bare.clone();
        with_words.extend([Token::Char(' '), Token::AnyText]);
        Self { alternatives: vec![bare, with_words] }
    }

    pub(super) fn everything() -> Self {
        Self { alternatives: vec![vec![Token::AnyText]] }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let text: Vec<Token> = text.chars().map(Token::Char).collect();
        self.alternatives.iter().any(|pattern| contains(pattern, &text))
    }

    /// Whether this pattern certainly matches everything that the other matches.
    pub(super) fn contains(&self, other: &Self) -> bool {
        other
            .alternatives
            .iter()
            .all(|inner| self.alternatives.iter().any(|pattern| contains(pattern, inner)))
    }

    /// Whether a text may match both patterns.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.alternatives.iter().any(|one| other.alternatives.iter().any(|two| overlap(one, two)))
    }
}

impl Token {
    fn new(character: char) -> Self {
        match character {
            '*' => Self::AnyText,
            '?' => Self::AnyChar,
            _ => Self::Char(character),
        }
    }
}

fn overlap(one: &[Token], two: &[Token]) -> bool {
    let fits = |a, b| match (a, b) {
        (Token::Char(a), Token::Char(b)) => a == b,
        _ => true,
    };
    align(one, two, fits, |b| b == Token::AnyText).unwrap_or(true)
}

/// Treats the inner pattern's wildcards as characters that only wildcards match.
fn contains(outer: &[Token], inner: &[Token]) -> bool {
    let fits = |a, b| match (a, b) {
        (Token::AnyChar, b) => b != Token::AnyText,
        (a, b) => a == b,
    };
    align(outer, inner, fits, |_| false).unwrap_or(false)
}

/// Aligns two token sequences from their ends; `None` if that takes more than [`MAX_STEPS`].
///
/// `second_skips` says which tokens of the second sequence stand for any number of tokens of the first.
fn align(
    one: &[Token],
    two: &[Token],
    fits: impl Fn(Token, Token) -> bool,
    second_skips: impl Fn(Token) -> bool,
) -> Option<bool> {
    if (one.len() + 1).saturating_mul(two.len() + 1) > MAX_STEPS {
        return None;
    }
    // `below[j]`: whether the rest of `one` aligns with `two[j..]`.
    let mut below: Vec<bool> = Vec::new();
    for i in (0..=one.len()).rev() {
        let mut row = vec![false; two.len() + 1];
        for j in (0..=two.len()).rev() {
            row[j] = match (one.get(i), two.get(j)) {
                (None, None) => true,
                (Some(Token::AnyText), _) if below[j] || (j < two.len() && row[j + 1]) => true,
                (first, Some(second)) if second_skips(*second) => {
                    row[j + 1] || (first.is_some() && below[j])
                }
                (Some(Token::AnyText) | None, _) | (_, None) => false,
                (Some(first), Some(second)) => fits(*first, *second) && below[j + 1],
            };
        }
        below = row;
    }
    below.first().copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wild(pattern: &str) -> Glob {
        Glob::new(pattern)
    }

    #[test]
    fn contains_narrower_patterns() {
        assert!(wild("*").contains(&wild("rm *")) && wild("git *").contains(&wild("git push *")));
        assert!(
            wild("git *").contains(&wild("git")) && wild("git *").contains(&Glob::prefix("git"))
        );
        assert!(Glob::everything().contains(&wild("a?b")) && wild("a?").contains(&wild("ab")));
        assert!(!wild("git push *").contains(&wild("git *")) && !wild("a?").contains(&wild("a*")));
        assert!(!wild("git*").contains(&wild("gi*")));
    }

    #[test]
    fn overlaps_when_a_text_matches_both() {
        assert!(wild("git *").overlaps(&wild("* --force")) && wild("a*").overlaps(&wild("*b")));
        assert!(wild("*").overlaps(&wild("x")) && wild("a?c").overlaps(&wild("ab*")));
        assert!(!wild("git *").overlaps(&wild("rm *")) && !wild("ab").overlaps(&wild("a")));
        assert!(!Glob::prefix("git push").overlaps(&wild("git pull *")));
    }

    #[test]
    fn long_patterns_overlap_and_contain_nothing() {
        let long = "ab".repeat(3000);
        assert!(wild(&long).overlaps(&wild(&long)) && !wild(&long).contains(&wild(&long)));
    }

    proptest! {
        /// Overlap and containment agree with matching.
        #[test]
        fn agrees_with_matching(one in "[ab*? ]{0,6}", two in "[ab*? ]{0,6}", text in "[ab ]{0,6}") {
            let (one, two) = (wild(&one), wild(&two));
            if one.matches(&text) && two.matches(&text) {
                prop_assert!(one.overlaps(&two));
            }
            if one.contains(&two) && two.matches(&text) {
                prop_assert!(one.matches(&text));
            }
        }
    }
}
