//! What a recognizer knows of a text.

use forebay_text::cut;

/// The weight of the fact that says what it was and how it ended.
const SUMMARY_WEIGHT: u32 = 100;

/// One line that stands before the quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Where room is short the heavier ones stay.
    pub(crate) weight: u32,
    pub(crate) text: String,
}

/// What of the text is quoted below the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// Nothing: the facts say it all.
    None,
    /// The start, where the facts leave room.
    Sample,
    /// Only the lines the recognizer marked.
    Marked,
    /// What a text of no known format would show as well.
    Default,
}

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) facts: Vec<Fact>,
    pub(crate) quotes: Quotes,
    /// Whether something failed, where the format says so.
    pub(crate) failing: Option<bool>,
    /// Of the budget, in percent, what the facts may use where lines are quoted below them.
    pub(crate) facts_share: usize,
}

/// The usual share of the facts.
const DEFAULT_FACTS_SHARE: usize = 60;

impl Report {
    pub(crate) fn new(quotes: Quotes) -> Self {
        Self { facts: Vec::new(), quotes, failing: None, facts_share: DEFAULT_FACTS_SHARE }
    }

    /// Starts with what it was and how it ended.
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

    /// The facts that fit, in their order; the heaviest are chosen first.
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
    /// Both in one, the first being the more important.
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
