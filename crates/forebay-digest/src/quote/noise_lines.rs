//! Remembers which lines recognizers consider unnecessary, in bounded memory.

use std::collections::VecDeque;

/// Number of runs of lines remembered; the oldest go first.
const MAX_RUNS: usize = 4_096;

/// Runs of unnecessary lines, in order.
#[derive(Debug, Default)]
pub(super) struct NoiseLines {
    /// First and last line of each run.
    runs: VecDeque<(u64, u64)>,
}

impl NoiseLines {
    /// Adds a line after those added before.
    pub(super) fn add(&mut self, line: u64) {
        match self.runs.back_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => self.runs.push_back((line, line)),
        }
        if self.runs.len() > MAX_RUNS {
            self.runs.pop_front();
        }
    }

    pub(super) fn contains(&self, line: u64) -> bool {
        let after = self.runs.partition_point(|(first, _)| *first <= line);
        after.checked_sub(1).is_some_and(|index| line <= self.runs[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_the_latest_runs() {
        let mut noise = NoiseLines::default();
        let count = MAX_RUNS as u64 + 1;
        for run in 1..=count {
            noise.add(10 * run);
            noise.add(10 * run + 1);
        }
        assert_eq!(
            [10, 20, 21, 22, 10 * count + 1].map(|line| noise.contains(line)),
            [false, true, true, false, true]
        );
    }
}
