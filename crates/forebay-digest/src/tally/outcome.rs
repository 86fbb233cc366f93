//! How a run of tests ended.

use forebay_domain::text::number::grouped;

use super::Tops;
use crate::recognizers::{Quotes, Report};

/// How many failing tests are named before the quotes.
const NAMED: usize = 12;

/// Counts as the runner printed them, and the failing tests it named.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) total: Option<u64>,
    /// The runner printed a summary.
    pub(crate) said: bool,
    /// How long it took, as printed.
    pub(crate) took: Option<String>,
    failing: Tops,
}

impl Outcome {
    /// Adds to a count that several summaries make up.
    pub(crate) fn add(count: &mut Option<u64>, more: Option<u64>) {
        if let Some(more) = more {
            *count = Some(count.unwrap_or(0) + more);
        }
    }

    /// Notes a test that failed, each once.
    pub(crate) fn fail(&mut self, name: &str) {
        if self.failing.of(name) == 0 {
            self.failing.add(name);
        }
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.failed.unwrap_or(0) + self.errors.unwrap_or(0) > 0
            || (!self.said && !self.failing.is_empty())
    }

    /// What the runner said; without a summary only what failed, and that it is not all.
    pub(crate) fn report(self, runner: &str, scope: &str) -> Option<Report> {
        let failing = self.has_failures();
        if !self.said && self.failing.is_empty() {
            return None;
        }
        let summary = if self.said {
            format!("{runner}: {}{scope}", self.counts())
        } else {
            format!(
                "{runner}: no summary was printed; failing tests seen: {}",
                self.failing.total()
            )
        };
        let mut report = Report::of(summary, Quotes::Usual).failing(failing);
        if failing && !self.failing.is_empty() {
            report.add(90, format!("failed: {}", self.failing.names(NAMED)));
        }
        Some(report)
    }

    fn counts(&self) -> String {
        let known = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.errors, "errors"),
            (self.skipped, "skipped"),
            (self.total, "in all"),
        ];
        let mut said: Vec<String> = known
            .into_iter()
            .filter_map(|(count, word)| Some(format!("{} {word}", grouped(count?))))
            .collect();
        said.extend(self.took.as_ref().map(|took| format!("took {took}")));
        said.join(", ")
    }
}
