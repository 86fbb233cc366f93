//! Runs the recognizers of formats that may be embedded in other output.

use std::sync::LazyLock;

use super::{FORMATS, Format, Mark, Recognizer, Report, ReportContext, Scope, compiler};
use crate::command::Command;
use crate::lines::Line;
use crate::tally::Diagnostic;

/// An awake recognizer goes back to sleep after this many unmarked lines in a row.
const MAX_IDLE_LINES: u32 = 300;

/// The same limit while a test runs, whose output may be longer.
const MAX_IDLE_LINES_IN_TEST: u32 = 20_000;

/// Recognizers that sleep until a line contains one of their trigger words, and then see every line
/// until their part seems to be over. They keep their state while asleep.
#[derive(Debug)]
pub(crate) struct EmbeddedRecognizers {
    awake: Vec<Instance>,
    asleep: Vec<Instance>,
    /// The awake recognizers, one bit each.
    awake_bits: u128,
    /// True if the last line was output of a test.
    in_test_output: bool,
    current: HeldLine,
    /// The line before the current one, which a recognizer that wakes sees first: the current line may be the second of
    /// its format, or belong to the output of a test.
    previous: HeldLine,
}

/// A line that outlives its buffer.
#[derive(Debug, Default)]
struct HeldLine {
    number: u64,
    text: String,
}

impl HeldLine {
    fn hold(&mut self, line: Line<'_>) {
        self.number = line.number;
        line.text.clone_into(&mut self.text);
    }

    fn line(&self) -> Option<Line<'_>> {
        let line = Line { number: self.number, text: &self.text, cut: 0, has_newline: true };
        (self.number > 0).then_some(line)
    }
}

#[derive(Debug)]
struct Instance {
    index: usize,
    recognizer: Box<dyn Recognizer>,
    idle_lines: u32,
    /// The command names the format, so it may come at any line.
    is_named: bool,
}

impl Instance {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let mark = self.recognizer.push_line(line);
        self.idle_lines = if mark == Mark::Plain { self.idle_lines + 1 } else { 0 };
        mark
    }

    fn is_idle(&self) -> bool {
        self.idle_lines > MAX_IDLE_LINES
            && !self.is_named
            && (self.idle_lines > MAX_IDLE_LINES_IN_TEST || !self.recognizer.is_in_test_output())
    }
}

impl EmbeddedRecognizers {
    /// Wakes the recognizers whose commands match.
    pub(crate) fn for_command(command: &Command) -> Self {
        let mut recognizers = Self {
            awake: Vec::new(),
            asleep: Vec::new(),
            awake_bits: 0,
            in_test_output: false,
            current: HeldLine::default(),
            previous: HeldLine::default(),
        };
        for (index, format) in FORMATS.iter().enumerate() {
            let named = || format.commands.iter().any(|pattern| command.matches(pattern));
            if matches!(format.scope, Scope::Embedded(_)) && named() {
                recognizers.wake(index, format);
                recognizers.awake.iter_mut().for_each(|instance| instance.is_named = true);
            }
        }
        recognizers
    }

    /// Returns true if the command is known to print an embedded format.
    pub(crate) fn are_named_by(command: &Command) -> bool {
        FORMATS.iter().any(|format| {
            let named = || format.commands.iter().any(|pattern| command.matches(pattern));
            matches!(format.scope, Scope::Embedded(_)) && named()
        })
    }

    /// Returns the trigger words with the bit of their format.
    pub(crate) fn triggers() -> impl Iterator<Item = (&'static str, u128)> {
        FORMATS.iter().enumerate().flat_map(|(index, format)| {
            let words: &[&str] = match format.scope {
                Scope::Embedded(words) => words,
                Scope::Whole(_) | Scope::Unclaimed => &[],
            };
            words.iter().map(move |word| (*word, 1_u128 << index))
        })
    }

