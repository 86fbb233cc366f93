//! The facts that a recognizer reports.

use forebay_text::cut;

/// Weight of the summary.
const SUMMARY_WEIGHT: u32 = 100;

/// One line above the quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The heavier facts stay if not all fit.
    pub(crate) weight: u32,
    pub(crate) text: String,
}

/// Which lines are quoted below the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// None: the facts are sufficient.
    None,
    /// The start, if the facts leave space.
    Sample,
    /// Only marked lines.
    Marked,
    /// The same lines as for an unknown format.
    Default,
}

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) facts: Vec<Fact>,
    pub(crate) quotes: Quotes,
    /// Whether something failed, if the format says so.
    pub(crate) failing: Option<bool>,
    /// Percentage of the budget for facts if lines are quoted below them.
    pub(crate) facts_share: usize,
}

/// Percentage of the budget for facts by default.
const DEFAULT_FACTS_SHARE: usize = 60;

impl Report {
    pub(crate) fn new(quotes: Quotes) -> Self {
        Self { facts: Vec::new(), quotes, failing: None, facts_share: DEFAULT_FACTS_SHARE }
    }

    /// Starts with a summary of what was run and how it ended.
    pub(crate) fn with_summary(summary: impl Into<String>, quotes: Quotes) -> Self {
        let mut report = Self::new(quotes);
        report.add(SUMMARY_WEIGHT, summary);
        report
    }

    pub(crate) fn failing(mut self, failing: bool) -> Self {
        self.failing = Some(failing);
        self
    }

    pub(crate) fn add(&mut self, weight: u32, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.facts.push(Fact { weight, text });
        }
    }

    /// Returns the facts that fit, in their order; the heaviest are selected first.
    pub(crate) fn facts_within(&self, max_bytes: usize) -> String {
        let mut order: Vec<usize> = (0..self.facts.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(self.facts[*index].weight));
        let (mut chosen, mut remaining) = (Vec::new(), max_bytes);
        for index in order {
            let cost = self.facts[index].text.len() + 1;
            if cost <= remaining {
                remaining -= cost;
                chosen.push(index);
            } else if chosen.is_empty() {
                return cut::one_line(&self.facts[index].text, max_bytes.saturating_sub(1));
            }
        }
        chosen.sort_unstable();
        let facts: Vec<&str> =
            chosen.iter().map(|index| self.facts[*index].text.as_str()).collect();
        facts.join("\n")
    }
}

impl Report {
    /// Appends the facts of another report.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.facts.extend(other.facts);
        self.quotes = Quotes::Default;
        self.facts_share = self.facts_share.max(other.facts_share);
        self.failing = match (self.failing, other.failing) {
            (Some(one), Some(two)) => Some(one || two),
            (one, two) => one.or(two),
        };
        self
    }
}
