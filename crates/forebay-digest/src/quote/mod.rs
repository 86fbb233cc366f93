//! Quotes: the lines of a text that are shown, within a budget.
//!
//! `fold` makes one row of repeated lines; `kept` holds the rows that may be shown, in bounded memory;
//! `plan` says in which order they are offered the budget; `layout` counts what a choice of rows costs,
//! gaps included, and writes it.

mod context;
mod fold;
mod kept;
mod layout;
mod plan;

use crate::LeftOut;
use crate::lines::Line;
use crate::recognizers::{Quotes, Report};
use crate::salience::{Intent, Salience};
use context::Context;
use fold::Run;
use kept::Kept;

/// Of the budget, in percent, what facts may use where the caller is after something that lines say.
const FACTS_SHARE_BESIDE_INTENT: usize = 30;

/// Takes rows as they come and shows the most telling ones.
#[derive(Debug)]
pub(crate) struct Quoter {
    room: usize,
    intent: Intent,
    run: Option<Run>,
    context: Context,
    kept: Kept,
}

impl Quoter {
    pub(crate) fn new(intent: &str, room: usize) -> Self {
        Self {
            room,
            intent: Intent::new(intent),
            run: None,
            context: Context::default(),
            kept: Kept::for_digest_of(room),
        }
    }

    /// The words of the intent that a line has; asked once for each line.
    pub(crate) fn wanted(&mut self, line: &str) -> u32 {
        self.intent.look(line)
    }

    /// Takes a line that repeats the one before; whether it does.
    pub(crate) fn folds(&mut self, line: Line<'_>, wanted: u32, matters: bool) -> bool {
        self.run.as_mut().is_some_and(|run| run.wanted() == wanted && run.join(line, matters))
    }

    pub(crate) fn take(&mut self, line: Line<'_>, salience: Salience) {
        if let Some(run) = self.run.replace(Run::new(line, salience)) {
            self.keep(run);
        }
    }

    /// The facts, the quotes that fit below them, and the lines left out, of `lines` lines in all.
    pub(crate) fn finish(
        mut self,
        report: Option<&Report>,
        failed: bool,
        lines: u64,
    ) -> (String, Vec<LeftOut>) {
        if let Some(run) = self.run.take() {
            self.keep(run);
        }
        let facts = report.map(|report| report.within(self.room_for(report))).unwrap_or_default();
        let room = self.room.saturating_sub(facts.len() + usize::from(!facts.is_empty()));
        let plan = self.plan(report, failed);
        let rows = self.kept.into_rows();
        let (quotes, left_out) =
            plan::show(plan, &rows, &self.intent, layout::Text { lines, room }, !facts.is_empty());
        let between = if facts.is_empty() || quotes.is_empty() { "" } else { "\n" };
        (facts + between + &quotes, left_out)
    }

    fn room_for(&self, report: &Report) -> usize {
        let share = match report.quotes {
            _ if self.kept.is_wanted() => FACTS_SHARE_BESIDE_INTENT,
            Quotes::Nothing | Quotes::Sample => 100,
            Quotes::Marked | Quotes::Usual => report.share,
        };
        self.room.saturating_mul(share) / 100
    }

    fn plan(&self, report: Option<&Report>, failed: bool) -> &'static [plan::Step] {
        let quotes = report.map_or(Quotes::Usual, |report| report.quotes);
        let failing = report.and_then(|report| report.failing);
        match (quotes, failing.unwrap_or(self.kept.has_failure())) {
            (Quotes::Nothing, _) => plan::WANTED,
            (Quotes::Sample, _) => plan::SAMPLE,
            (Quotes::Marked, _) => plan::MARKED,
            (Quotes::Usual, true) => plan::FAILING,
            (Quotes::Usual, false) if failed && failing.is_none() => plan::UNEXPLAINED,
            (Quotes::Usual, false) => plan::CALM,
        }
    }

    fn keep(&mut self, run: Run) {
        for mut row in run.into_rows() {
            self.context.add_to(&mut row);
            let worth = plan::worth(&row, &self.intent, row.last);
            self.kept.keep(row, worth);
        }
    }
}
