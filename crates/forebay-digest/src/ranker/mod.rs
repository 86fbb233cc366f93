//! Ranks the lines of an output by how likely a reader needs them.
//!
//! Decision trees score each line by integer features of its text and surroundings. Those for logs of several commands
//! were trained on CI logs in which people marked the reason of the failure; those for the output of one command, failing
//! or not, on recorded outputs whose facts were written down:
//!
//! - `raw_lines` splits the bytes, `normal_line` removes colours (`terminal_codes`) and time stamps (`timestamp`),
//!   `keywords` and `line_traits` say what a line says by itself;
//! - `observed_line` adds the distances to other lines while these arrive, `surroundings` the lines near a candidate;
//!   `counts` tells how often it repeats;
//! - `features` names the features, `forebay_text::trees` evaluates them.
//!
//! One pass over the bytes in bounded memory: only candidates are held. These are lines close to a failure and the last
//! ones, and in the output of one command also the first ones and the first of each kind.

mod candidates;
mod counts;
mod explain;
mod features;
#[cfg(test)]
mod keyword_patterns;
mod keywords;
mod line_traits;
mod normal_line;
mod observed_line;
mod observer;
mod raw_lines;
mod surroundings;
mod terminal_codes;
mod timestamp;

use std::sync::LazyLock;

use forebay_text::trees::Model;

use explain::Explainer;
use normal_line::NormalLine;
use observer::Observer;
use raw_lines::LineSplitter;

use features::Feature;
pub use features::{FEATURES, FeatureVector};

/// The committed trees; `cargo xtask digest-model` tells how they were made. Twice the expected value is 1024 more.
const LOG_MODEL: &[u8] = include_bytes!("log.bin");
const OUTPUT_MODEL: &[u8] = include_bytes!("output.bin");

/// Fewer lines that look like announced commands occur in the output of one command.
const MIN_COMMANDS: u64 = 3;

/// Bytes held before the first line is read.
const MAX_UNREAD_BYTES: usize = 16 << 10;

/// What a text is, which decides about candidates and trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// The log of several commands, as CI services write it.
    Log,
    /// The output of one command.
    Output,
}

impl TextKind {
    /// Returns the committed trees.
    fn committed_model(self) -> &'static Model {
        static LOG: LazyLock<Model> = LazyLock::new(|| parse(LOG_MODEL));
        static OUTPUT: LazyLock<Model> = LazyLock::new(|| parse(OUTPUT_MODEL));
        match self {
            Self::Log => &LOG,
            Self::Output => &OUTPUT,
        }
    }
}

/// # Panics
///
/// If the committed file is damaged, which a test rules out.
#[expect(clippy::expect_used, reason = "the bytes are a constant, which a test reads")]
fn parse(committed: &[u8]) -> Model {
    Model::parse(committed, FEATURES).expect("the committed model is whole")
}

/// Observes the raw bytes of an output and ranks its lines in the end.
#[derive(Debug, Default)]
pub(crate) struct LineRanker {
    /// Trees in the place of the committed ones for a kind of text.
    replaced: Option<(TextKind, &'static Model)>,
    /// The first bytes: a text that is shown verbatim needs no ranking.
    unread: Vec<u8>,
    splitter: LineSplitter,
    observer: Observer,
}

/// A candidate and its score.
#[derive(Debug)]
pub(crate) struct RankedLine {
    /// Number of the line on the screen, from 1.
    pub(crate) number: u64,
    pub(crate) score: i32,
    pub(crate) features: FeatureVector,
    /// The start of the raw line.
    pub(crate) raw: Vec<u8>,
    /// The raw line is longer.
    pub(crate) is_cut: bool,
    /// What raised its score most, if asked for.
    pub(crate) reason: Option<String>,
}

impl LineRanker {
    /// Ranks texts of a kind with other trees than the committed ones.
    pub(crate) fn with_model(kind: TextKind, model: &'static Model) -> Self {
        Self { replaced: Some((kind, model)), ..Self::default() }
    }

    fn model(&self, kind: TextKind) -> &'static Model {
        let replacement = self.replaced.filter(|(of, _)| *of == kind);
        replacement.map_or_else(|| kind.committed_model(), |(_, model)| model)
    }

    pub(crate) fn push(&mut self, raw: &[u8]) {
        if self.observer.lines() == 0 && self.unread.len() + raw.len() <= MAX_UNREAD_BYTES {
            self.unread.extend_from_slice(raw);
            return;
        }
        self.read_held_bytes();
        self.splitter.push(raw, &mut |line| self.observer.push(line));
    }

    fn read_held_bytes(&mut self) {
        let unread = std::mem::take(&mut self.unread);
        self.splitter.push(&unread, &mut |line| self.observer.push(line));
    }

    /// Returns true if the text so far is the log of several commands, as CI services write it.
    pub(crate) fn has_several_commands(&mut self) -> bool {
        self.read_held_bytes();
        self.observer.commands() >= MIN_COMMANDS
    }

    /// Returns the candidates in order of the text.
    pub(crate) fn finish(mut self, kind: TextKind) -> Vec<RankedLine> {
        self.read_held_bytes();
        self.splitter.finish(&mut |line| self.observer.push(line));
        let model = self.model(kind);
        self.observer.rank(kind, model)
    }

    /// Returns the candidates in order of the text, each with its reason.
    pub(crate) fn finish_with_reasons(self, kind: TextKind) -> Vec<RankedLine> {
        let model = self.model(kind);
        let mut lines = self.finish(kind);
        let explainer = Explainer::new(model, &lines);
        for line in &mut lines {
            line.reason = Some(explainer.reason(line));
        }
        lines
    }
}

/// A line that competes for the budget, for training.
#[derive(Debug)]
pub struct Candidate {
    /// The text as the features see it.
    pub text: Vec<u8>,
    /// In the order of [`feature_names`].
    pub features: FeatureVector,
}

/// Returns the lines of an output that compete for its budget.
pub fn candidates(raw: &[u8], kind: TextKind) -> Vec<Candidate> {
    let mut ranker = LineRanker::default();
    ranker.push(raw);
    let candidate = |line: RankedLine| Candidate {
        text: NormalLine::parse(&line.raw, &mut Vec::new()).text.to_vec(),
        features: line.features,
    };
    ranker.finish(kind).into_iter().map(candidate).collect()
}

/// Returns the names of the features in the order of a vector.
pub fn feature_names() -> impl Iterator<Item = &'static str> {
    Feature::ALL.iter().map(|feature| feature.name())
}

#[cfg(test)]
mod tests;
