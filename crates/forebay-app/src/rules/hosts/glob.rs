//! Whether one pattern can take back what another says: do two patterns meet, does one hold the other.

/// Beyond this many steps two patterns are taken to meet, and none to hold the other.
const MOST_STEPS: usize = 4_000_000;

/// A pattern over whole texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    /// It matches what one of these matches.
    ways: Vec<Vec<Token>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    One,
    Many,
}

impl Glob {
    /// `*` is any text and `?` any character; a blank and `*` at the end may be missing.
    pub(super) fn wild(pattern: &str) -> Self {
        let read = |text: &str| text.chars().map(Token::of).collect::<Vec<_>>();
        let bare = pattern.strip_suffix(" *").map(read);
        Self { ways: std::iter::once(read(pattern)).chain(bare).collect() }
    }

    /// A text, alone or with further words.
    pub(super) fn prefix(text: &str) -> Self {
        let bare: Vec<Token> = text.chars().map(Token::Char).collect();
        let mut with_words = bare.clone();
        with_words.extend([Token::Char(' '), Token::Many]);
        Self { ways: vec![bare, with_words] }
    }

    pub(super) fn everything() -> Self {
        Self { ways: vec![vec![Token::Many]] }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let text: Vec<Token> = text.chars().map(Token::Char).collect();
        self.ways.iter().any(|way| holds(way, &text))
    }

    /// Whether it surely matches all that the other matches.
    pub(super) fn holds(&self, other: &Self) -> bool {
        other.ways.iter().all(|inner| self.ways.iter().any(|way| holds(way, inner)))
    }

    /// Whether some text may match both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.ways.iter().any(|one| other.ways.iter().any(|two| meet(one, two)))
    }
}

impl Token {
    fn of(character: char) -> Self {
        match character {
            '*' => Self::Many,
            '?' => Self::One,
            _ => Self::Char(character),
        }
    }
}

fn meet(one: &[Token], two: &[Token]) -> bool {
    let fits = |a, b| match (a, b) {
        (Token::Char(a), Token::Char(b)) => a == b,
        _ => true,
    };
    walk(one, two, fits, |b| b == Token::Many).unwrap_or(true)
}

/// The inner pattern's wildcards are taken as letters that only wildcards match.
fn holds(outer: &[Token], inner: &[Token]) -> bool {
    let fits = |a, b| match (a, b) {
        (Token::One, b) => b != Token::Many,
        (a, b) => a == b,
    };
    walk(outer, inner, fits, |_| false).unwrap_or(false)
}

/// Lays two token texts beside each other from their ends; `None` where that would take too long.
/// `second_skips` says which tokens of the second text stand for any number of tokens of the first.
fn walk(
    one: &[Token],
    two: &[Token],
    fits: impl Fn(Token, Token) -> bool,
    second_skips: impl Fn(Token) -> bool,
) -> Option<bool> {
    if (one.len() + 1).saturating_mul(two.len() + 1) > MOST_STEPS {
        return None;
    }
    // `below[j]` answers for the rest of `one` and `two[j..]`.
    let mut below: Vec<bool> = Vec::new();
    for i in (0..=one.len()).rev() {
        let mut row = vec![false; two.len() + 1];
        for j in (0..=two.len()).rev() {
            row[j] = match (one.get(i), two.get(j)) {
                (None, None) => true,
                (Some(Token::Many), _) if below[j] || (j < two.len() && row[j + 1]) => true,
                (first, Some(second)) if second_skips(*second) => {
                    row[j + 1] || (first.is_some() && below[j])
                }
                (Some(Token::Many) | None, _) | (_, None) => false,
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
        Glob::wild(pattern)
    }

    #[test]
    fn a_pattern_holds_narrower_ones() {
        assert!(wild("*").holds(&wild("rm *")) && wild("git *").holds(&wild("git push *")));
        assert!(wild("git *").holds(&wild("git")) && wild("git *").holds(&Glob::prefix("git")));
        assert!(Glob::everything().holds(&wild("a?b")) && wild("a?").holds(&wild("ab")));
        assert!(!wild("git push *").holds(&wild("git *")) && !wild("a?").holds(&wild("a*")));
        assert!(!wild("git*").holds(&wild("gi*")));
    }

    #[test]
    fn patterns_meet_where_one_text_matches_both() {
        assert!(wild("git *").meets(&wild("* --force")) && wild("a*").meets(&wild("*b")));
        assert!(wild("*").meets(&wild("x")) && wild("a?c").meets(&wild("ab*")));
        assert!(!wild("git *").meets(&wild("rm *")) && !wild("ab").meets(&wild("a")));
        assert!(!Glob::prefix("git push").meets(&wild("git pull *")));
    }

    #[test]
    fn what_takes_too_long_is_not_decided_in_favour_of_less() {
        let long = "ab".repeat(3000);
        assert!(wild(&long).meets(&wild(&long)) && !wild(&long).holds(&wild(&long)));
    }

    proptest! {
        /// Laid beside texts, the answers hold.
        #[test]
        fn answers_agree_with_texts(one in "[ab*? ]{0,6}", two in "[ab*? ]{0,6}", text in "[ab ]{0,6}") {
            let (one, two) = (wild(&one), wild(&two));
            if one.matches(&text) && two.matches(&text) {
                prop_assert!(one.meets(&two));
            }
            if one.holds(&two) && two.matches(&text) {
                prop_assert!(one.matches(&text));
            }
        }
    }
}
