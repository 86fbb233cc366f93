//! A text that is too large to be shown: who understands it, and what is shown of it.

use forebay_domain::tokens;

use crate::command::Command;
use crate::custom::Reading;
use crate::lines::Line;
use crate::quote::Quoter;
use crate::recognizers::{End, Format, Mark, Parts, Recognizer, Report};
use crate::salience::{self, Salience};
use crate::{Hint, LeftOut};

/// Reduces a text line by line.
#[derive(Debug)]
pub(crate) struct Reducer {
    failed: bool,
    room: usize,
    /// The user's own recognizer, if one claims the text; it leaves parts of it to others.
    custom: Option<Reading>,
    /// Else who claims the whole text.
    whole: Option<Box<dyn Recognizer>>,
    /// Those who know parts of it, where nobody claims the whole.
    parts: Parts,
    /// Shows what they marked, and any text that nobody knows.
    quoter: Quoter,
}

impl Reducer {
    /// Judges by the command and the start of the text who is to read it.
    pub(crate) fn new(hint: Hint<'_>, start: &str, intent: &str, budget: u64) -> Self {
        let room = tokens::to_bytes(budget);
        let command = Command::read(hint.command.unwrap_or_default());
        let custom = hint.recognizers.and_then(|customs| customs.claiming(&command, start));
        let whole = if custom.is_some() { None } else { Format::of(&command, start) };
        Self {
            failed: hint.failed,
            room,
            custom,
            whole: whole.map(|format| (format.start)()),
            parts: Parts::for_command(&command),
            quoter: Quoter::new(intent, room),
        }
    }

    pub(crate) fn take(&mut self, line: Line<'_>) {
        let line = line.without_stamp();
        let own = self.custom.as_mut().map_or(Mark::Plain, |custom| custom.take(line));
        let mut mark = match &mut self.whole {
            Some(whole) => whole.take(line),
            // What the user drops is nobody's.
            None if own == Mark::Noise => own,
            None => own.max(self.parts.take(line)),
        };
        let wanted = self.quoter.wanted(line.text);
        if self.quoter.folds(line, wanted, mark.matters()) {
            return;
        }
        let mut salience = Salience::default();
        let settled = mark == Mark::Noise && (self.whole.is_some() || own == Mark::Noise);
        if !settled {
            let (weighed, triggers) = salience::weigh(line.text);
            salience = weighed;
            if self.whole.is_none() {
                mark = mark.max(self.parts.wake_for(line, triggers));
            }
        }
        self.quoter.take(line, mark.on(Salience { wanted, ..salience }));
    }

    pub(crate) fn command_failed(&mut self) {
        self.failed = true;
    }

    /// The reduced text and the lines it leaves out, of `lines` lines in all.
    pub(crate) fn finish(self, lines: u64) -> (String, Vec<LeftOut>) {
        let end = End { lines, room: self.room };
        let report = if let Some(whole) = self.whole {
            whole.report(&end)
        } else {
            let own = self.custom.and_then(|custom| custom.report(&end));
            own.into_iter().chain(self.parts.report(&end)).reduce(Report::joined_by)
        };
        self.quoter.finish(report.as_ref(), self.failed, lines)
    }
}

impl Mark {
    /// Its numbers matter.
    fn matters(self) -> bool {
        matches!(self, Self::Weight(_))
    }

    /// What a line counts for, given what its words say.
    fn on(self, salience: Salience) -> Salience {
        match self {
            Self::Plain => salience,
            Self::Noise => Salience { noise: true, wanted: salience.wanted, ..Salience::default() },
            Self::Weight(weight) => {
                let failure = self == Self::FAILURE || self == Self::REASON;
                Salience { weight, failure, marked: true, ..salience }
            }
        }
    }
}
