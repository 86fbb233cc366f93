//! Splits a prompt into sentences, without pasted material.

use forebay_text::cut;

/// Longer prompts contain pastes; the user's own words are at the start or in the last lines.
const MAX_PROMPT_BYTES: usize = 16_000;
const MAX_SENTENCES: usize = 200;
/// Longer ones are not sentences.
const MAX_SENTENCE_BYTES: usize = 600;

/// A sentence of the user.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    /// Lowercase words, each with a blank on both sides.
    pub(super) words: String,
    pub(super) is_question: bool,
}

impl Sentence<'_> {
    pub(super) fn has(&self, phrase: &str) -> bool {
        self.words.contains(&format!(" {phrase} "))
    }

    pub(super) fn has_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase))
    }

    pub(super) fn starts_with_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.words.starts_with(&format!(" {phrase} ")))
    }
}

/// Returns the sentences of a text, without code, quotes and log lines.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in cut::prefix(text, MAX_PROMPT_BYTES).lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.starts_with('>') {
            found.extend(split(line).filter_map(sentence));
        }
    }
    found.truncate(MAX_SENTENCES);
    found
}

/// Splits at sentence ends; a dot within a name or a number is none.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = |(at, c): &(usize, char)| {
            let next = rest[at + c.len_utf8()..].chars().next();
            matches!(c, '.' | '!' | '?' | ';') && next.is_none_or(char::is_whitespace)
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

fn sentence(text: &str) -> Option<Sentence<'_>> {
    let text = text.trim().trim_start_matches(['-', '*', '#', '•']).trim_start();
    if text.is_empty() || text.len() > MAX_SENTENCE_BYTES {
        return None;
    }
    Some(Sentence { text, words: normalised(text), is_question: text.ends_with('?') })
}

/// Normalizes a sentence; a colon becomes a word of its own, because it starts another thought.
fn normalised(text: &str) -> String {
    let is_inner = |c: char| c.is_alphanumeric() || "'-_#./+@:".contains(c);
    let plain = text.to_lowercase().replace('’', "'").replace(": ", " : ");
    let words = plain.split(|c: char| !is_inner(c)).map(|word| match word {
        ":" => word,
        _ => word.trim_matches(['\'', '-', '.', '/', ':']),
    });
    format!(" {} ", words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found: Vec<&str> = sentences(text).iter().map(|sentence| sentence.text).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn splits_sentences() {
        check("Use v1.2 of foo.rs. Thanks! Ok?", &["Use v1.2 of foo.rs.", "Thanks!", "Ok?"]);
        check("- one\n- two; three", &["one", "two;", "three"]);
        check("", &[]);
    }

    #[test]
    fn skips_code_and_quotes() {
        check("see:\n```\nnever do it.\n```\n> always\ndone", &["see:", "done"]);
    }

    #[test]
    fn normalizes_words() {
        assert_eq!(sentences("Don’t, please: USE `x`.")[0].words, " don't please : use x ");
    }
}
