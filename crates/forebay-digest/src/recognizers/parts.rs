//! The recognizers of formats that take up parts of a text.

use super::{End, FORMATS, Format, Mark, Recognizer, Report, Scope};
use crate::command::Command;
use crate::lines::Line;

/// Recognizers sleep until a line has one of their words; from then on they see every line.
#[derive(Debug)]
pub(crate) struct Parts {
    awake: Vec<(usize, Box<dyn Recognizer>)>,
    /// The formats that are awake or not wanted, one bit each.
    done: u128,
}

impl Parts {
    /// Those that the command speaks of are awake from the start.
    pub(crate) fn for_command(command: &Command) -> Self {
        let mut parts = Self { awake: Vec::new(), done: 0 };
        for (index, format) in FORMATS.iter().enumerate() {
            let named = format.commands.iter().any(|pattern| command.is(pattern));
            if named && matches!(format.scope, Scope::Part(_)) {
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
        self.awake.iter_mut().map(|(_, part)| part.take(line)).max().unwrap_or_default()
    }

    /// Wakes those whose words the line has, and shows it to them.
    pub(crate) fn wake_for(&mut self, line: Line<'_>, triggers: u128) -> Mark {
        let mut mark = Mark::Plain;
        let mut new = triggers & !self.done;
        while new != 0 {
            let index = new.trailing_zeros() as usize;
            new &= new - 1;
            self.wake(index, FORMATS[index]);
            if let Some((_, part)) = self.awake.last_mut() {
                mark = mark.max(part.take(line));
            }
        }
        mark
    }

    /// What they know, those that tell of a failure first.
    pub(crate) fn report(self, end: &End) -> Option<Report> {
        let mut awake = self.awake;
        awake.sort_by_key(|(index, _)| *index);
        let mut reports: Vec<Report> =
            awake.into_iter().filter_map(|(_, part)| part.report(end)).collect();
        reports.sort_by_key(|report| report.failing != Some(true));
        reports.into_iter().reduce(Report::joined_by)
    }

    fn wake(&mut self, index: usize, format: &Format) {
        self.done |= 1_u128 << index;
        self.awake.push((index, (format.start)()));
    }
}
