//! Selects the lines of a text to quote within a budget.
//!
//! `fold` folds repeated lines into rows; `row_buffer` holds candidate rows in bounded memory;
//! `columns` shortens the blanks of tables, `shown_text` also long lines; `plan` defines the order in which they get the budget; `ranked_rows` brings in the ranked lines;
//! `layout` computes the size of a selection and renders it.

mod columns;
mod fold;
mod layout;
mod noise_lines;
mod plan;
mod ranked_rows;
mod row_buffer;
mod shown_text;

use crate::OmittedRange;
use crate::lines::Line;
use crate::ranker::LineRanker;
use crate::recognizers::{Quotes, Report};
use crate::salience::{Intent, IntentText, Salience};
use fold::LineRun;
use noise_lines::NoiseLines;
use plan::Plan;
use row_buffer::RowBuffer;

/// Percentage of the budget for facts if lines match what the caller looks for.
const FACTS_SHARE_BESIDE_INTENT: usize = 30;

/// Collects rows and quotes the most salient ones.
#[derive(Debug)]
pub(crate) struct Quoter {
    max_bytes: usize,
    /// Each line is followed by why it is shown.
    explains: bool,
    /// The text may be code, of which no blank is left out.
    keeps_blanks: bool,
    intent: Intent,
    run: Option<LineRun>,
    noise: NoiseLines,
    row_buffer: RowBuffer,
}

impl Quoter {
    pub(crate) fn new(intent: &IntentText, max_bytes: usize) -> Self {
        Self {
            max_bytes,
            explains: false,
            keeps_blanks: false,
            intent: Intent::new(intent),
            run: None,
            noise: NoiseLines::default(),
            row_buffer: RowBuffer::for_digest_bytes(max_bytes),
        }
    }

    /// Adds to each line why it is shown, beyond the budget.
    pub(crate) fn explain(&mut self) {
        self.explains = true;
    }

    /// Quotes lines with all their blanks, because they may be code.
    pub(crate) fn keep_blanks(&mut self) {
        self.keeps_blanks = true;
    }

    /// Returns the mask of intent words in a line; must be called once per line.
    pub(crate) fn match_intent(&mut self, line: &str) -> u32 {
        self.intent.match_line(line)
    }

    /// Folds a line into the previous ones if it repeats them; returns true if it was folded.
    pub(crate) fn try_fold(&mut self, line: Line<'_>, intent_mask: u32, is_weighted: bool) -> bool {
        let Some(run) = &mut self.run else { return false };
        let is_folded = run.intent_mask() == intent_mask && run.try_extend(line, is_weighted);
        if is_folded && run.is_noise() {
            self.noise.add(line.number);
        }
        is_folded
    }

    pub(crate) fn push_line(&mut self, line: Line<'_>, salience: Salience) {
        if salience.is_noise {
            self.noise.add(line.number);
        }
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
        mut ranker: LineRanker,
    ) -> (String, Vec<OmittedRange>) {
        if let Some(run) = self.run.take() {
            self.push_run(run);
        }
        let plan = self.plan(report, failed, ranker.has_several_commands());
        let chosen = report.map(|report| report.facts_within(self.facts_bytes(report, plan)));
        let facts_bytes = chosen.as_ref().map_or(0, |facts| facts.text.len());
        let max_bytes = self.max_bytes.saturating_sub(facts_bytes + usize::from(facts_bytes > 0));
        let facts = chosen.map_or_else(String::new, |facts| {
            if self.explains { facts.explained } else { facts.text }
        });
        let mut rows = self.row_buffer.into_rows();
        shown_text::shorten_rows(&mut rows, self.keeps_blanks);
        if let Some(kind) = plan.ranks() {
            let lines =
                if self.explains { ranker.finish_with_reasons(kind) } else { ranker.finish(kind) };
            rows = ranked_rows::with_ranked_lines(rows, lines, &self.noise, self.keeps_blanks);
        }
        rows.retain(|row| row.first != row.last || !told.contains(&row.first));
        let (quotes, omitted) = plan::render(
            plan,
            &rows,
            &self.intent,
            layout::Bounds { lines, max_bytes },
            !facts.is_empty(),
            self.explains,
        );
        let between = if facts.is_empty() || quotes.is_empty() { "" } else { "\n" };
        (facts + between + &quotes, omitted)
    }

    fn facts_bytes(&self, report: &Report, plan: Plan) -> usize {
        let facts_share = match report.quotes {
            _ if self.has_stated_match() => FACTS_SHARE_BESIDE_INTENT,
            Quotes::None | Quotes::Sample => 100,
            Quotes::Default if plan == plan::FAILING_SCRIPT => {
                report.facts_share.min(facts_share_of_script(self.max_bytes))
            }
            Quotes::Marked | Quotes::Default => report.facts_share,
        };
        self.max_bytes.saturating_mul(facts_share) / 100
    }

    /// Returns true if lines match what the caller says to look for; a guess never takes room from facts.
    fn has_stated_match(&self) -> bool {
        !self.intent.is_inferred() && self.row_buffer.has_intent_match()
    }

    /// Chooses a plan by the verdicts of the exit status, the recognizers and, where these say nothing, the words.
    fn plan(&self, report: Option<&Report>, failed: bool, is_script: bool) -> Plan {
        let recognized = report.and_then(|report| report.failing);
        let has_failure = self.row_buffer.has_failure() && (failed || recognized.is_none());
        match report.map_or(Quotes::Default, |report| report.quotes) {
            Quotes::None => plan::INTENT_ONLY,
            Quotes::Sample => plan::SAMPLE,
            Quotes::Marked => plan::MARKED,
            Quotes::Default if recognized == Some(true) || has_failure => {
                if is_script {
                    plan::FAILING_SCRIPT
                } else {
                    plan::FAILING_COMMAND
                }
            }
            Quotes::Default if failed => plan::UNEXPLAINED,
            Quotes::Default => plan::CALM,
        }
    }

    fn push_run(&mut self, run: LineRun) {
        for row in run.into_rows() {
            let score = plan::score(&row, &self.intent, row.last);
            self.row_buffer.push(row, score);
        }
    }
}

/// Returns the percentage of the budget for facts if one of several commands failed: they may be about another one.
fn facts_share_of_script(max_bytes: usize) -> usize {
    // Of 150, 300 and 1000 tokens.
    const SHARES: [(usize, usize); 3] = [(600, 0), (1_200, 25), (4_000, 40)];
    let [small, medium, large] = SHARES;
    let ((from, low), (to, high)) =
        if max_bytes < medium.0 { (small, medium) } else { (medium, large) };
    let bytes = max_bytes.clamp(from, to);
    low + (high - low) * (bytes - from) / (to - from)
}
