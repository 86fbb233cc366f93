//! Several test runs in one text, listed with their total.

use std::fmt::{self, Display, Formatter};

use forebay_text::number::grouped;

/// Maximum number of runs listed; of more, only failing ones are.
const MAX_LISTED_RUNS: usize = 6;

/// Maximum number of runs held; further ones are only added to the total.
const MAX_HELD_RUNS: usize = 200;

/// Counts of one summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) total: Option<u64>,
    pub(crate) other_counts: Vec<(u64, &'static str)>,
}

impl TestCounts {
    pub(crate) fn has_failures(&self) -> bool {
        [self.failed, self.errors].into_iter().flatten().any(|count| count > 0)
    }

    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.passed, other.passed),
            (&mut self.failed, other.failed),
            (&mut self.errors, other.errors),
            (&mut self.skipped, other.skipped),
            (&mut self.total, other.total),
        ];
        for (count, more) in pairs {
            if let Some(more) = more {
                *count = Some(count.unwrap_or(0).saturating_add(more));
            }
        }
        for (more, word) in &other.other_counts {
            match self.other_counts.iter_mut().find(|(_, known)| known == word) {
                Some((count, _)) => *count = count.saturating_add(*more),
                None => self.other_counts.push((*more, word)),
            }
        }
    }
}

impl Display for TestCounts {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let known = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.errors, if self.errors == Some(1) { "error" } else { "errors" }),
            (self.skipped, "skipped"),
        ];
        // If all tests passed, the total would repeat their number.
        let total = self.total.filter(|_| self.total != self.passed);
        let total = total.map(|count| (count, if count == 1 { "test" } else { "tests" }));
        let parts: Vec<String> = known
            .into_iter()
            .filter_map(|(count, word)| Some((count?, word)))
            .chain(self.other_counts.iter().copied())
            .chain(total)
            .filter(|(count, word)| *count != 0 || matches!(*word, "passed" | "failed"))
            .map(|(count, word)| format!("{} {word}", grouped(count)))
            .collect();
        to.write_str(&parts.join(", "))
    }
}

/// A test run that has ended.
#[derive(Debug, Clone)]
pub(crate) enum TestRun {
    Completed(TestCounts),
    /// Failing tests were named, but no summary was printed.
    Aborted,
}

/// Test runs that have ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestRuns {
    count: usize,
    completed: Vec<TestCounts>,
    sum: TestCounts,
    aborted: u64,
    any_failed: bool,
}

impl TestRuns {
    pub(crate) fn add(&mut self, run: TestRun) {
        self.count += 1;
        let TestRun::Completed(counts) = run else {
            self.aborted += 1;
            self.any_failed = true;
            return;
        };
        self.any_failed |= counts.has_failures();
        self.sum.add(&counts);
        if self.completed.len() < MAX_HELD_RUNS {
            self.completed.push(counts);
        }
    }

    pub(crate) fn with_last(mut self, last: Option<TestRun>) -> Self {
        if let Some(run) = last {
            self.add(run);
        }
        self
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn had_failures(&self) -> bool {
        self.any_failed
    }
}

impl Display for TestRuns {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        if self.count == 1 && self.aborted == 0 {
            return self.sum.fmt(to);
        }
        write!(to, "{} runs, in total {}", self.count, self.sum)?;
        if self.aborted > 0 {
            write!(to, ", {} without a summary", self.aborted)?;
        }
        let is_complete = self.count <= MAX_LISTED_RUNS;
        let listed: Vec<String> = self
            .completed
            .iter()
            .filter(|counts| is_complete || counts.has_failures())
            .take(MAX_LISTED_RUNS)
            .map(|counts| format!("({counts})"))
            .collect();
        let label = if is_complete { "" } else { "; failing:" };
        if listed.is_empty() { Ok(()) } else { write!(to, "{label} {}", listed.join(" ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(passed: u64, failed: u64) -> TestRun {
        TestRun::Completed(TestCounts {
            passed: Some(passed),
            failed: Some(failed),
            ..TestCounts::default()
        })
    }

    #[track_caller]
    fn check(runs: impl IntoIterator<Item = TestRun>, expect: &str, failed: bool) {
        let mut is_complete = TestRuns::default();
        runs.into_iter().for_each(|run| is_complete.add(run));
        assert_eq!(
            (is_complete.to_string().as_str(), is_complete.had_failures()),
            (expect, failed)
        );
    }

    #[test]
    fn lists_each_run_and_the_total() {
        check([run(3, 0)], "3 passed, 0 failed", false);
        let two = "2 runs, in total 4 passed, 2 failed (1 passed, 2 failed) (3 passed, 0 failed)";
        check([run(1, 2), run(3, 0)], two, true);
        let aborted =
            "2 runs, in total 3 passed, 0 failed, 1 without a summary (3 passed, 0 failed)";
        check([TestRun::Aborted, run(3, 0)], aborted, true);
    }

    #[test]
    fn lists_only_failing_runs_of_many() {
        let runs = (0..9).map(|number| run(1, u64::from(number == 4)));
        check(runs, "9 runs, in total 9 passed, 1 failed; failing: (1 passed, 1 failed)", true);
    }
}
