//! The recognizers of formats that take up parts of a text.

use super::{End, FORMATS, Format, Mark, Recognizer, Report, Scope};
use crate::command::Command;
use crate::lines::Line;

/// A recognizer that has no opinion on so many lines in a row falls asleep again.
const PATIENCE: u32 = 300;

/// A test may print more than that before its runner has something to say again.
const PATIENCE_WITHIN_TEST: u32 = 20_000;

/// Recognizers sleep until a line has one of their words; from then on they see every line, until
/// their part seems to be over. What they know they keep.
#[derive(Debug)]
pub(crate) struct Parts {
    awake: Vec<Part>,
    asleep: Vec<Part>,
    /// Those that are awake, one bit each.
    bits: u128,
    /// The last line was what a test printed.
    within_test: bool,
}

#[derive(Debug)]
struct Part {
    index: usize,
    recognizer: Box<dyn Recognizer>,
    silent: u32,
}

impl Part {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let mark = self.recognizer.take(line);
        self.silent = if mark == Mark::Plain { self.silent + 1 } else { 0 };
        mark
    }

    fn is_tired(&self) -> bool {
        self.silent > PATIENCE
            && (self.silent > PATIENCE_WITHIN_TEST || !self.recognizer.is_within_test())
    }
}

impl Parts {
    /// Those that the command speaks of are awake from the start.
    pub(crate) fn for_command(command: &Command) -> Self {
        let mut parts = Self { awake: Vec::new(), asleep: Vec::new(), bits: 0, within_test: false };
        for (index, format) in FORMATS.iter().enumerate() {
            let named = || format.commands.iter().any(|pattern| command.is(pattern));
            if matches!(format.scope, Scope::Part(_)) && named() {
                parts.wake(index, format);
            }
        }
        parts
    }

    /// The words that wake a format, each with the bit of its format.
    pub(crate) fn triggers() -> impl Iterator<Item = (&'static str, u128)> {
        FORMATS.iter().enumerate().flat_map(|(index, format)| {
            let words: &[&str] = match format.scope {
                Scope::Part(words) => words,
                Scope::Whole(_) => &[],
            };
            words.iter().map(move |word| (*word, 1_u128 << index))
        })
    }

    /// Shows the line to those who are awake.
    pub(crate) fn take(&mut self, line: Line<'_>) -> Mark {
        self.within_test = false;
        let mut mark = Mark::Plain;
        let runner = self.awake.iter().position(|part| part.recognizer.is_within_test());
        if let Some(runner) = runner {
            let part = &mut self.awake[runner];
            mark = part.take(line);
            // The line may be the one that ends what the test printed.
            self.within_test = part.recognizer.is_within_test();
        }
        let mut tired = false;
        for (index, part) in self.awake.iter_mut().enumerate() {
            if Some(index) != runner && (!self.within_test || part.recognizer.reads_within_tests())
            {
                mark = mark.max(part.take(line));
            }
            tired |= part.is_tired();
        }
        if tired {
            self.send_to_sleep();
        }
        mark
    }

    /// Wakes those whose words the line has, and shows it to them.
    pub(crate) fn wake_for(&mut self, line: Line<'_>, triggers: u128) -> Mark {
        let mut mark = Mark::Plain;
        let mut new = triggers & !self.bits;
        while new != 0 {
            let index = new.trailing_zeros() as usize;
            new &= new - 1;
            let format = FORMATS[index];
            if self.within_test && !(format.start)().reads_within_tests() {
                continue;
            }
            self.wake(index, format);
            if let Some(part) = self.awake.last_mut() {
                mark = mark.max(part.take(line));
            }
        }
        mark
    }

    /// What they know, those that tell of a failure first.
    pub(crate) fn report(mut self, end: &End) -> Option<Report> {
        self.awake.append(&mut self.asleep);
        self.awake.sort_by_key(|part| part.index);
        let mut reports: Vec<Report> =
            self.awake.into_iter().filter_map(|part| part.recognizer.report(end)).collect();
        reports.sort_by_key(|report| report.failing != Some(true));
        reports.into_iter().reduce(Report::joined_by)
    }

    /// The formats of those that know something.
    #[cfg(test)]
    pub(crate) fn knowing(mut self, end: &End) -> Vec<&'static str> {
        self.awake.append(&mut self.asleep);
        let knowing = self
            .awake
            .into_iter()
            .filter_map(|part| part.recognizer.report(end).map(|_| FORMATS[part.index].name));
        knowing.collect()
    }

    fn wake(&mut self, index: usize, format: &Format) {
        self.bits |= 1_u128 << index;
        let known = self.asleep.iter().position(|part| part.index == index);
        let part = known.map(|at| self.asleep.swap_remove(at));
        let new = || Part { index, recognizer: (format.start)(), silent: 0 };
        self.awake.push(Part { silent: 0, ..part.unwrap_or_else(new) });
    }

    fn send_to_sleep(&mut self) {
        for part in self.awake.extract_if(.., |part| part.is_tired()) {
            self.bits &= !(1_u128 << part.index);
            self.asleep.push(part);
        }
    }
}
