//! What is said of a format before any text is seen.

use super::{FORMATS, Recognizer};
use crate::command::Command;
use crate::lines::Line;

/// A format that a recognizer understands.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// What a digest of it keeps, for the reference.
    pub(crate) keeps: &'static str,
    /// Commands that print it: `pytest`, `git log`.
    pub(crate) commands: &'static [&'static str],
    pub(crate) scope: Scope,
    pub(crate) create: fn() -> Box<dyn Recognizer>,
}

/// How much of a text is in a format.
#[derive(Debug)]
pub(crate) enum Scope {
    /// All of it, as its start tells.
    Whole(fn(&Start<'_>) -> Option<Claim>),
    /// Some lines, from the first one on that contains one of these.
    Embedded(&'static [&'static str]),
}

/// How sure a format is that a text is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// It looks like it.
    Likely,
    /// The command says so too, or nothing else looks like this.
    Sure,
}

/// How a text starts, and what printed it.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) command: &'a Command,
    /// The first lines, without the last one if it may go on.
    pub(crate) lines: Vec<&'a str>,
    /// The command is one that prints this format, and nothing else printed.
    pub(crate) expected: bool,
}

impl<'a> Start<'a> {
    /// The lines that say something.
    pub(crate) fn nonblank_lines(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.lines.iter().copied().filter(|line| !line.trim().is_empty())
    }

    /// Whether at least `percent` of the lines that say something are such ones.
    pub(crate) fn mostly(&self, percent: usize, is_one: impl Fn(&str) -> bool) -> bool {
        let (mut matching, mut others) = (0, 0);
        for line in self.nonblank_lines() {
            if is_one(line) {
                matching += 1;
            } else {
                others += 1;
            }
            // Most formats are not the one: they need not look at the rest.
            if others * 100 > self.lines.len() * (100 - percent) {
                return false;
            }
        }
        matching > 0 && matching * 100 >= (matching + others) * percent
    }

    /// The claim of a format whose lines look right.
    pub(crate) fn claim(&self) -> Claim {
        if self.expected { Claim::Sure } else { Claim::Likely }
    }
}

impl Format {
    /// The format that claims a text, if one does.
    pub(crate) fn detect(command: &Command, start: &str) -> Option<&'static Self> {
        // What a command is known to print outweighs what its lines look like.
        let names_embedded = FORMATS.iter().any(|format| {
            let named = || format.commands.iter().any(|pattern| command.matches(pattern));
            matches!(format.scope, Scope::Embedded(_)) && named()
        });
        let mut best: Option<(Claim, &Self)> = None;
        let mut text_start = Start { command, lines: first_lines(start), expected: false };
        for format in FORMATS {
            let Scope::Whole(claims) = format.scope else { continue };
            text_start.expected = command.all_match(format.commands);
            if let Some(claim) = claims(&text_start)
                && (claim == Claim::Sure || !names_embedded)
                && best.is_none_or(|(best_claim, _)| claim > best_claim)
            {
                best = Some((claim, format));
            }
            // Nobody can be surer.
            if matches!(best, Some((Claim::Sure, _))) {
                break;
            }
        }
        best.map(|(_, format)| format)
    }
}

/// The lines that decide, without the times that a CI service writes before them.
pub(crate) fn first_lines(start: &str) -> Vec<&str> {
    let lines = start.lines().take(START_LINES);
    lines
        .map(|text| Line { number: 0, text, cut: 0, has_newline: true }.without_timestamp().text)
        .collect()
}

/// So many lines at the start decide.
const START_LINES: usize = 60;
