//! Any text: head, tail and the telling lines between them.
//!
//! `kept` holds the rows that may be shown, in bounded memory; `plan` says in which order they are
//! offered the budget; `layout` counts what a choice of rows costs, gaps included, and writes it.

mod context;
mod kept;
mod layout;
mod plan;

use forebay_domain::tokens;

use crate::LeftOut;
use crate::fold::Run;
use crate::lines::Line;
use crate::salience::{self, Intent, Salience};
use context::Context;
use kept::Kept;

/// Reduces a text of unknown format, line by line.
#[derive(Debug)]
pub(crate) struct Generic {
    failed: bool,
    room: usize,
    intent: Intent,
    run: Option<Run>,
    context: Context,
    kept: Kept,
}

impl Generic {
    pub(crate) fn new(failed: bool, intent: &str, budget: u64) -> Self {
        let room = tokens::to_bytes(budget);
        Self {
            failed,
            room,
            intent: Intent::new(intent),
            run: None,
            context: Context::default(),
            kept: Kept::for_digest_of(room),
        }
    }

    pub(crate) fn take(&mut self, line: Line<'_>) {
        let wanted = self.intent.look(line.text);
        if self.run.as_mut().is_some_and(|run| run.wanted() == wanted && run.join(line)) {
            return;
        }
        let salience = Salience { wanted, ..salience::weigh(line.text) };
        if let Some(run) = self.run.replace(Run::new(line, salience)) {
            self.keep(run);
        }
    }

    pub(crate) fn command_failed(&mut self) {
        self.failed = true;
    }

    /// The reduced text and the lines it leaves out, of `lines` lines in all.
    pub(crate) fn finish(mut self, lines: u64) -> (String, Vec<LeftOut>) {
        if let Some(run) = self.run.take() {
            self.keep(run);
        }
        let plan = match (self.kept.has_failure(), self.failed) {
            (true, _) => plan::FAILING,
            (false, true) => plan::UNEXPLAINED,
            (false, false) => plan::CALM,
        };
        let rows = self.kept.into_rows();
        plan::show(plan, &rows, &self.intent, layout::Text { lines, room: self.room })
    }

    fn keep(&mut self, run: Run) {
        for mut row in run.into_rows() {
            self.context.add_to(&mut row);
            let worth = plan::worth(&row, &self.intent, row.last);
            self.kept.keep(row, worth);
        }
    }
}
