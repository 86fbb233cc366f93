//! Ranks the lines of an output by how likely a reader needs them.
//!
//! Decision trees score each line by integer features of its text and surroundings. Those for logs of several commands
//! were trained on CI logs in which people marked the reason of the failure; those for the output of one command, failing
//! or not, on recorded outputs whose facts were written down:
//!
//! - `raw_lines` splits the bytes, `normal_line` removes colours (`terminal_codes`) and time stamps (`timestamp`),
//!   `keywords` and `line_traits` say what a line says by itself;
//! - `observed_line` adds its surroundings while further lines arrive; `counts` tells how often it repeats;
//! - `features` names the features, `forebay_text::trees` evaluates them.
//!
//! One pass over the bytes in bounded memory: only candidates are held. These are lines close to a failure and the last
//! ones, and in the output of one command also the first ones and the first of each kind.

mod counts;
mod explain;
mod features;
#[cfg(test)]
mod keyword_patterns;
mod keywords;
mod line_traits;
mod normal_line;
mod observed_line;
mod raw_lines;
mod terminal_codes;
mod timestamp;

use std::collections::VecDeque;
use std::sync::LazyLock;

use counts::LossyCounts;
use explain::Explainer;
use line_traits::LineTraits;
use normal_line::NormalLine;
use observed_line::{
    Distances, Landmark, MAX_RARE_COUNT, NEAR_LINES, ObservedLine, Totals, WholeText,
};
use raw_lines::{LineSplitter, RawLine};

use forebay_text::trees::Model;

use features::Feature;
pub use features::{FEATURES, FeatureVector};

/// The committed trees; `cargo xtask digest-model` tells how they were made. Twice the expected value is 1024 more.
const LOG_MODEL: &[u8] = include_bytes!("log.bin");
const OUTPUT_MODEL: &[u8] = include_bytes!("output.bin");

/// The last lines are candidates whatever they say.
const LAST_LINES: usize = 150;

/// Lines at most this far from a landmark of a failure are candidates, and those that name a problem.
const CLOSE_LINES: u64 = 8;

/// Landmarks of a failure.
const FAILURE_LANDMARKS: &[Landmark] = &[Landmark::Failure, Landmark::Exit, Landmark::Red];

/// Fewer lines that look like announced commands occur in the output of one command.
const MIN_COMMANDS: u64 = 3;

/// The first lines of an output are candidates whatever they say.
const FIRST_LINES: u64 = 150;

/// Lines close to a failure.
type FailureCandidates = Candidates<{ 1 << 10 }, { 7 << 10 }>;

/// Lines that compete in the output of one command only.
type OtherCandidates = Candidates<{ 1 << 9 }, { 1 << 9 }>;

/// Bytes held before the first line is read.
const MAX_UNREAD_BYTES: usize = 16 << 10;

/// Bytes held of the raw line of a candidate.
const MAX_HELD_BYTES: usize = 1 << 10;

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
        if self.observer.totals.lines == 0 && self.unread.len() + raw.len() <= MAX_UNREAD_BYTES {
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
        self.observer.totals.commands >= MIN_COMMANDS
    }

    /// Returns the candidates in order of the text.
    pub(crate) fn finish(mut self, kind: TextKind) -> Vec<RankedLine> {
        self.read_held_bytes();
        self.splitter.finish(&mut |line| self.observer.push(line));
        let model = self.model(kind);
        self.observer.finish(kind, model)
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
        text: NormalLine::parse(&line.raw).text.into_owned(),
        features: line.features,
    };
    ranker.finish(kind).into_iter().map(candidate).collect()
}

/// Returns the names of the features in the order of a vector.
pub fn feature_names() -> impl Iterator<Item = &'static str> {
    Feature::ALL.iter().map(|feature| feature.name())
}

#[derive(Debug, Default)]
struct Observer {
    totals: Totals,
    templates: LossyCounts,
    prefixes: LossyCounts,
    first_tokens: LossyCounts,
    /// Index of the last landmark of each kind.
    last_landmarks: [Option<u64>; Landmark::ALL.len()],
    /// The last lines, which are undecided.
    recent: VecDeque<ObservedLine>,
    candidates: FailureCandidates,
    others: OtherCandidates,
    /// A buffer of a line that was dropped.
    spare: Vec<u8>,
}

impl Observer {
    fn push(&mut self, line: RawLine<'_>) {
        let traits = LineTraits::read(line.bytes);
        let before = self.totals;
        self.totals.add(&traits, line.len + 1);
        let mut observed =
            ObservedLine::new(line.number, traits, before, self.totals, self.distances());
        observed.is_first_of_template = self.templates.add(traits.template) == 1;
        self.prefixes.add(traits.prefix);
        self.first_tokens.add(traits.first_token);
        let held = line.bytes.len().min(MAX_HELD_BYTES);
        observed.raw = std::mem::take(&mut self.spare);
        observed.raw.clear();
        observed.raw.extend_from_slice(&line.bytes[..held]);
        observed.is_cut = held < line.bytes.len();
        self.introduce(&mut observed);
        self.note_landmarks(&traits);
        self.recent.push_back(observed);
        if self.recent.len() > LAST_LINES
            && let Some(oldest) = self.recent.pop_front()
        {
            self.decide(oldest);
        }
    }

