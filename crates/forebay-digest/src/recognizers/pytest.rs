//! pytest: the summary, failing tests with assertion and location.

use super::{Format, Mark, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::location;
use crate::tally::{TestOutcome, count};

pub(super) const FORMAT: Format = Format {
    name: "pytest",
    keeps: "counts; failing tests with assertion and location; collection errors",
    commands: &["pytest", "py.test", "tox"],
    scope: Scope::Embedded(&[
        "test session starts",
        "=== FAILURES",
        "short test summary",
        " passed",
        " failed",
    ]),
    create: || Box::<Pytest>::default(),
};

/// Minimum width of a title while the width of the terminal is unknown.
const MIN_TITLE_WIDTH: usize = 70;

/// Words of further counts in a summary.
const OTHER_COUNTS: [&str; 3] = ["deselected", "xfailed", "xpassed"];

#[derive(Debug, Default)]
struct Pytest {
    outcome: TestOutcome,
    session: Session,
    section: Section,
    /// Below `Captured stdout`: output of a test.
    in_captured_output: bool,
    /// Within a titled block of the section.
    in_titled_block: bool,
    /// True once a line appeared that only pytest prints.
    is_confirmed: bool,
    reasons: u32,
}

/// The current session, and the width of its titles.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Session {
    /// With `-q` there is no first title.
    #[default]
    Untitled,
    Open {
        width: usize,
    },
    /// The summary was printed; a session without a first title may follow.
    Over {
        width: usize,
    },
}

impl Session {
    fn width(self) -> Option<usize> {
        match self {
            Self::Untitled => None,
            Self::Open { width } | Self::Over { width } => Some(width),
        }
    }
}

/// The section, by its title.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Section {
    #[default]
    Other,
    /// Tests run, and print with `-s`.
    Session,
    Failures,
    ShortSummary,
}

impl Recognizer for Pytest {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(title) = self.title(text) {
            return self.section(text, title);
        }
        if self.is_block(text) {
            return self.block(text);
        }
        if text.starts_with("---") && text.trim_matches(['-', ' ']).starts_with("Captured ") {
            self.in_captured_output = true;
            return Mark::Noise;
        }
        match self.section {
            _ if self.in_captured_output => self.captured_line(text),
            Section::Failures => self.within_failure(text),
            Section::Other | Section::Session | Section::ShortSummary => self.between(text),
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        self.outcome.report("pytest", "")
    }

    fn is_in_test_output(&self) -> bool {
        self.in_captured_output || self.section == Section::Session
    }
}

