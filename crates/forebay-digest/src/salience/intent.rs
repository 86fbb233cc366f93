//! What the reader looks for, as words to search for.

use aho_corasick::AhoCorasick;
use forebay_text::words;

/// Number of bits in a mask.
const MAX_WORDS: usize = 32;

/// Shorter words match only at the start of a word.
const MIN_SUBSTRING_BYTES: usize = 4;

/// A word of an inferred intent counts if at most one line in this many contains it.
const MIN_INFERRED_RARITY: u64 = 16;

/// What the reader looks for, and who says so.
#[derive(Debug, Clone, Default)]
pub(crate) enum IntentText {
    #[default]
    None,
    /// The caller says it.
    Stated(String),
    /// It is guessed from what was said before the call.
    Inferred(String),
}

impl IntentText {
    fn words(&self) -> &str {
        match self {
            Self::None => "",
            Self::Stated(words) | Self::Inferred(words) => words,
        }
    }
}

/// The words of an intent, and the number of lines that contain each.
#[derive(Debug)]
pub(crate) struct Intent {
    is_inferred: bool,
    finder: Option<AhoCorasick>,
    /// For each word, the number of lines that contain it.
    line_counts: Vec<u64>,
}

impl Intent {
    pub(crate) fn new(intent: &IntentText) -> Self {
        let words: Vec<String> = words::significant(intent.words(), MAX_WORDS)
            .iter()
            .map(|word| singular(word).to_owned())
            .collect();
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok();
        let finder = finder.filter(|_| !words.is_empty());
        let is_inferred = matches!(intent, IntentText::Inferred(_));
        Self { is_inferred, finder, line_counts: vec![0; words.len()] }
    }

    /// Returns true if no caller stated it: it may then displace nothing that is more certain.
    pub(crate) fn is_inferred(&self) -> bool {
        self.is_inferred
    }

    /// Returns the words that a line contains, one bit each.
    pub(crate) fn match_line(&mut self, line: &str) -> u32 {
        let Some(finder) = &self.finder else { return 0 };
        let mut mask = 0_u32;
        for hit in finder.find_overlapping_iter(line) {
            if hit.len() >= MIN_SUBSTRING_BYTES || starts_word(line, hit.start()) {
                mask |= 1 << hit.pattern().as_usize();
            }
        }
        for (word, lines) in self.line_counts.iter_mut().enumerate() {
            *lines += u64::from(mask >> word & 1);
        }
        mask
    }

    /// Returns the score of a line with these words; rare words score higher.
    pub(crate) fn score(&self, mask: u32, total: u64) -> u32 {
        let min_rarity = if self.is_inferred { MIN_INFERRED_RARITY } else { 1 };
        let seen = self.line_counts.iter().enumerate().filter(|(word, _)| mask >> word & 1 == 1);
        seen.map(|(_, lines)| total.max(1).div_ceil((*lines).max(1)))
            .filter(|rarity| *rarity >= min_rarity)
            .map(|rarity| rarity.ilog2() + 1)
            .sum()
    }
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|word| word.len() >= MIN_SUBSTRING_BYTES).unwrap_or(word)
}

fn starts_word(line: &str, at: usize) -> bool {
    !line[..at].ends_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(intent: &str, line: &str, expect: u32) {
        let mut stated = Intent::new(&IntentText::Stated(intent.to_owned()));
        assert_eq!(stated.match_line(line), expect, "{intent:?} in {line:?}");
    }

    #[test]
    fn finds_words_regardless_of_case_and_plural() {
        check("which timeouts happened", "Read_Timeout after 3 s", 0b01);
        check("io", "an io error", 0b1);
        check("io", "ratio", 0);
        check("", "anything", 0);
    }

    #[test]
    fn rare_words_score_higher() {
        let words = || "test migration".to_owned();
        for (text, of_frequent) in
            [(IntentText::Stated(words()), 2), (IntentText::Inferred(words()), 0)]
        {
            let mut intent = Intent::new(&text);
            for _ in 0..99 {
                intent.match_line("a test");
            }
            let rare = intent.match_line("the migration");
            assert_eq!(intent.score(1, 100), of_frequent, "{text:?}");
            assert!(intent.score(rare, 100) > 6, "{text:?}");
        }
    }
}
