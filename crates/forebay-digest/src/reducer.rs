//! Reduces a text that is too large to be shown verbatim.

use forebay_domain::tokens;

use crate::command::Command;
use crate::custom::CustomReader;
use crate::failure_reason::FailureReasons;
use crate::lines::Line;
use crate::parts::Parts;
use crate::quote::Quoter;
use crate::ranker::LineRanker;
use crate::recognizers::{
    EmbeddedRecognizers, Format, Mark, Recognizer, Report, ReportContext, UNCLAIMED,
};
use crate::salience::{self, IntentText, Salience};
use crate::{Hint, OmittedRange};

/// Reduces a text line by line.
#[derive(Debug)]
pub(crate) struct Reducer {
    failed: bool,
    max_bytes: usize,
    /// The custom recognizer that claims the text, if any; embedded formats are still recognized.
    custom: Option<CustomReader>,
    /// Otherwise the parts of the text, if it starts in a known format.
    parts: Option<Parts>,
    rest: Rest,
    reasons: FailureReasons,
}

/// A reduced text.
#[derive(Debug)]
pub(crate) struct Reduced {
    pub(crate) text: String,
    pub(crate) omitted: Vec<OmittedRange>,
    /// The recognizers that understood it.
    pub(crate) recognizers: Vec<&'static str>,
}

/// What reads lines of no known part, and quotes.
#[derive(Debug)]
struct Rest {
    /// Recognizers of embedded formats.
    embedded: EmbeddedRecognizers,
    /// Quotes marked lines, and lines of unknown formats.
    quoter: Quoter,
    /// Reads a text that no recognizer claims as a whole.
    unclaimed: Option<Box<dyn Recognizer>>,
}

impl Reducer {
    /// Chooses the recognizers by the command and the start of the text.
    pub(crate) fn new(hint: Hint<'_>, start: &str, intent: &IntentText, budget: u64) -> Self {
        let max_bytes = tokens::to_bytes(budget);
        let command = Command::parse(hint.command.unwrap_or_default());
        let custom =
            hint.recognizers.and_then(|recognizers| recognizers.find_claiming(&command, start));
        let whole_text = if custom.is_some() { None } else { Format::detect(&command, start) };
        let is_unclaimed = custom.is_none() && whole_text.is_none();
        let mut quoter = Quoter::new(intent, max_bytes);
        if command.prints_lines_of_files() || whole_text.is_some_and(Format::quotes_code) {
            quoter.keep_blanks();
        }
        Self {
            failed: hint.failed,
            max_bytes,
            custom,
            rest: Rest {
                embedded: EmbeddedRecognizers::for_command(&command),
                quoter,
                unclaimed: is_unclaimed.then(UNCLAIMED.create),
            },
            reasons: FailureReasons::of_command(&command),
            parts: whole_text.map(|format| Parts::new(command, format, max_bytes)),
        }
    }

    pub(crate) fn push_line(&mut self, line: Line<'_>) {
        let line = line.without_timestamp();
        self.reasons.push_line(line);
        if let Some(parts) = &mut self.parts {
            return parts.push_line(line, &mut |line, mark| self.rest.push_part_line(line, mark));
        }
        let mark = self.custom.as_mut().map_or(Mark::Plain, |custom| custom.push_line(line));
        match mark {
            // Lines dropped by the user are hidden from other recognizers.
            Mark::Noise => self.rest.push_read(line, mark),
            _ => self.rest.push_unread(line, mark),
        }
    }

    /// Adds to each line of the digest why it is shown, beyond the budget.
    pub(crate) fn explain(&mut self) {
        self.rest.quoter.explain();
    }

    pub(crate) fn command_failed(&mut self) {
        self.failed = true;
    }

    /// Returns the reduced text.
    pub(crate) fn finish(mut self, lines: u64, ranker: LineRanker) -> Reduced {
        let mut report = self.report(lines);
        let recognizers = report.as_ref().map(Report::recognizers).unwrap_or_default();
        let told = if self.failed { self.reasons.add_to(&mut report) } else { Vec::new() };
        let (text, omitted) =
            self.rest.quoter.finish(report.as_ref(), self.failed, lines, &told, ranker);
        Reduced { text, omitted, recognizers }
    }

    /// Returns the facts; no line may follow.
    pub(crate) fn report(&mut self, lines: u64) -> Option<Report> {
        let context = ReportContext::new(lines, self.max_bytes);
        let report = match (self.parts.take(), self.custom.take()) {
            (Some(parts), _) => {
                parts.finish(&mut |line, mark| self.rest.push_part_line(line, mark))
            }
            (None, custom) => custom
                .and_then(|custom| custom.report(&context))
                .map(|report| report.stated_by("of the settings")),
        };
        let embedded = self.rest.embedded.report(&context);
        let known = report.into_iter().chain(embedded).reduce(Report::merge);
        known.or_else(|| {
            let report = self.rest.unclaimed.take()?.report(&context)?;
            Some(report.stated_by(UNCLAIMED.name))
        })
    }
}

impl Rest {
    fn push_part_line(&mut self, line: Line<'_>, mark: Mark) {
        match mark {
            Mark::Foreign => self.push_unread(line, Mark::Plain),
            _ => self.push_read(line, mark),
        }
    }

    /// Takes a line that a recognizer read, with its mark.
    fn push_read(&mut self, line: Line<'_>, mark: Mark) {
        let intent_mask = self.quoter.match_intent(line.text);
        if self.quoter.try_fold(line, intent_mask, mark.is_weighted()) {
            return;
        }
        let salience = match mark {
            Mark::Noise => Salience::default(),
            _ => salience::weigh(line.text).0,
        };
        self.quoter.push_line(line, mark.apply_to(Salience { intent_mask, ..salience }));
    }

    /// Takes a line that may belong to an embedded format.
    fn push_unread(&mut self, line: Line<'_>, mark: Mark) {
        let mut mark = mark.max(self.embedded.push_line(line));
        if let Some(recognizer) = &mut self.unclaimed {
            recognizer.push_line(line);
        }
        let intent_mask = self.quoter.match_intent(line.text);
        if self.quoter.try_fold(line, intent_mask, mark.is_weighted()) {
            return;
        }
        let (salience, triggers) = salience::weigh(line.text);
        mark = mark.max(self.embedded.wake_for(line, triggers));
        self.quoter.push_line(line, mark.apply_to(Salience { intent_mask, ..salience }));
    }
}

impl Mark {
    /// Returns true if a recognizer gave the line a weight.
    fn is_weighted(self) -> bool {
        matches!(self, Self::Weight(_))
    }

    /// Combines the mark with the salience of the line's words.
    fn apply_to(self, salience: Salience) -> Salience {
        match self {
            Self::Plain | Self::Foreign => salience,
            Self::Noise => Salience {
                is_noise: true,
                intent_mask: salience.intent_mask,
                ..Salience::default()
            },
            Self::Weight(weight) => {
                let is_failure = self == Self::FAILURE || self == Self::REASON;
                Salience { weight, is_failure, is_marked: true, ..salience }
            }
        }
    }
}