    /// Returns the bit of the format that a line with a location belongs to, though it has no trigger word.
    pub(crate) fn trigger_of_location(line: &str) -> u128 {
        static COMPILER_BIT: LazyLock<u128> = LazyLock::new(|| {
            let index = FORMATS.iter().position(|format| format.name == compiler::FORMAT.name);
            index.map_or(0, |index| 1 << index)
        });
        if Diagnostic::names_rule(line) { *COMPILER_BIT } else { 0 }
    }

    /// Shows a line to the awake recognizers.
    pub(crate) fn push_line(&mut self, line: Line<'_>) -> Mark {
        std::mem::swap(&mut self.previous, &mut self.current);
        self.current.hold(line);
        self.in_test_output = false;
        let mut mark = Mark::Plain;
        let runner_index =
            self.awake.iter().position(|instance| instance.recognizer.is_in_test_output());
        if let Some(runner_index) = runner_index {
            let instance = &mut self.awake[runner_index];
            mark = instance.push_line(line);
            // The line may be the one that ends the output of the test.
            self.in_test_output = instance.recognizer.is_in_test_output();
        }
        let mut any_idle = false;
        for (index, instance) in self.awake.iter_mut().enumerate() {
            if Some(index) != runner_index
                && (!self.in_test_output || instance.recognizer.reads_test_output())
            {
                mark = mark.max(instance.push_line(line));
            }
            any_idle |= instance.is_idle();
        }
        if any_idle {
            self.put_idle_to_sleep();
        }
        mark
    }

    /// Wakes the recognizers whose trigger words the line contains, and shows it to them.
    pub(crate) fn wake_for(&mut self, line: Line<'_>, triggers: u128) -> Mark {
        let mut mark = Mark::Plain;
        let mut new = triggers & !self.awake_bits;
        while new != 0 {
            let index = new.trailing_zeros() as usize;
            new &= new - 1;
            let format = FORMATS[index];
            if self.in_test_output && !(format.create)().reads_test_output() {
                continue;
            }
            self.wake(index, format);
            if let Some(instance) = self.awake.last_mut() {
                self.previous.line().map(|previous| instance.push_line(previous));
                mark = mark.max(instance.push_line(line));
            }
        }
        mark
    }

    /// Merges all reports, those of failures first.
    pub(crate) fn report(&mut self, context: &ReportContext) -> Option<Report> {
        let mut instances = std::mem::take(&mut self.awake);
        instances.append(&mut self.asleep);
        instances.sort_by_key(|instance| instance.index);
        let mut reports: Vec<Report> = instances
            .into_iter()
            .filter_map(|Instance { index, recognizer, .. }| {
                recognizer.report(context).map(|report| report.stated_by(FORMATS[index].name))
            })
            .collect();
        reports.sort_by_key(|report| report.failing != Some(true));
        reports.into_iter().reduce(Report::merge)
    }

    /// Returns the names of the formats that have something to report.
    #[cfg(test)]
    pub(crate) fn reporting_formats(mut self, context: &ReportContext) -> Vec<&'static str> {
        self.awake.append(&mut self.asleep);
        let name = |instance: Instance| {
            instance.recognizer.report(context).map(|_| FORMATS[instance.index].name)
        };
        self.awake.into_iter().filter_map(name).collect()
    }

    fn wake(&mut self, index: usize, format: &Format) {
        self.awake_bits |= 1_u128 << index;
        let known = self.asleep.iter().position(|instance| instance.index == index);
        let instance = known.map(|at| self.asleep.swap_remove(at));
        let recognizer = format.create;
        let new = || Instance { index, recognizer: recognizer(), idle_lines: 0, is_named: false };
        self.awake.push(Instance { idle_lines: 0, ..instance.unwrap_or_else(new) });
    }

    fn put_idle_to_sleep(&mut self) {
        for instance in self.awake.extract_if(.., |instance| instance.is_idle()) {
            self.awake_bits &= !(1_u128 << instance.index);
            self.asleep.push(instance);
        }
    }
}
