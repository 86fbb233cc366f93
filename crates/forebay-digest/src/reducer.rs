//! A text that is too large to be shown: who understands it, and what is shown of it.

use forebay_domain::tokens;

use crate::LeftOut;
use crate::command::Command;
use crate::lines::Line;
use crate::quote::Quoter;
use crate::recognizers::{End, Format, Mark, Parts, Recognizer};
use crate::salience::{self, Salience};

/// Reduces a text line by line.
#[derive(Debug)]
pub(crate) struct Reducer {
    failed: bool,
    room: usize,
    /// Who claims the whole text.
    whole: Option<Box<dyn Recognizer>>,
    /// Else those who know parts of it.
    parts: Parts,
    /// Shows what they marked, and any text that nobody knows.
    quoter: Quoter,
}

impl Reducer {
    /// Judges by the command and the start of the text who is to read it.
    pub(crate) fn new(command: &str, start: &str, intent: &str, failed: bool, budget: u64) -> Self {
        let room = tokens::to_bytes(budget);
        let command = Command::read(command);
        Self {
            failed,
            room,
            whole: Format::of(&command, start).map(|format| (format.start)()),
            parts: Parts::for_command(&command),
            quoter: Quoter::new(intent, room),
        }
    }

    pub(crate) fn take(&mut self, line: Line<'_>) {
        let line = line.without_stamp();
        let mut mark = match &mut self.whole {
            Some(whole) => whole.take(line),
            None => self.parts.take(line),
        };
        let wanted = self.quoter.wanted(line.text);
        if self.quoter.folds(line, wanted, mark.matters()) {
            return;
        }
        let (salience, triggers) = salience::weigh(line.text, line.number);
        if self.whole.is_none() {
            mark = mark.max(self.parts.wake_for(line, triggers));
        }
        self.quoter.take(line, mark.on(Salience { wanted, ..salience }));
    }

    pub(crate) fn command_failed(&mut self) {
        self.failed = true;
    }

    /// The reduced text and the lines it leaves out, of `lines` lines in all.
    pub(crate) fn finish(self, lines: u64) -> (String, Vec<LeftOut>) {
        let end = End { lines, room: self.room };
        let report = match self.whole {
            Some(whole) => whole.report(&end),
            None => self.parts.report(&end),
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
