//! The facts that a recognizer reports.

use forebay_text::cut;
use forebay_text::number::grouped;

use crate::tally::TestFacts;

/// Stands between a line of a digest and why it is shown.
pub(crate) const REASON_MARK: &str = "  ← ";

/// Length of the line that names what was left out of a list.
const MAX_LABELS_BYTES: usize = 160;

/// Weight of the summary.
const SUMMARY_WEIGHT: u32 = 100;

/// One line above the quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The heavier facts stay if not all fit.
    pub(crate) weight: u32,
    pub(crate) text: String,
    list: List,
    /// What the list names in its place, with the number of things that it stands for.
    label: Option<(String, u64)>,
    /// The recognizer that states it.
    recognizer: Option<&'static str>,
}

/// The facts that fit a budget.
#[derive(Debug)]
pub(crate) struct ChosenFacts {
    pub(crate) text: String,
    /// The same with the recognizer of each fact, beyond the budget.
    pub(crate) explained: String,
}

/// The line for facts that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    /// Nothing: it stands alone.
    None,
    /// It stands for this many items of a list, which shows a gap in their place.
    Items(u64),
    /// It is one of several things with this name, such as the fields of a record; the last one is followed by
    /// the number left out.
    Named { count: u64, name: &'static str },
    /// It stands for several things, and has a label for the end of the list.
    Counted,
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

impl Fact {
    /// Says which recognizer states it.
    fn claim(&self) -> String {
        let claim = |name: &str| format!("{REASON_MARK}recognizer {name}");
        self.recognizer.map(claim).unwrap_or_default()
    }
}

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) facts: Vec<Fact>,
    pub(crate) quotes: Quotes,
    /// Whether something failed, if the format says so.
    pub(crate) failing: Option<bool>,
    /// Percentage of the budget for facts if lines are quoted below them.
    pub(crate) facts_share: usize,
    /// The tests of the only run that it is about.
    pub(crate) tests: Option<TestFacts>,
}

/// Percentage of the budget for facts by default.
const DEFAULT_FACTS_SHARE: usize = 60;

impl Report {
    pub(crate) fn new(quotes: Quotes) -> Self {
        Self {
            facts: Vec::new(),
            quotes,
            failing: None,
            facts_share: DEFAULT_FACTS_SHARE,
            tests: None,
        }
    }

    /// Starts with a summary of what was run and how it ended.
    pub(crate) fn with_summary(summary: impl Into<String>, quotes: Quotes) -> Self {
        let mut report = Self::new(quotes);
        report.add(SUMMARY_WEIGHT, summary);
        report
    }

    /// Keeps only items of lists, because the counts may be about the same things several times.
    pub(crate) fn without_counts(self) -> Self {
        let summary =
            "printed by several commands; what they list may overlap, so it is not counted";
        let mut kept = Self::with_summary(summary, Quotes::Default);
        kept.facts
            .extend(self.facts.into_iter().filter(|fact| matches!(fact.list, List::Items(_))));
        Self { failing: self.failing, ..kept }
    }

    pub(crate) fn failing(mut self, failing: bool) -> Self {
        self.failing = Some(failing);
        self
    }

