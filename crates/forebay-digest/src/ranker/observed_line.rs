//! A line with what is known of its surroundings so far.

use super::counts::LossyCounts;
use super::features::{FEATURES, Feature, FeatureVector, log_scale};
use super::keywords::Class;
use super::line_traits::LineTraits;
use super::surroundings::Surroundings;

/// Greater distances are not distinguished.
pub(super) const MAX_DISTANCE: u64 = 4_000;

/// A template is rare up to this count.
pub(super) const MAX_RARE_COUNT: u32 = 2;

/// A kind of line to which distances are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Landmark {
    Problem,
    Failure,
    Exit,
    Section,
    Summary,
    Blank,
    Red,
}

impl Landmark {
    pub(super) const ALL: [Self; 7] = [
        Self::Problem,
        Self::Failure,
        Self::Exit,
        Self::Section,
        Self::Summary,
        Self::Blank,
        Self::Red,
    ];

    pub(super) fn is(self, line: &LineTraits) -> bool {
        match self {
            Self::Problem => line.classes.has(Class::Problem),
            Self::Failure => line.classes.has(Class::Failure),
            Self::Exit => line.classes.has(Class::Exit),
            Self::Section => line.classes.has(Class::Section),
            Self::Summary => line.classes.has(Class::Summary),
            Self::Blank => line.is_blank(),
            Self::Red => line.colors.has_red(),
        }
    }

    /// The features of the distance after the last one and before the next one.
    const fn features(self) -> (Feature, Feature) {
        match self {
            Self::Problem => (Feature::AfterProblem, Feature::BeforeProblem),
            Self::Failure => (Feature::AfterFailure, Feature::BeforeFailure),
            Self::Exit => (Feature::AfterExit, Feature::BeforeExit),
            Self::Section => (Feature::AfterSection, Feature::BeforeSection),
            Self::Summary => (Feature::AfterSummary, Feature::BeforeSummary),
            Self::Blank => (Feature::AfterBlank, Feature::BeforeBlank),
            Self::Red => (Feature::AfterRed, Feature::BeforeRed),
        }
    }
}

/// Distances to the nearest landmark of each kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distances([u16; Landmark::ALL.len()]);

impl Distances {
    /// There is no landmark of the kind, or none is known yet.
    const NONE: u16 = u16::MAX;

    pub(super) fn set(&mut self, landmark: Landmark, distance: u64) {
        self.0[landmark as usize] = distance.min(MAX_DISTANCE) as u16;
    }

    pub(super) fn has(&self, landmark: Landmark) -> bool {
        self.0[landmark as usize] != Self::NONE
    }

    pub(super) fn get(&self, landmark: Landmark) -> u64 {
        u64::from(self.0[landmark as usize]).min(MAX_DISTANCE)
    }

    /// Goes on to the next line.
    pub(super) fn advance(&mut self) {
        for distance in &mut self.0 {
            *distance = distance.saturating_add(1);
        }
    }
}

impl Default for Distances {
    fn default() -> Self {
        Self([Self::NONE; Landmark::ALL.len()])
    }
}

/// Numbers of lines of some classes up to a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) failures: u64,
    pub(super) exits: u64,
    pub(super) sections: u64,
    pub(super) commands: u64,
    /// Failures before the current section.
    pub(super) failures_before_section: u64,
}

impl Totals {
    /// Counts a line of this many raw bytes.
    pub(super) fn add(&mut self, line: &LineTraits, bytes: u64) {
        if line.classes.has(Class::Section) {
            self.sections += 1;
            self.failures_before_section = self.failures;
        }
        self.lines += 1;
        self.bytes += bytes;
        self.failures += u64::from(line.classes.has(Class::Failure));
        self.exits += u64::from(line.classes.has(Class::Exit));
        self.commands += u64::from(line.announces_command);
    }
}

/// A line with what is known of its surroundings so far.
#[derive(Debug, Clone)]
pub(super) struct ObservedLine {
    /// Number of the line on the screen, from 1.
    pub(super) number: u64,
    pub(super) traits: LineTraits,
    /// The start of the raw line.
    pub(super) raw: Vec<u8>,
    /// The raw line is longer.
    pub(super) is_cut: bool,
    /// A later state of the same line on the screen replaces it.
    pub(super) is_overwritten: bool,
    pub(super) is_first_of_template: bool,
    /// Totals before the line.
    before: Totals,
    since: Distances,
    pub(super) ahead: Distances,
}

/// What is known after the last line.
#[derive(Debug)]
pub(super) struct WholeText<'a> {
    pub(super) totals: Totals,
    pub(super) templates: &'a LossyCounts,
    pub(super) prefixes: &'a LossyCounts,
    pub(super) first_tokens: &'a LossyCounts,
}

impl ObservedLine {
    pub(super) fn new(number: u64, traits: LineTraits, before: Totals, since: Distances) -> Self {
        Self {
            number,
            traits,
            raw: Vec::new(),
            is_cut: false,
            is_overwritten: false,
            is_first_of_template: false,
            before,
            since,
            ahead: Distances::default(),
        }
    }

    /// Index of the line in the text, from 0.
    pub(super) fn index(&self) -> u64 {
        self.before.lines
    }

    /// Returns the totals with the line, but for its bytes.
    fn until(&self) -> Totals {
        let mut totals = self.before;
        totals.add(&self.traits, 0);
        totals
    }

