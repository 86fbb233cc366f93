//! Reduces a text that is too large to be shown verbatim.

use forebay_domain::tokens;

use crate::command::Command;
use crate::custom::CustomReader;
use crate::lines::Line;
use crate::quote::Quoter;
use crate::recognizers::{EmbeddedRecognizers, Format, Mark, Recognizer, Report, ReportContext};
use crate::salience::{self, Salience};
use crate::{Hint, OmittedRange};

/// Reduces a text line by line.
#[derive(Debug)]
pub(crate) struct Reducer {
    failed: bool,
    max_bytes: usize,
    /// The custom recognizer that claims the text, if any; embedded formats are still recognized.
    custom: Option<CustomReader>,
    /// Otherwise the recognizer that claims the whole text.
    whole_text: Option<Box<dyn Recognizer>>,
    /// Recognizers of embedded formats, if none claims the whole text.
    embedded: EmbeddedRecognizers,
    /// Quotes marked lines, and lines of unknown formats.
    quoter: Quoter,
}

impl Reducer {
    /// Chooses the recognizers by the command and the start of the text.
    pub(crate) fn new(hint: Hint<'_>, start: &str, intent: &str, budget: u64) -> Self {
        let max_bytes = tokens::to_bytes(budget);
        let command = Command::parse(hint.command.unwrap_or_default());
        let custom =
            hint.recognizers.and_then(|recognizers| recognizers.find_claiming(&command, start));
        let whole_text = if custom.is_some() { None } else { Format::detect(&command, start) };
        Self {
            failed: hint.failed,
            max_bytes,
            custom,
            whole_text: whole_text.map(|format| (format.create)()),
            embedded: EmbeddedRecognizers::for_command(&command),
            quoter: Quoter::new(intent, max_bytes),
        }
    }

    pub(crate) fn push_line(&mut self, line: Line<'_>) {
        let line = line.without_timestamp();
        let custom_mark = self.custom.as_mut().map_or(Mark::Plain, |custom| custom.push_line(line));
        let mut mark = match &mut self.whole_text {
            Some(whole_text) => whole_text.push_line(line),
            // Lines dropped by the user are hidden from other recognizers.
            None if custom_mark == Mark::Noise => custom_mark,
            None => custom_mark.max(self.embedded.push_line(line)),
        };
        let intent_mask = self.quoter.match_intent(line.text);
        if self.quoter.try_fold(line, intent_mask, mark.is_weighted()) {
            return;
        }
        let mut salience = Salience::default();
        let is_final =
            mark == Mark::Noise && (self.whole_text.is_some() || custom_mark == Mark::Noise);
        if !is_final {
            let (weighed, triggers) = salience::weigh(line.text);
            salience = weighed;
            if self.whole_text.is_none() {
                mark = mark.max(self.embedded.wake_for(line, triggers));
            }
        }
        self.quoter.push_line(line, mark.apply_to(Salience { intent_mask, ..salience }));
    }

    pub(crate) fn command_failed(&mut self) {
        self.failed = true;
    }

    /// Returns the reduced text and the omitted lines.
    pub(crate) fn finish(self, lines: u64) -> (String, Vec<OmittedRange>) {
        let context = ReportContext { lines, max_bytes: self.max_bytes };
        let report = if let Some(whole_text) = self.whole_text {
            whole_text.report(&context)
        } else {
            let custom_report = self.custom.and_then(|custom| custom.report(&context));
            custom_report.into_iter().chain(self.embedded.report(&context)).reduce(Report::merge)
        };
        self.quoter.finish(report.as_ref(), self.failed, lines)
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
            Self::Plain => salience,
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