impl Pytest {
    /// Returns the title of a line of equals signs; one of another width was printed by a test.
    fn title<'a>(&self, text: &'a str) -> Option<&'a str> {
        let rest = text.strip_prefix('=')?;
        let title = text.trim_matches('=').strip_prefix(' ')?.strip_suffix(' ')?;
        let fills_line = rest.starts_with(' ') && text.ends_with(" =");
        let fits = match self.session.width() {
            Some(width) => text.chars().count() == width || fills_line,
            None => fills_line && is_summary(title) || text.chars().count() >= MIN_TITLE_WIDTH,
        };
        (fits || title == "test session starts").then_some(title)
    }

    fn section(&mut self, text: &str, title: &str) -> Mark {
        (self.in_titled_block, self.in_captured_output, self.is_confirmed) = (false, false, true);
        self.section = match title {
            "test session starts" => Section::Session,
            "FAILURES" | "ERRORS" => Section::Failures,
            "short test summary info" => Section::ShortSummary,
            _ => Section::Other,
        };
        match self.section {
            Section::Session => {
                self.outcome.start_run();
                self.session = Session::Open { width: text.chars().count() };
            }
            Section::ShortSummary => {
                // Full names that came earlier were printed by a test.
                self.outcome.retain_section_failures(|name| !name.contains(".py::"));
            }
            _ if is_summary(title) => {
                let mark = self.summary(title);
                self.session =
                    self.session.width().map_or(Session::Untitled, |width| Session::Over { width });
                return mark;
            }
            _ => {}
        }
        Mark::Noise
    }

    /// Reads a summary; the last one of a session is pytest's own.
    fn summary(&mut self, title: &str) -> Mark {
        if self.session == Session::Untitled {
            // Without a first title each summary ends a run.
            let total = self.outcome.total;
            self.outcome.start_summary();
            self.outcome.total = self.outcome.total.or(total);
        }
        self.outcome.has_summary = true;
        self.outcome.passed = count::before(title, "passed").or(Some(0));
        self.outcome.failed = count::before(title, "failed").or(Some(0));
        self.outcome.errors = count::before(title, "error").or(count::before(title, "errors"));
        self.outcome.skipped = count::before(title, "skipped");
        self.outcome.other_counts = OTHER_COUNTS
            .iter()
            .filter_map(|word| Some((count::before(title, word)?, *word)))
            .collect();
        self.outcome.duration = title.rsplit_once(" in ").map(|(_, took)| took.to_owned());
        self.add_collected();
        Mark::NOTABLE
    }

    /// Reports the number of collected tests separately if not all of them ran.
    fn add_collected(&mut self) {
        let TestOutcome { passed, failed, errors, skipped, total, other_counts, .. } =
            &mut self.outcome;
        let ended: u64 = [*passed, *failed, *errors, *skipped].into_iter().flatten().sum();
        let other_ended: u64 = other_counts
            .iter()
            .filter(|(_, word)| *word != "deselected")
            .map(|(count, _)| count)
            .sum();
        // A test whose teardown fails counts twice, any other once.
        let min_collected = ended + other_ended - errors.unwrap_or(0);
        if total.is_some_and(|total| total < min_collected) {
            // It is about another session.
            *total = None;
        }
        if let Some(collected) = total.take_if(|total| *total > ended + other_ended) {
            other_counts.push((collected, "collected"));
        }
    }

    /// Returns true for a title of underscores, either of the known width or with one underscore a
    /// side.
    fn is_block(&self, text: &str) -> bool {
        if !text.starts_with('_') || !text.ends_with('_') || text.starts_with("_ _") {
            return false;
        }
        let Some(width) = self.session.width() else { return text.starts_with("___") };
        let title_width = text.chars().count();
        let is_title = title_width == width || title_width > width && text.starts_with("_ ");
        is_title && (self.in_captured_output || self.section == Section::Failures)
    }

    /// Handles `____ test_a ____`, `____ ERROR at setup of test_a ____`.
    fn block(&mut self, text: &str) -> Mark {
        self.in_captured_output = false;
        if self.section == Section::Other && self.is_confirmed {
            // With `-rP` the output of passing tests has titles too.
            return Mark::Noise;
        }
        let name = text.trim_matches(['_', ' ']);
        let name = ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "]
            .iter()
            .find_map(|start| name.strip_prefix(start))
            .unwrap_or(name);
        self.outcome.add_failure(name);
        (self.section, self.in_titled_block, self.reasons) = (Section::Failures, true, 0);
        Mark::Noise
    }

    /// Handles output of a test; with `--tb=line` the location of the failure ends it.
    fn captured_line(&mut self, text: &str) -> Mark {
        let ends = !self.in_titled_block
            && text.starts_with('/')
            && location::located_message(text).is_some();
        self.in_captured_output = !ends;
        Mark::Plain
    }

    fn between(&mut self, text: &str) -> Mark {
        if let Some(rest) = text.strip_prefix("FAILED ").or_else(|| text.strip_prefix("ERROR "))
            && (self.section == Section::ShortSummary
                || self.session == Session::Untitled && self.section == Section::Other)
        {
            return self.summary_line(rest);
        }
        let is_quiet = !matches!(self.session, Session::Open { .. });
        if self.is_confirmed
            && is_quiet
            && is_summary(text)
            && text.starts_with(|c: char| c.is_ascii_digit())
        {
            (self.section, self.session) = (Section::Other, Session::Untitled);
            return self.summary(text);
        }
        if let Some(items) = collected(text).filter(|_| self.section != Section::ShortSummary) {
            let selected = count::before(items, "selected");
            self.outcome.total = selected.or_else(|| count::first_number(items));
            return Mark::NOTABLE;
        }
        self.is_confirmed |= text.ends_with("%]");
        if is_progress(text) { Mark::Noise } else { Mark::Plain }
    }

    /// Handles `FAILED tests/test_a.py::test_b - message`, the full name of a test reported before.
    fn summary_line(&mut self, rest: &str) -> Mark {
        let (name, reason) = name_and_reason(rest);
        if name.contains("::") || !name.contains(' ') && name.contains(".py") {
            self.outcome.set_full_name(name);
            self.outcome.set_reason(name, reason);
            return Mark::DETAIL;
        }
        Mark::Plain
    }

    fn within_failure(&mut self, text: &str) -> Mark {
        if !self.in_titled_block {
            // With `--tb=line` only the short summary names the test.
            return if text.starts_with("E  ") { Mark::Weight(18) } else { Mark::Plain };
        }
        if let Some(reason) = text.strip_prefix("E  ") {
            self.reasons += 1;
            if self.reasons <= 2 && !reason.trim().is_empty() {
                self.outcome.add_reason(reason);
            }
            return Mark::Weight(18);
        }
        if let Some(mark) = frame_or_error(&mut self.outcome, text) {
            return mark;
        }
        if text.starts_with('>') { Mark::Weight(18) } else { Mark::Plain }
    }
}

