//! What the caller is after, as words to look for.

use aho_corasick::AhoCorasick;
use forebay_text::words;

/// As many words as bits in a mask.
const WORDS: usize = 32;

/// Shorter words only count where they start a word.
const SHORT: usize = 4;

/// The words of an intent and how often each was seen.
#[derive(Debug)]
pub(crate) struct Intent {
    finder: Option<AhoCorasick>,
    /// For each word, how many lines have it.
    lines_with: Vec<u64>,
}

impl Intent {
    pub(crate) fn new(intent: &str) -> Self {
        let words: Vec<String> = words::significant(intent, WORDS)
            .iter()
            .map(|word| singular(word).to_owned())
            .collect();
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok();
        let finder = finder.filter(|_| !words.is_empty());
        Self { finder, lines_with: vec![0; words.len()] }
    }

    /// The words a line has, one bit each.
    pub(crate) fn look(&mut self, line: &str) -> u32 {
        let Some(finder) = &self.finder else { return 0 };
        let mut mask = 0_u32;
        for found in finder.find_overlapping_iter(line) {
            if found.len() >= SHORT || starts_word(line, found.start()) {
                mask |= 1 << found.pattern().as_usize();
            }
        }
        for (word, lines) in self.lines_with.iter_mut().enumerate() {
            *lines += u64::from(mask >> word & 1);
        }
        mask
    }

    /// How much a line with these words is wanted: each word counts by how rare it is.
    pub(crate) fn worth(&self, mask: u32, total: u64) -> u32 {
        let worth = |lines: u64| u64::max(total, 1).div_ceil(lines.max(1)).ilog2() + 1;
        let seen = self.lines_with.iter().enumerate().filter(|(word, _)| mask >> word & 1 == 1);
        seen.map(|(_, lines)| worth(*lines)).sum()
    }
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|word| word.len() >= SHORT).unwrap_or(word)
}

fn starts_word(line: &str, at: usize) -> bool {
    !line[..at].ends_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(intent: &str, line: &str, expect: u32) {
        assert_eq!(Intent::new(intent).look(line), expect, "{intent:?} in {line:?}");
    }

    #[test]
    fn words_are_found_whatever_their_form() {
        check("which timeouts happened", "Read_Timeout after 3 s", 0b01);
        check("io", "an io error", 0b1);
        check("io", "ratio", 0);
        check("", "anything", 0);
    }

    #[test]
    fn rare_words_are_worth_more() {
        let mut intent = Intent::new("test migration");
        for _ in 0..99 {
            intent.look("a test");
        }
        let rare = intent.look("the migration");
        assert!(intent.worth(rare, 100) > intent.worth(1, 100) + 4);
    }
}
