//! Describes a format and detects which one a text has.

use super::{
    EmbeddedRecognizers, FORMATS, Recognizer, diff, git_blame, grep, hexdump, markdown, plain_diff,
    source, sql_schema, toml, yaml,
};
use crate::command::Command;
use crate::lines::Line;

/// A format with a recognizer.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// What a digest of it keeps, as stated in the reference.
    pub(crate) keeps: &'static str,
    /// Commands that print it: `pytest`, `git log`.
    pub(crate) commands: &'static [&'static str],
    pub(crate) scope: Scope,
    pub(crate) create: fn() -> Box<dyn Recognizer>,
}

/// Whether a format covers a whole text or parts of it.
#[derive(Debug)]
pub(crate) enum Scope {
    /// All of it; a function judges the start of the text.
    Whole(fn(&Start<'_>) -> Option<Claim>),
    /// Some lines, from the first one that contains one of these words.
    Embedded(&'static [&'static str]),
    /// Texts of which no other format reports anything.
    Unclaimed,
}

/// How certain a format is that a text has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// The text looks like it.
    Likely,
    /// The command confirms it, or no other format looks like this.
    Sure,
}

/// The start of a text, and the command that printed it.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) command: &'a Command,
    /// The first lines, without the last one if it is incomplete.
    pub(crate) lines: Vec<&'a str>,
    /// True if all commands are known to print this format.
    pub(crate) is_expected: bool,
}

impl<'a> Start<'a> {
    /// Returns the lines that are not blank.
    pub(crate) fn nonblank_lines(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.lines.iter().copied().filter(|line| !line.trim().is_empty())
    }

    /// Returns true if at least `percent` of the nonblank lines match.
    pub(crate) fn mostly(&self, percent: usize, is_one: impl Fn(&str) -> bool) -> bool {
        let (mut matching, mut others) = (0, 0);
        for line in self.nonblank_lines() {
            if is_one(line) {
                matching += 1;
            } else {
                others += 1;
            }
            // Stops early, because most formats do not match.
            if others * 100 > self.lines.len() * (100 - percent) {
                return false;
            }
        }
        matching > 0 && matching * 100 >= (matching + others) * percent
    }

    /// Returns the claim of a format whose lines match.
    pub(crate) fn claim(&self) -> Claim {
        if self.is_expected { Claim::Sure } else { Claim::Likely }
    }
}

impl Format {
    /// Returns true if its texts contain lines of files, of which each blank may matter.
    pub(crate) fn quotes_code(&self) -> bool {
        let quoting = [
            &source::FORMAT,
            &diff::FORMAT,
            &plain_diff::FORMAT,
            &grep::FORMAT,
            &git_blame::FORMAT,
            &markdown::FORMAT,
            &hexdump::FORMAT,
            &yaml::FORMAT,
            &toml::FORMAT,
            &sql_schema::FORMAT,
        ];
        quoting.iter().any(|format| format.name == self.name)
    }

    /// Returns the format that claims the text, if any does.
    ///
    /// Of several commands in a row, the first may print only a few lines.
    pub(crate) fn detect(command: &Command, start: &str) -> Option<&'static Self> {
        let lines = first_lines(start);
        let fewer = if command.is_compound() { COMPOUND_START_LINES } else { &[] };
        let detect = |count: &usize| Self::detect_lines(command, &lines[..*count]);
        Self::detect_lines(command, &lines)
            .or_else(|| fewer.iter().filter(|count| **count < lines.len()).find_map(detect))
    }

    fn detect_lines(command: &Command, lines: &[&str]) -> Option<&'static Self> {
        // A command that is known to print an embedded format outweighs a likely claim.
        let names_embedded = EmbeddedRecognizers::are_named_by(command);
        let mut best: Option<(Claim, &Self)> = None;
        let mut text_start = Start { command, lines: lines.to_vec(), is_expected: false };
        for format in FORMATS {
            let Scope::Whole(claims) = format.scope else { continue };
            text_start.is_expected = command.all_match(format.commands);
            if let Some(claim) = claims(&text_start)
                && (claim == Claim::Sure || !names_embedded)
                && best.is_none_or(|(best_claim, _)| claim > best_claim)
            {
                best = Some((claim, format));
            }
            // No later claim can be stronger.
            if matches!(best, Some((Claim::Sure, _))) {
                break;
            }
        }
        best.map(|(_, format)| format)
    }
}

/// Returns the lines used for detection, without CI timestamps.
pub(crate) fn first_lines(start: &str) -> Vec<&str> {
    let lines = start.lines().take(START_LINES);
    lines
        .map(|text| Line { number: 0, text, cut: 0, has_newline: true }.without_timestamp().text)
        .collect()
}

/// Numbers of lines tried if a text may start with a short output.
const COMPOUND_START_LINES: &[usize] = &[20, 8];

/// Number of lines at the start used for detection.
const START_LINES: usize = 60;