/// Handles a frame of a traceback, or the error that ends it.
pub(super) fn frame_or_error(outcome: &mut TestOutcome, text: &str) -> Option<Mark> {
    let is_frame = text.trim_start().starts_with("File \"") || !text.starts_with([' ', '>', '-']);
    if is_frame
        && let Some(location) = location::find_first(text).filter(|_| !text.contains("/lib/python"))
    {
        outcome.replace_location(&location);
        return Some(Mark::DETAIL);
    }
    let is_raised = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && (text.contains("Error") || text.contains("Exception"));
    if is_raised && !text.starts_with("Traceback") {
        outcome.add_reason(text);
        return Some(Mark::DETAIL);
    }
    None
}

/// Returns true for `2 failed, 1 passed in 0.07s`, `no tests ran in 0.01s`.
fn is_summary(title: &str) -> bool {
    let words = ["passed", "failed", "error", "errors", "skipped", "deselected"];
    let Some((counts, took)) = title.rsplit_once(" in ") else {
        return title.starts_with("no tests ran");
    };
    took.starts_with(|c: char| c.is_ascii_digit())
        && (counts == "no tests ran"
            || counts.split(", ").all(|count| {
                let word =
                    count.split_once(' ').filter(|(number, _)| number.parse::<u64>().is_ok());
                word.is_some_and(|(_, word)| !word.contains(' '))
            }) && words.iter().any(|word| count::before(counts, word).is_some()))
}

/// Returns what follows `collected `, also behind `collecting ... `.
fn collected(text: &str) -> Option<&str> {
    let text =
        text.strip_prefix("collecting ").map_or(text, |rest| rest.trim_start_matches(['.', ' ']));
    text.strip_prefix("collected ").filter(|items| items.contains(" item"))
}

/// Splits name and reason; the parameters of a test may contain the separator.
fn name_and_reason(text: &str) -> (&str, &str) {
    let mut depth = 0_i32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b' ' if depth <= 0 && text[at..].starts_with(" - ") => {
                return (&text[..at], &text[at + 3..]);
            }
            _ => {}
        }
    }
    // An unclosed bracket is part of the parameters.
    text.split_once("] - ").map_or((text, ""), |(name, reason)| (&text[..=name.len()], reason))
}

/// Returns true for `tests/test_a.py ..F.. [ 50%]` and `tests/test_a.py::test_b PASSED [ 1%]`.
fn is_progress(text: &str) -> bool {
    let failed = text.contains("FAILED") || text.contains("ERROR");
    text.ends_with("%]") && !failed || text.ends_with(" PASSED")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_the_reason_from_a_parametrized_test_name() {
        for (line, name, reason) in [
            ("a.py::b - boom", "a.py::b", "boom"),
            ("a.py::b[a - b] - boom", "a.py::b[a - b]", "boom"),
            ("a.py::b[[z]] - x - y", "a.py::b[[z]]", "x - y"),
            ("a.py::b[[] - boom", "a.py::b[[]", "boom"),
            ("a.py::b", "a.py::b", ""),
        ] {
            assert_eq!(name_and_reason(line), (name, reason));
        }
    }
}
