//! Selects the lines of a text to quote within a budget.
//!
//! `fold` folds repeated lines into rows; `row_buffer` holds candidate rows in bounded memory;
//! `plan` defines the order in which they get the budget; `layout` computes the size of a selection
//! and renders it.

mod failure_context;
mod fold;
mod layout;
mod plan;
mod row_buffer;

use crate::OmittedRange;
use crate::lines::Line;
use crate::recognizers::{Quotes, Report};
use crate::salience::{Intent, Salience};
use failure_context::FailureContext;
use fold::LineRun;
use row_buffer::RowBuffer;

/// Percentage of the budget for facts if lines match the intent.
const FACTS_SHARE_BESIDE_INTENT: usize = 30;

/// Collects rows and quotes the most salient ones.
#[derive(Debug)]
pub(crate) struct Quoter {
    max_bytes: usize,
    intent: Intent,
    run: Option<LineRun>,
    failure_context: FailureContext,
    row_buffer: RowBuffer,
}

impl Quoter {
    pub(crate) fn new(intent: &str, max_bytes: usize) -> Self {
        Self {
            max_bytes,
            intent: Intent::new(intent),
            run: None,
            failure_context: FailureContext::default(),
            row_buffer: RowBuffer::for_digest_bytes(max_bytes),
        }
    }

    /// Returns the mask of intent words in a line; must be called once per line.
    pub(crate) fn match_intent(&mut self, line: &str) -> u32 {
        self.intent.match_line(line)
    }

    /// Folds a line into the previous ones if it repeats them; returns true if it was folded.
    pub(crate) fn try_fold(&mut self, line: Line<'_>, intent_mask: u32, is_weighted: bool) -> bool {
        self.run.as_mut().is_some_and(|run| {
            run.intent_mask() == intent_mask && run.try_extend(line, is_weighted)
        })
    }

    pub(crate) fn push_line(&mut self, line: Line<'_>, salience: Salience) {
        if let Some(run) = self.run.replace(LineRun::new(line, salience)) {
            self.push_run(run);
        }
    }

    /// Returns the facts, the quotes that fit below them, and the omitted lines.
    ///
    /// The facts quote the lines in `told`, which are not repeated below them.
    pub(crate) fn finish(
        mut self,
        report: Option<&Report>,
        failed: bool,
        lines: u64,
        told: &[u64],
    ) -> (String, Vec<OmittedRange>) {
        if let Some(run) = self.run.take() {
            self.push_run(run);
        }
        let facts =
            report.map(|report| report.facts_within(self.facts_bytes(report))).unwrap_or_default();
        let max_bytes = self.max_bytes.saturating_sub(facts.len() + usize::from(!facts.is_empty()));
        let plan = self.plan(report, failed);
        let mut rows = self.row_buffer.into_rows();
        rows.retain(|row| row.first != row.last || !told.contains(&row.first));
        let (quotes, omitted) = plan::render(
            plan,
            &rows,
            &self.intent,
            layout::Bounds { lines, max_bytes },
            !facts.is_empty(),
        );
        let between = if facts.is_empty() || quotes.is_empty() { "" } else { "\n" };
        (facts + between + &quotes, omitted)
    }

    fn facts_bytes(&self, report: &Report) -> usize {
        let facts_share = match report.quotes {
            _ if self.row_buffer.has_intent_match() => FACTS_SHARE_BESIDE_INTENT,
            Quotes::None | Quotes::Sample => 100,
            Quotes::Marked | Quotes::Default => report.facts_share,
        };
        self.max_bytes.saturating_mul(facts_share) / 100
    }

    fn plan(&self, report: Option<&Report>, failed: bool) -> &'static [plan::Step] {
        let quotes = report.map_or(Quotes::Default, |report| report.quotes);
        let failing = report.and_then(|report| report.failing);
        match (quotes, failing.unwrap_or(self.row_buffer.has_failure())) {
            (Quotes::None, _) => plan::INTENT_ONLY,
            (Quotes::Sample, _) => plan::SAMPLE,
            (Quotes::Marked, _) => plan::MARKED,
            (Quotes::Default, true) => plan::FAILING,
            (Quotes::Default, false) if failed && failing.is_none() => plan::UNEXPLAINED,
            (Quotes::Default, false) => plan::CALM,
        }
    }

    fn push_run(&mut self, run: LineRun) {
        for mut row in run.into_rows() {
            self.failure_context.apply_to(&mut row);
            let score = plan::score(&row, &self.intent, row.last);
            self.row_buffer.push(row, score);
        }
    }
}