    /// Returns true if a reader of the screen sees the line.
    pub(super) fn is_shown(&self) -> bool {
        !self.is_overwritten && !self.traits.is_blank()
    }

    /// Returns true if a landmark of one of these kinds is at most so many lines away.
    pub(super) fn is_close_to(&self, landmarks: &[Landmark], lines: u64) -> bool {
        landmarks.iter().any(|landmark| {
            landmark.is(&self.traits)
                || self.since.get(*landmark) <= lines
                || self.ahead.get(*landmark) <= lines
        })
    }

    /// Returns the features; no line may follow.
    pub(super) fn features(&self, around: &Surroundings, whole: &WholeText<'_>) -> FeatureVector {
        let mut vector = Vector([0; FEATURES]);
        self.add_position(&mut vector, whole);
        self.add_text(&mut vector, around);
        self.add_repetition(&mut vector, around, whole);
        self.add_distances(&mut vector);
        self.add_counts(&mut vector, around, whole);
        vector.0
    }

    fn add_position(&self, vector: &mut Vector, whole: &WholeText<'_>) {
        let lines = whole.totals.lines;
        let after = lines - self.before.lines - 1;
        vector.set(Feature::LinesAfter, log_scale(after));
        vector.set(Feature::BytesToEnd, log_scale(whole.totals.bytes - self.before.bytes));
        vector.set(Feature::ShareAfter, (after * 256 / lines.max(1)) as i16);
        vector.set(Feature::LinesBefore, log_scale(self.before.lines));
        vector.set(Feature::Lines, log_scale(lines));
    }

    fn add_text(&self, vector: &mut Vector, around: &Surroundings) {
        let LineTraits { indent, colors, len, tokens, classes, .. } = self.traits;
        let indent_of = |line: Option<LineTraits>| line.map_or(0, |line| i16::from(line.indent));
        vector.set(Feature::Indent, i16::from(indent));
        vector.set(Feature::Length, log_scale(u64::from(len)));
        vector.set(Feature::Tokens, i16::from(tokens));
        vector.set(Feature::Red, i16::from(colors.has_red()));
        vector.set(Feature::OtherColors, colors.others());
        vector.set(Feature::IndentChange, i16::from(indent) - indent_of(around.previous));
        vector.set(Feature::NextIndentChange, indent_of(around.next) - i16::from(indent));
        vector.set(Feature::MainClasses, classes.main_bits());
        for (feature, class) in [
            (Feature::Summary, Class::Summary),
            (Feature::Notice, Class::Notice),
            (Feature::Location, Class::Location),
            (Feature::StackFrame, Class::StackFrame),
        ] {
            vector.set(feature, i16::from(classes.has(class)));
        }
    }

    fn add_repetition(&self, vector: &mut Vector, around: &Surroundings, whole: &WholeText<'_>) {
        let count = |counts: &LossyCounts, hash| log_scale(u64::from(counts.get(hash)));
        let prefix =
            |line: Option<LineTraits>| line.map_or(0, |line| count(whole.prefixes, line.prefix));
        let is_rare = |hash: &&u32| whole.templates.get(**hash) <= MAX_RARE_COUNT;
        vector.set(Feature::SameTemplate, count(whole.templates, self.traits.template));
        vector.set(Feature::SamePrefix, count(whole.prefixes, self.traits.prefix));
        vector.set(Feature::SameFirstToken, count(whole.first_tokens, self.traits.first_token));
        vector.set(Feature::FirstOfTemplate, i16::from(self.is_first_of_template));
        vector.set(Feature::NextSamePrefix, prefix(around.next));
        vector.set(Feature::PreviousSamePrefix, prefix(around.previous));
        let rare = around.templates().iter().filter(is_rare).count();
        vector.set(Feature::RareNear, rare as i16);
    }

    fn add_distances(&self, vector: &mut Vector) {
        for landmark in Landmark::ALL {
            let (since, ahead) = landmark.features();
            vector.set(since, log_scale(self.since.get(landmark)));
            vector.set(ahead, log_scale(self.ahead.get(landmark)));
        }
    }

    fn add_counts(&self, vector: &mut Vector, around: &Surroundings, whole: &WholeText<'_>) {
        let Totals { failures, exits, sections, .. } = whole.totals;
        let until = self.until();
        let in_section = self.before.failures.saturating_sub(until.failures_before_section);
        vector.set(Feature::Failures, log_scale(failures));
        vector.set(Feature::FailuresBefore, log_scale(self.before.failures));
        vector.set(Feature::FailuresAfter, log_scale(failures - until.failures));
        vector.set(Feature::ExitsAfter, log_scale(exits - until.exits));
        vector.set(Feature::SectionsAfter, log_scale(sections - until.sections));
        vector.set(Feature::FailuresInSection, log_scale(in_section));
        vector.set(Feature::FailuresNear, around.failures);
        vector.set(Feature::LocationsNear, around.locations);
        vector.set(Feature::StackFramesNear, around.stack_frames);
        vector.set(Feature::RedNear, around.red);
        vector.set(Feature::NoticesNear, around.notices);
    }
}

struct Vector(FeatureVector);

impl Vector {
    fn set(&mut self, feature: Feature, value: i16) {
        self.0[feature as usize] = value;
    }
}