    /// Returns the distances from the next line back to each landmark.
    fn distances(&self) -> Distances {
        let mut distances = Distances::default();
        for landmark in Landmark::ALL {
            if let Some(index) = self.last_landmarks[landmark as usize] {
                distances.set(landmark, self.totals.lines - 1 - index);
            }
        }
        distances
    }

    /// Makes a line and the recent ones near it known to each other.
    fn introduce(&mut self, line: &mut ObservedLine) {
        if let Some(previous) = self.recent.back_mut() {
            line.follow(&previous.traits);
            previous.precede(&line.traits);
        }
        for near in self.recent.iter_mut().rev().take(NEAR_LINES) {
            line.add_near(&near.traits);
            near.add_near(&line.traits);
        }
        if !line.traits.is_blank() {
            let states =
                self.recent.iter_mut().rev().take_while(|state| state.number == line.number);
            states.for_each(|state| state.is_overwritten = true);
        }
    }

    /// Tells the held lines before the line how far ahead its landmarks are.
    fn note_landmarks(&mut self, line: &LineTraits) {
        let index = self.totals.lines - 1;
        for landmark in Landmark::ALL.into_iter().filter(|landmark| landmark.is(line)) {
            self.last_landmarks[landmark as usize] = Some(index);
            let is_ahead = |before: &&mut ObservedLine| !before.ahead.has(landmark);
            let recent = self.recent.iter_mut().rev().take_while(is_ahead);
            let candidates = self.candidates.iter_mut_from_last().take_while(is_ahead);
            let others = self.others.iter_mut_from_last().take_while(is_ahead);
            for before in recent.chain(candidates).chain(others) {
                before.ahead.set(landmark, index - before.index());
            }
        }
    }

    /// Keeps a line that is no longer recent if it is a candidate.
    fn decide(&mut self, line: ObservedLine) {
        let dropped = if !line.is_shown() {
            Some(line)
        } else if self.is_candidate(&line) {
            self.candidates.push(line)
        } else if line.index() < FIRST_LINES || line.is_first_of_template {
            self.others.push(line)
        } else {
            Some(line)
        };
        self.spare = dropped.map(|line| line.raw).unwrap_or_default();
    }

    fn is_candidate(&self, line: &ObservedLine) -> bool {
        (line.is_close_to(FAILURE_LANDMARKS, CLOSE_LINES) || Landmark::Problem.is(&line.traits))
            // Of many candidates, those that repeat are not worth their place.
            && (!self.candidates.are_many() || self.templates.get(line.traits.template) <= MAX_RARE_COUNT)
    }

    fn finish(self, kind: TextKind, model: &Model) -> Vec<RankedLine> {
        let whole = WholeText {
            totals: self.totals,
            templates: &self.templates,
            prefixes: &self.prefixes,
            first_tokens: &self.first_tokens,
        };
        let mut held: Vec<ObservedLine> = self.candidates.into_iter().collect();
        if kind == TextKind::Output {
            held.extend(self.others.into_iter());
            held.sort_unstable_by_key(ObservedLine::index);
        }
        held.extend(self.recent.into_iter().filter(ObservedLine::is_shown));
        let rank = |line: ObservedLine| {
            let features = line.features(&whole);
            let ObservedLine { number, raw, is_cut, .. } = line;
            RankedLine {
                number,
                score: model.score(&features),
                features,
                raw,
                is_cut,
                reason: None,
            }
        };
        held.into_iter().map(rank).collect()
    }
}

/// The first and the latest candidates, at most so many of each.
#[derive(Debug, Default)]
struct Candidates<const FIRST: usize, const LATEST: usize> {
    first: Vec<ObservedLine>,
    latest: VecDeque<ObservedLine>,
}

impl<const FIRST: usize, const LATEST: usize> Candidates<FIRST, LATEST> {
    fn are_many(&self) -> bool {
        self.latest.len() >= LATEST / 2
    }

    /// Adds a candidate; returns one that has to go.
    fn push(&mut self, line: ObservedLine) -> Option<ObservedLine> {
        if self.first.len() < FIRST {
            self.first.push(line);
            return None;
        }
        self.latest.push_back(line);
        if self.latest.len() > LATEST { self.latest.pop_front() } else { None }
    }

    fn iter_mut_from_last(&mut self) -> impl Iterator<Item = &mut ObservedLine> {
        self.latest.iter_mut().rev().chain(self.first.iter_mut().rev())
    }

    fn into_iter(self) -> impl Iterator<Item = ObservedLine> {
        self.first.into_iter().chain(self.latest)
    }
}

#[cfg(test)]
mod tests;
