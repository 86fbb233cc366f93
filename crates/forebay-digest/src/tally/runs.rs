//! Several runs of tests in one text: each is told, and that the sum is one.

use std::fmt::{self, Display, Formatter};

use forebay_text::number::grouped;

/// So many runs are told one by one; of more only those that failed.
const TOLD: usize = 6;

/// Runs beyond so many are only summed up.
const HELD: usize = 200;

/// What one summary counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) total: Option<u64>,
    pub(crate) further: Vec<(u64, &'static str)>,
}

impl Counts {
    pub(crate) fn tell_of_failures(&self) -> bool {
        self.failed.unwrap_or(0) + self.errors.unwrap_or(0) > 0
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
                *count = Some(count.unwrap_or(0) + more);
            }
        }
        for (more, word) in &other.further {
            match self.further.iter_mut().find(|(_, known)| known == word) {
                Some((count, _)) => *count += more,
                None => self.further.push((*more, word)),
            }
        }
    }
}

impl Display for Counts {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let known = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.errors, if self.errors == Some(1) { "error" } else { "errors" }),
            (self.skipped, "skipped"),
        ];
        // All that ran have passed: their number stands there already.
        let total = self.total.filter(|_| self.total != self.passed);
        let total = total.map(|count| (count, if count == 1 { "test" } else { "tests" }));
        let said: Vec<String> = known
            .into_iter()
            .filter_map(|(count, word)| Some((count?, word)))
            .chain(self.further.iter().copied())
            .chain(total)
            .filter(|(count, word)| *count != 0 || matches!(*word, "passed" | "failed"))
            .map(|(count, word)| format!("{} {word}", grouped(count)))
            .collect();
        to.write_str(&said.join(", "))
    }
}

/// A run that has ended.
#[derive(Debug, Clone)]
pub(crate) enum Run {
    SummedUp(Counts),
    /// It named tests that failed, and printed no summary.
    BrokenOff,
}

/// Runs that have ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    count: usize,
    held: Vec<Counts>,
    sum: Counts,
    broken_off: u64,
    failed: bool,
}

impl Runs {
    pub(crate) fn add(&mut self, run: Run) {
        self.count += 1;
        let Run::SummedUp(counts) = run else {
            self.broken_off += 1;
            self.failed = true;
            return;
        };
        self.failed |= counts.tell_of_failures();
        self.sum.add(&counts);
        if self.held.len() < HELD {
            self.held.push(counts);
        }
    }

    pub(crate) fn ending_with(mut self, last: Option<Run>) -> Self {
        if let Some(run) = last {
            self.add(run);
        }
        self
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn had_failures(&self) -> bool {
        self.failed
    }
}

impl Display for Runs {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        if self.count == 1 && self.broken_off == 0 {
            return self.sum.fmt(to);
        }
        write!(to, "{} runs, together {}", self.count, self.sum)?;
        if self.broken_off > 0 {
            write!(to, ", {} without a summary", self.broken_off)?;
        }
        let all = self.count <= TOLD;
        let told: Vec<String> = self
            .held
            .iter()
            .filter(|counts| all || counts.tell_of_failures())
            .take(TOLD)
            .map(|counts| format!("({counts})"))
            .collect();
        let label = if all { "" } else { "; failing:" };
        if told.is_empty() { Ok(()) } else { write!(to, "{label} {}", told.join(" ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(passed: u64, failed: u64) -> Run {
        Run::SummedUp(Counts { passed: Some(passed), failed: Some(failed), ..Counts::default() })
    }

    #[track_caller]
    fn check(runs: impl IntoIterator<Item = Run>, expect: &str, failed: bool) {
        let mut all = Runs::default();
        runs.into_iter().for_each(|run| all.add(run));
        assert_eq!((all.to_string().as_str(), all.had_failures()), (expect, failed));
    }

    #[test]
    fn each_run_is_told_and_the_sum_is_called_one() {
        check([run(3, 0)], "3 passed, 0 failed", false);
        let two = "2 runs, together 4 passed, 2 failed (1 passed, 2 failed) (3 passed, 0 failed)";
        check([run(1, 2), run(3, 0)], two, true);
        let broken =
            "2 runs, together 3 passed, 0 failed, 1 without a summary (3 passed, 0 failed)";
        check([Run::BrokenOff, run(3, 0)], broken, true);
    }

    #[test]
    fn of_many_runs_only_those_that_failed_are_told() {
        let runs = (0..9).map(|number| run(1, u64::from(number == 4)));
        check(runs, "9 runs, together 9 passed, 1 failed; failing: (1 passed, 1 failed)", true);
    }
}
