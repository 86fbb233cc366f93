//! Lines that start with `WARNING`, as build tools write them between others: their number and messages.

use forebay_text::number::counted;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::MessageTemplates;

pub(super) const FORMAT: Format = Format {
    name: "warnings between other lines",
    keeps: "number of lines that start with WARNING; each kind of message",
    commands: &[],
    scope: Scope::Embedded(&["WARNING"]),
    create: || Box::<Warnings>::default(),
};

/// Fewer lines are quoted as they are.
const MIN_LINES: u64 = 3;

/// Number of kinds of messages that are listed.
const MAX_MESSAGES: usize = 8;

#[derive(Debug, Default)]
struct Warnings {
    count: u64,
    messages: MessageTemplates,
}

impl Recognizer for Warnings {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some(message) = warning(line.text) else { return Mark::Plain };
        self.count += 1;
        let is_new = self.messages.add(message, line.number) == 0;
        // The facts say how often it repeats.
        if is_new { Mark::Weight(28) } else { Mark::Noise }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.count < MIN_LINES {
            return None;
        }
        let mut report = Report::new(Quotes::Default);
        report.add(78, counted(self.count, "WARNING line"));
        let rare = self.messages.seen_once(MAX_MESSAGES).into_iter();
        for (index, message) in rare.chain(self.messages.frequent(MAX_MESSAGES)).enumerate() {
            report.add(70_u32.saturating_sub(index as u32), message);
        }
        Some(report)
    }
}

/// Returns the message of `WARNING: message` or `WARNING -  message`.
fn warning(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("WARNING")?;
    let message = rest.trim_start_matches([':', ' ', '-']);
    let is_separated = rest.starts_with([':', ' ']) && !message.is_empty();
    is_separated.then_some(message)
}