    pub(crate) fn add(&mut self, weight: u32, text: impl Into<String>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.push(weight, text, List::None, None);
        }
    }

    /// Adds an item of a list; where it does not fit, the list shows a gap.
    pub(crate) fn add_item(&mut self, weight: u32, text: impl Into<String>) {
        self.push(weight, text.into(), List::Items(1), None);
    }

    /// Adds the description of a field, and a count of those that do not fit.
    pub(crate) fn add_field(&mut self, weight: u32, text: impl Into<String>) {
        self.add_named(weight, text, " field");
    }

    /// Adds one of several things, and a count of those that do not fit. The name has a leading space.
    pub(crate) fn add_named(&mut self, weight: u32, text: impl Into<String>, name: &'static str) {
        self.push(weight, text.into(), List::Named { count: 1, name }, None);
    }

    /// Adds several things with this name that are only counted.
    pub(crate) fn add_unlisted_named(&mut self, count: u64, name: &'static str) {
        if count > 0 {
            self.push(0, String::new(), List::Named { count, name }, None);
        }
    }

    /// Adds items of a list that were counted but not kept.
    pub(crate) fn add_unlisted(&mut self, count: u64) {
        if count > 0 {
            self.push(0, String::new(), List::Items(count), None);
        }
    }

    /// Adds an item that stands for several things; where it does not fit, the end of the list shows its label.
    pub(crate) fn add_counted_item(
        &mut self,
        weight: u32,
        text: impl Into<String>,
        label: (String, u64),
    ) {
        self.push(weight, text.into(), List::Counted, Some(label));
    }

    fn push(&mut self, weight: u32, text: String, list: List, label: Option<(String, u64)>) {
        self.facts.push(Fact { weight, text, list, label, recognizer: None });
    }

    /// Names the recognizer that states the facts.
    pub(crate) fn stated_by(mut self, recognizer: &'static str) -> Self {
        for fact in &mut self.facts {
            fact.recognizer = Some(recognizer);
        }
        self
    }

    /// Returns the recognizers that state the facts, each once, in order.
    pub(crate) fn recognizers(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for name in self.facts.iter().filter_map(|fact| fact.recognizer) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the facts that fit, in their order; the heaviest are selected first.
    pub(crate) fn facts_within(&self, max_bytes: usize) -> ChosenFacts {
        let mut order: Vec<usize> =
            (0..self.facts.len()).filter(|index| !self.facts[*index].text.is_empty()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(self.facts[*index].weight));
        let (mut chosen, mut remaining) = (Vec::new(), max_bytes);
        for index in order {
            let cost = self.facts[index].text.len() + 1;
            if cost <= remaining {
                remaining -= cost;
                chosen.push(index);
            } else if chosen.is_empty() {
                let text = cut::one_line(&self.facts[index].text, max_bytes.saturating_sub(1));
                let explained = format!("{text}{}", self.facts[index].claim());
                return ChosenFacts { text, explained };
            }
        }
        // The gaps of lists need space too; the lightest facts make room for them.
        loop {
            let text = self.render(&chosen, |_| String::new());
            if text.len() <= max_bytes || chosen.len() <= 1 {
                let text = cut::prefix(&text, max_bytes).to_owned();
                return ChosenFacts { text, explained: self.render(&chosen, Fact::claim) };
            }
            chosen.pop();
        }
    }

    /// Renders the chosen facts; items of a list that were not chosen leave a gap.
    fn render(&self, chosen: &[usize], note: impl Fn(&Fact) -> String) -> String {
        let mut is_chosen = vec![false; self.facts.len()];
        for index in chosen {
            is_chosen[*index] = true;
        }
        let (mut text, mut items, mut named, mut name) = (String::new(), 0, 0, "");
        let mut labels = Vec::new();
        for (fact, is_chosen) in self.facts.iter().zip(is_chosen) {
            let own_name = match fact.list {
                List::Named { name, .. } => Some(name),
                List::None | List::Items(_) | List::Counted => None,
            };
            if fact.list != List::Counted {
                push_labels(&mut text, &mut labels);
            }
            if own_name != Some(name) && (is_chosen || own_name.is_some()) {
                push_gap(&mut text, &mut named, name);
            }
            name = own_name.unwrap_or(name);
            if is_chosen {
                push_gap(&mut text, &mut items, "");
                text.push_str(&fact.text);
                text.push_str(&note(fact));
                text.push('\n');
                continue;
            }
            match fact.list {
                List::None => {}
                List::Items(count) => items += count,
                List::Named { count, .. } => named += count,
                List::Counted => labels.extend(&fact.label),
            }
        }
        push_labels(&mut text, &mut labels);
        push_gap(&mut text, &mut items, "");
        push_gap(&mut text, &mut named, name);
        text.pop();
        text
    }
}

/// Appends the number of facts left out, if any.
fn push_gap(text: &mut String, count: &mut u64, noun: &str) {
    let plural = if *count == 1 || noun.is_empty() { "" } else { "s" };
    if *count > 0 {
        text.push_str(&format!("… {} more{noun}{plural}\n", grouped(std::mem::take(count))));
    }
}

/// Appends what was left out of a list of counted items, the highest counts first.
fn push_labels(text: &mut String, labels: &mut Vec<&(String, u64)>) {
    if labels.is_empty() {
        return;
    }
    labels.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut line = format!("… {} more: ", grouped(labels.len() as u64));
    let mut separator = "";
    for (label, _) in labels.drain(..) {
        if line.len() + label.len() > MAX_LABELS_BYTES {
            line.push_str(separator);
            line.push('…');
            break;
        }
        line.push_str(separator);
        line.push_str(label);
        separator = ", ";
    }
    text.push_str(&line);
    text.push('\n');
}

impl Report {
    /// Appends the facts of another report.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.facts.extend(other.facts);
        self.quotes = Quotes::Default;
        self.facts_share = self.facts_share.max(other.facts_share);
        self.tests = match (self.tests, other.tests) {
            (Some(_), Some(_)) => None,
            (one, two) => one.or(two),
        };
        self.failing = match (self.failing, other.failing) {
            (Some(one), Some(two)) => Some(one || two),
            (one, two) => one.or(two),
        };
        self
    }
}
