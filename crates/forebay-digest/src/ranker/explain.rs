//! Says in words why a line was ranked high.

use super::features::{Feature, FeatureVector};
use super::keywords::Class;
use super::observed_line::MAX_DISTANCE;
use super::{RankedLine, features};
use forebay_text::trees::Model;

/// Number of reasons given for a line.
const MAX_REASONS: usize = 3;

/// A repetition up to this count is called rare.
const MAX_RARE: u64 = 3;

/// Compares each line with the typical one of its text.
#[derive(Debug)]
pub(super) struct Explainer<'a> {
    model: &'a Model,
    /// The median of each feature.
    typical: FeatureVector,
}

impl<'a> Explainer<'a> {
    pub(super) fn new(model: &'a Model, lines: &[RankedLine]) -> Self {
        let mut typical = [0; features::FEATURES];
        for (index, median) in typical.iter_mut().enumerate() {
            let mut values: Vec<i16> = lines.iter().map(|line| line.features[index]).collect();
            values.sort_unstable();
            *median = values.get(values.len() / 2).copied().unwrap_or_default();
        }
        Self { model, typical }
    }

    /// Returns what raised the score of a line most: `3 lines before an exit line, red, rare`.
    ///
    /// The contribution of a feature is what the score loses if the line had the typical value instead.
    pub(super) fn reason(&self, line: &RankedLine) -> String {
        let contribution = |feature: Feature| {
            let mut changed = line.features;
            changed[feature as usize] = self.typical[feature as usize];
            line.score - self.model.score(&changed)
        };
        let mut raising: Vec<(i32, Feature)> = Feature::ALL
            .iter()
            .map(|feature| (contribution(*feature), *feature))
            .filter(|(gain, _)| *gain > 0)
            .collect();
        raising.sort_by_key(|(gain, feature)| (-gain, *feature as usize));
        let mut reasons: Vec<String> = Vec::new();
        for (_, feature) in raising {
            let reason = phrase(feature, line.features[feature as usize]);
            if let Some(reason) = reason.filter(|reason| !reasons.contains(reason)) {
                reasons.push(reason);
            }
            if reasons.len() == MAX_REASONS {
                break;
            }
        }
        if reasons.is_empty() { "as likely as other lines".to_owned() } else { reasons.join(", ") }
    }
}

/// Says what a value of a feature means; `None` if it means nothing to a reader.
fn phrase(feature: Feature, value: i16) -> Option<String> {
    use Feature as F;
    let words = match feature {
        F::LinesAfter if value == 0 => "the last line",
        F::LinesAfter => return Some(format!("{} before the end", lines(value))),
        F::BytesToEnd | F::ShareAfter => "near the end",
        F::Red => {
            if value > 0 {
                "red"
            } else {
                "not red"
            }
        }
        F::RedNear | F::AfterRed | F::BeforeRed => return near(feature, value, "red"),
        F::OtherColors => {
            if value > 0 {
                "coloured"
            } else {
                "not coloured"
            }
        }
        F::SameTemplate | F::SamePrefix | F::SameFirstToken => {
            if features::unscaled(value) <= MAX_RARE { "rare" } else { "repeated" }
        }
        F::RareNear | F::NextSamePrefix | F::PreviousSamePrefix => "among rare lines",
        F::FirstOfTemplate => {
            if value > 0 {
                "the first of its kind"
            } else {
                "repeated"
            }
        }
        F::MainClasses => return classes(value),
        F::Summary if value > 0 => "a summary",
        F::Notice => {
            if value > 0 {
                "a notice"
            } else {
                "not a notice"
            }
        }
        F::Location if value > 0 => "names a place in a file",
        F::LocationsNear if value > 0 => "near a place in a file",
        F::StackFrame | F::StackFramesNear if value > 0 => "in a stack trace",
        F::AfterProblem | F::BeforeProblem => return near(feature, value, "a problem"),
        F::AfterFailure | F::BeforeFailure | F::FailuresNear => {
            return near(feature, value, "a failure");
        }
        F::AfterExit | F::BeforeExit => return near(feature, value, "an exit line"),
        F::AfterSection | F::BeforeSection => return near(feature, value, "a section"),
        F::AfterSummary | F::BeforeSummary => return near(feature, value, "a summary"),
        F::AfterBlank | F::BeforeBlank => return near(feature, value, "a blank line"),
        F::ExitsAfter => "few exit lines follow",
        F::FailuresAfter => "few failures follow",
        F::SectionsAfter => "in one of the last sections",
        F::FailuresBefore | F::FailuresInSection => "one of the first failures",
        F::Indent | F::IndentChange | F::NextIndentChange => "its indentation",
        F::Length | F::Tokens => "its length",
        F::Location
        | F::LocationsNear
        | F::StackFrame
        | F::StackFramesNear
        | F::Summary
        | F::LinesBefore
        | F::Lines
        | F::Failures
        | F::NoticesNear => return None,
    };
    Some(words.to_owned())
}

fn classes(value: i16) -> Option<String> {
    let has = |class: Class| value & 1 << class as i16 != 0;
    let words = match () {
        () if has(Class::Exit) => "says how a command ended",
        () if has(Class::Failure) => "states a failure",
        () if has(Class::Problem) => "names a problem",
        () if has(Class::Section) => "starts a section",
        () => return None,
    };
    Some(words.to_owned())
}

/// Says how far a landmark is.
fn near(feature: Feature, value: i16, landmark: &str) -> Option<String> {
    use Feature as F;
    let side = match feature {
        F::BeforeRed
        | F::BeforeProblem
        | F::BeforeFailure
        | F::BeforeExit
        | F::BeforeSection
        | F::BeforeSummary
        | F::BeforeBlank => "before",
        F::RedNear | F::FailuresNear => return (value > 0).then(|| format!("near {landmark}")),
        _ => "after",
    };
    let is_far = features::unscaled(value) >= features::unscaled(features::log_scale(MAX_DISTANCE));
    (!is_far).then(|| format!("{} {side} {landmark}", lines(value)))
}

fn lines(value: i16) -> String {
    /// Greater numbers are rounded on the log scale.
    const MAX_EXACT: u64 = 15;
    match features::unscaled(value) {
        1 => "1 line".to_owned(),
        count @ 0..=MAX_EXACT => format!("{count} lines"),
        count => format!("about {count} lines"),
    }
}
