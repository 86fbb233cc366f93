//! Checks a custom recognizer against a sample of its format.

use super::CustomRecognizers;
use crate::command::Command;
use crate::digester::feed;
use crate::lines::Line;
use crate::ranker::LineRanker;
use crate::reducer::Reducer;
use crate::salience::IntentText;
use crate::{Hint, clean};

/// The result of checking a recognizer against its sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleCheck {
    /// The digest of the sample.
    pub digest: String,
    /// Expectations that the digest does not meet.
    pub errors: Vec<String>,
    /// Patterns that match no line of the sample.
    pub unmatched: Vec<String>,
}

impl CustomRecognizers {
    /// Digests a sample and verifies that the named recognizer claims it and that the digest
    /// contains the expected texts.
    pub fn check(&self, name: &str, sample: &[u8], expect: &[String], budget: u64) -> SampleCheck {
        let Some(recognizer) = self.0.iter().find(|recognizer| recognizer.definition.name == name)
        else {
            let errors = vec!["unknown recognizer".to_owned()];
            return SampleCheck { digest: String::new(), errors, unmatched: Vec::new() };
        };
        let text = clean(sample);
        let line = recognizer.definition.commands.first().map(String::as_str);
        let digest = self.reduce(line, &text, budget);
        let mut errors = Vec::new();
        let command = Command::parse(line.unwrap_or_default());
        match self.find_claiming(&command, &text).as_ref().map(super::CustomReader::name) {
            Some(reader) if reader == name => {}
            Some(other) => errors.push(format!("its sample is claimed by `{other}`")),
            None if recognizer.patterns().is_none() => {
                errors.push("its patterns exceed the size limit".to_owned());
            }
            None => {
                errors.push("no line at the start of its sample matches `first_lines`".to_owned());
            }
        }
        let lacks = |expected: &&String| !digest.contains(expected.as_str());
        errors.extend(
            expect
                .iter()
                .filter(lacks)
                .map(|missing| format!("the digest does not contain \"{missing}\"")),
        );
        SampleCheck { unmatched: self.unmatched(name, &text), digest, errors }
    }

    /// Reduces the text even if it is short enough to be shown verbatim.
    fn reduce(&self, command: Option<&str>, text: &str, budget: u64) -> String {
        let hint = Hint { command, recognizers: Some(self), ..Hint::default() };
        let mut reducer = Reducer::new(hint, text, &IntentText::None, budget);
        feed(&mut reducer, text);
        let mut ranker = LineRanker::default();
        ranker.push(text.as_bytes());
        reducer.finish(text.lines().count() as u64, ranker).text
    }

    fn unmatched(&self, name: &str, text: &str) -> Vec<String> {
        let recognizer = self.0.iter().find(|recognizer| recognizer.definition.name == name);
        let Some((recognizer, patterns)) =
            recognizer.and_then(|recognizer| Some((recognizer, recognizer.patterns()?)))
        else {
            return Vec::new();
        };
        let mut matched = vec![false; patterns.all.len()];
        for text in text.lines() {
            let line = Line { number: 1, text, cut: 0, has_newline: true }.without_timestamp();
            patterns.all.matches(line.text).into_iter().for_each(|index| matched[index] = true);
        }
        let definition = &recognizer.definition;
        let keys = (0..definition.keep.len())
            .map(|index| format!("keep[{index}]"))
            .chain((0..definition.drop.len()).map(|index| format!("drop[{index}]")))
            .chain((0..definition.counts.len()).map(|index| format!("counts[{index}]")));
        keys.zip(matched).filter(|(_, matched)| !matched).map(|(key, _)| key).collect()
    }
}
