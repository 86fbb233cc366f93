//! Sentences of a prompt, without what was pasted into it.

use forebay_text::cut;

/// Longer prompts are pastes; what the user says stands at the beginning or in the last lines.
const MOST_BYTES: usize = 16_000;
const MOST_SENTENCES: usize = 200;
/// A longer sentence is no sentence.
const MOST_SENTENCE_BYTES: usize = 600;

/// One thing a person said.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    /// In lower case, words only, a blank on both sides of each.
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

/// The sentences of a text; code, quotes and log lines are none.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in cut::prefix(text, MOST_BYTES).lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.starts_with('>') {
            found.extend(split(line).filter_map(sentence));
        }
    }
    found.truncate(MOST_SENTENCES);
    found
}

/// Splits where a sentence ends; a dot within a name or a number ends nothing.
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
    if text.is_empty() || text.len() > MOST_SENTENCE_BYTES {
        return None;
    }
    Some(Sentence { text, words: normalised(text), is_question: text.ends_with('?') })
}

/// A colon stands as a word of its own, because what follows it is another thought.
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
    fn sentences_end_where_people_end_them() {
        check("Use v1.2 of foo.rs. Thanks! Ok?", &["Use v1.2 of foo.rs.", "Thanks!", "Ok?"]);
        check("- one\n- two; three", &["one", "two;", "three"]);
        check("", &[]);
    }

    #[test]
    fn code_and_quotes_are_not_spoken() {
        check("see:\n```\nnever do it.\n```\n> always\ndone", &["see:", "done"]);
    }

    #[test]
    fn words_stand_apart() {
        assert_eq!(sentences("Don’t, please: USE `x`.")[0].words, " don't please : use x ");
    }
}
