//! Possible values of variables, as assigned in the text itself.

use std::collections::BTreeMap;

use super::variables;
use crate::shell::{Command, Hole, Piece, Word};

/// Maximum number of variants of one command.
const MAX_VARIANTS: usize = 64;

/// Values assigned in the text, by variable.
#[derive(Default)]
pub(super) struct Guesses(BTreeMap<String, Vec<String>>);

impl Guesses {
    pub(super) fn learn(&mut self, command: &Command) {
        for assignment in variables::assignments(command) {
            let value = assignment.value.known().or_else(|| self.guess(&assignment.value));
            if let Some(value) = value {
                self.0.entry(assignment.name.clone()).or_default().push(value);
            }
        }
    }

    /// The first possible text of a word.
    fn guess(&self, word: &Word) -> Option<String> {
        self.texts(word).into_iter().next()
    }

    /// The commands this one may become, split again where a value contains whitespace.
    pub(super) fn variants(&self, command: &Command) -> Vec<Command> {
        if !command.words.iter().chain(targets(command)).any(Word::has_hole) {
            return Vec::new();
        }
        let mut variants = vec![Command { piped: command.piped, ..Command::default() }];
        for word in &command.words {
            variants = self.extended(variants, word);
        }
        for variant in &mut variants {
            variant.redirects = command
                .redirects
                .iter()
                .cloned()
                .map(|mut redirect| {
                    if let Some(text) = self.guess(&redirect.target) {
                        redirect.target = Word::literal(text);
                    }
                    redirect
                })
                .collect();
        }
        variants.retain(|variant| {
            variant.words != command.words || variant.redirects != command.redirects
        });
        variants
    }

    fn extended(&self, variants: Vec<Command>, word: &Word) -> Vec<Command> {
        let texts = if word.has_hole() { self.texts(word) } else { Vec::new() };
        if texts.is_empty() {
            return with_words(variants, &[vec![word.clone()]]);
        }
        let choices: Vec<Vec<Word>> =
            texts.iter().map(|text| text.split_whitespace().map(Word::literal).collect()).collect();
        with_words(variants, &choices)
    }

    /// Every possible text of a word; none if a part is unknown.
    fn texts(&self, word: &Word) -> Vec<String> {
        let mut texts = vec![String::new()];
        for piece in &word.pieces {
            let choices = match piece {
                Piece::Hole(hole) => self.values(hole),
                other => vec![Word { pieces: vec![other.clone()], ..Word::default() }.marked()],
            };
            texts = texts
                .iter()
                .flat_map(|text| choices.iter().map(move |choice| format!("{text}{choice}")))
                .take(MAX_VARIANTS)
                .collect();
        }
        texts
    }

    fn values(&self, hole: &Hole) -> Vec<String> {
        let assigned = hole.name.as_ref().and_then(|name| self.0.get(name));
        assigned.into_iter().flatten().chain(&hole.guess).cloned().collect()
    }
}

fn targets(command: &Command) -> impl Iterator<Item = &Word> {
    command.redirects.iter().map(|redirect| &redirect.target)
}

fn with_words(variants: Vec<Command>, choices: &[Vec<Word>]) -> Vec<Command> {
    let extended = variants.iter().flat_map(|variant| {
        choices.iter().map(|words| {
            let mut longer = variant.clone();
            longer.words.extend(words.iter().cloned());
            longer
        })
    });
    extended.take(MAX_VARIANTS).collect()
}
