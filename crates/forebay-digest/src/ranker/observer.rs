//! Observes the lines of a text one after another and holds those that compete for the budget.

use std::collections::VecDeque;

use forebay_text::trees::Model;

use super::candidates::{Candidates, HeldLine};
use super::counts::LossyCounts;
use super::features::FeatureVector;
use super::line_traits::{Buffers, LineTraits};
use super::observed_line::{Distances, Landmark, MAX_RARE_COUNT, ObservedLine, Totals, WholeText};
use super::raw_lines::RawLine;
use super::surroundings::{NEAR_LINES, Surroundings};
use super::{RankedLine, TextKind};

/// The last lines are candidates whatever they say.
const LAST_LINES: usize = 150;

/// Lines at most this far from a landmark of a failure are candidates, and those that name a problem.
const CLOSE_LINES: u64 = 8;

/// Landmarks of a failure.
const FAILURE_LANDMARKS: &[Landmark] = &[Landmark::Failure, Landmark::Exit, Landmark::Red];

/// The first lines of an output are candidates whatever they say.
const FIRST_LINES: u64 = 150;

/// Lines close to a failure.
type FailureCandidates = Candidates<{ 1 << 10 }, { 7 << 10 }>;

/// Lines that compete in the output of one command only.
type OtherCandidates = Candidates<{ 1 << 9 }, { 1 << 9 }>;

/// Bytes held of the raw line of a candidate.
const MAX_HELD_BYTES: usize = 1 << 10;

/// Lines held in the end.
#[cfg(test)]
pub(super) const MAX_CANDIDATES: usize = FailureCandidates::MAX + OtherCandidates::MAX + LAST_LINES;

/// Reads each line once, and decides about it when the lines that follow it are known.
#[derive(Debug, Default)]
pub(super) struct Observer {
    totals: Totals,
    templates: LossyCounts,
    prefixes: LossyCounts,
    first_tokens: LossyCounts,
    /// Distances back to the last landmarks.
    since: Distances,
    /// The last lines, which are undecided.
    recent: VecDeque<ObservedLine>,
    /// The lines before these, the nearest first.
    decided: VecDeque<LineTraits>,
    candidates: FailureCandidates,
    others: OtherCandidates,
    /// A buffer of a line that was dropped.
    spare: Vec<u8>,
    buffers: Buffers,
}

impl Observer {
    pub(super) fn push(&mut self, line: RawLine<'_>) {
        let traits = LineTraits::read(line.bytes, &mut self.buffers);
        let before = self.totals;
        self.totals.add(&traits, line.len + 1);
        self.since.advance();
        let mut observed = ObservedLine::new(line.number, traits, before, self.since);
        observed.is_first_of_template = self.templates.add(traits.template) == 1;
        self.prefixes.add(traits.prefix);
        self.first_tokens.add(traits.first_token);
        let held = line.bytes.len().min(MAX_HELD_BYTES);
        observed.raw = std::mem::take(&mut self.spare);
        observed.raw.clear();
        observed.raw.extend_from_slice(&line.bytes[..held]);
        observed.is_cut = held < line.bytes.len();
        self.overwrite_states(&observed);
        self.note_landmarks(&traits);
        self.recent.push_back(observed);
        if self.recent.len() > LAST_LINES
            && let Some(oldest) = self.recent.pop_front()
        {
            self.decide(oldest);
        }
    }

    /// Returns the number of lines so far.
    pub(super) fn lines(&self) -> u64 {
        self.totals.lines
    }

    /// Returns the number of lines that announce a command.
    pub(super) fn commands(&self) -> u64 {
        self.totals.commands
    }

    /// Returns the candidates in order of the text; no line may follow.
    pub(super) fn rank(mut self, kind: TextKind, model: &Model) -> Vec<RankedLine> {
        let mut held = self.take_held_lines(kind);
        held.retain(|held| held.line.is_shown());
        let whole = self.whole_text();
        let features: Vec<FeatureVector> = held.iter().map(|held| held.features(&whole)).collect();
        let scores = model.scores(&features);
        let rank = |((held, features), score): ((HeldLine, FeatureVector), i32)| {
            let ObservedLine { number, raw, is_cut, .. } = held.line;
            RankedLine { number, score, features, raw, is_cut, reason: None }
        };
        held.into_iter().zip(features).zip(scores).map(rank).collect()
    }

    /// Takes the candidates and the last lines, also those that are not shown; no line may follow.
    pub(super) fn take_held_lines(&mut self, kind: TextKind) -> Vec<HeldLine> {
        let mut held: Vec<_> = std::mem::take(&mut self.candidates).into_iter().collect();
        if kind == TextKind::Output {
            held.extend(std::mem::take(&mut self.others).into_iter());
            held.sort_unstable_by_key(|held| held.line.index());
        }
        while let Some(line) = self.recent.pop_front() {
            let traits = line.traits;
            held.push(self.with_surroundings(line));
            self.pass(traits);
        }
        held
    }

    pub(super) fn whole_text(&self) -> WholeText<'_> {
        WholeText {
            totals: self.totals,
            templates: &self.templates,
            prefixes: &self.prefixes,
            first_tokens: &self.first_tokens,
        }
    }

    /// Notes that a visible line replaces the earlier states of the same line on the screen.
    fn overwrite_states(&mut self, line: &ObservedLine) {
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
            self.since.set(landmark, 0);
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
        let traits = line.traits;
        let dropped = if !line.is_shown() {
            Some(line)
        } else if self.is_candidate(&line) {
            let held = self.with_surroundings(line);
            self.candidates.push(held).map(|held| held.line)
        } else if line.index() < FIRST_LINES || line.is_first_of_template {
            let held = self.with_surroundings(line);
            self.others.push(held).map(|held| held.line)
        } else {
            Some(line)
        };
        self.spare = dropped.map(|line| line.raw).unwrap_or_default();
        self.pass(traits);
    }

    fn is_candidate(&self, line: &ObservedLine) -> bool {
        (line.is_close_to(FAILURE_LANDMARKS, CLOSE_LINES) || Landmark::Problem.is(&line.traits))
            // Of many candidates, those that repeat are not worth their place.
            && (!self.candidates.are_many() || self.templates.get(line.traits.template) <= MAX_RARE_COUNT)
    }

    /// Adds the lines around the oldest recent one.
    fn with_surroundings(&self, line: ObservedLine) -> HeldLine {
        let after = self.recent.iter().map(|recent| &recent.traits);
        let around = Surroundings::new(&line.traits, self.decided.iter(), after);
        HeldLine { line, around }
    }

    fn pass(&mut self, line: LineTraits) {
        self.decided.truncate(NEAR_LINES - 1);
        self.decided.push_front(line);
    }
}
