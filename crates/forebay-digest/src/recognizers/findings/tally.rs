//! Counts findings by rule and file, and keeps the first of each rule.

use forebay_text::cut;
use forebay_text::number::counted;

use super::line::{self, Finding};
use crate::hash::HashMap;
use crate::recognizers::{Quotes, Report};
use crate::tally::{
    RuleTraits, Severity, ValueCounts, describe_rule, label_rule, list_severities, sort_rules,
};

/// Maximum number of rules; the findings of further ones are counted in the total only.
const MAX_RULES: usize = 512;

/// More totals are those of several runs.
const MAX_REPORTED: usize = 16;

/// Bytes shown of a finding.
const MAX_EXAMPLE_BYTES: usize = 150;

/// Bytes shown of the name of a rule.
const MAX_LABEL_BYTES: usize = 64;

/// Number of files in their list.
const MAX_LISTED_FILES: usize = 6;

/// Weights of the facts: the tool's own summary, the total, then rules above and below the files.
const SUMMARY_WEIGHT: u32 = 96;
const TOTAL_WEIGHT: u32 = 95;
const RATINGS_WEIGHT: u32 = 90;
pub(super) const PRINTED_TOTALS_WEIGHT: u32 = 91;
const EXAMPLE_WEIGHT: u32 = 80;
const FILES_WEIGHT: u32 = 75;

/// Folders that all files have in common are stated once if their names are at least this long.
const MIN_SHARED_BYTES: usize = 6;

/// A finding of which further lines may follow.
#[derive(Debug)]
pub(super) struct OwnedFinding {
    pub(super) place: String,
    pub(super) severity: Option<Severity>,
    pub(super) rule: String,
    pub(super) message: String,
    /// The severity in the tool's own words, from a field of its own.
    pub(super) rating: String,
}

impl From<&Finding<'_>> for OwnedFinding {
    fn from(finding: &Finding<'_>) -> Self {
        Self {
            place: finding.place.to_owned(),
            severity: finding.severity,
            rule: finding.rule.to_owned(),
            message: finding.message.to_owned(),
            rating: String::new(),
        }
    }
}

impl OwnedFinding {
    /// Adds the rest of a message; the rule may stand at its end.
    pub(super) fn extend(&mut self, text: &str) {
        if !self.rule.is_empty() {
            return;
        }
        let (rule, rest) = line::rule(text.trim_start_matches([' ', '|']));
        rule.clone_into(&mut self.rule);
        if self.message.len() < MAX_EXAMPLE_BYTES {
            self.message.push(' ');
            self.message.push_str(rest);
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct FindingCounts {
    errors: u64,
    warnings: u64,
    notes: u64,
    /// The tool tells no severity.
    unrated: u64,
    rules: HashMap<String, Rule>,
    /// Findings of rules that were not kept.
    more_rules: u64,
    files: ValueCounts,
    /// Findings of an unknown file.
    unlocated: u64,
    ratings: ValueCounts,
    /// The numbers of findings according to the tool.
    reported: Vec<u64>,
    /// The line that tells the last one.
    summary: String,
    /// Findings that were not understood.
    pub(super) unknown: u64,
}

#[derive(Debug)]
struct Rule {
    order: usize,
    count: u64,
    severity: Option<Severity>,
    rating: String,
    path: String,
    place: String,
    message: String,
}

impl FindingCounts {
    pub(super) fn add(&mut self, path: &str, finding: &OwnedFinding) {
        *match finding.severity {
            Some(Severity::Error) => &mut self.errors,
            Some(Severity::Warning) => &mut self.warnings,
            Some(Severity::Note) => &mut self.notes,
            None => &mut self.unrated,
        } += 1;
        if path.is_empty() {
            self.unlocated += 1;
        } else {
            self.files.add(path);
        }
        if !finding.rating.is_empty() {
            self.ratings.add(&finding.rating);
        }
        let name = if finding.rule.is_empty() { &finding.message } else { &finding.rule };
        if let Some(rule) = self.rules.get_mut(name) {
            rule.count += 1;
            return;
        }
        if self.rules.len() == MAX_RULES {
            self.more_rules += 1;
            return;
        }
        let rule = Rule {
            order: self.rules.len(),
            count: 1,
            severity: finding.severity,
            rating: finding.rating.clone(),
            path: path.to_owned(),
            place: finding.place.clone(),
            message: cut::one_line(&finding.message, MAX_EXAMPLE_BYTES),
        };
        self.rules.insert(name.to_owned(), rule);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Takes the number of findings that the tool tells.
    pub(super) fn add_reported(&mut self, total: u64, summary: &str) {
        if self.reported.len() < MAX_REPORTED {
            self.reported.push(total);
        }
        self.summary = cut::one_line(summary.trim(), MAX_EXAMPLE_BYTES);
    }

    pub(super) fn report(&self) -> Option<Report> {
        if self.total() == 0 {
            return None;
        }
        let is_consistent = self.is_consistent();
        // The folder is stated with the counts.
        let shared = if is_consistent { self.shared_folder() } else { "" };
        let mut report = Report::new(Quotes::Marked).failing(self.errors + self.unrated > 0);
        report.facts_share = 100;
        report.add(SUMMARY_WEIGHT, self.summary.clone());
        if is_consistent {
            self.add_counts(&mut report, shared);
        }
        for (index, (name, rule)) in self.severe_and_rare_first().into_iter().enumerate() {
            let weight = EXAMPLE_WEIGHT.saturating_sub(index as u32).max(1);
            // A number that differs from the tool's own is not stated.
            let count = if is_consistent { rule.count } else { 1 };
            let label = label_rule(&cut::one_line(name, MAX_LABEL_BYTES), count);
            let text = example((name, count), &label, rule, shared);
            report.add_counted_item(weight, text, (label, count));
        }
        report.add_unlisted(self.more_rules);
        Some(report)
    }

    /// Returns true unless the tool tells another number of findings: that of all, or each that of a part of them.
    fn is_consistent(&self) -> bool {
        let known = [self.total(), self.errors, self.errors + self.warnings];
        let is_known = |reported: u64| known.contains(&reported);
        match self.reported.as_slice() {
            [] => self.unknown == 0,
            reported => {
                is_known(reported.iter().sum()) || reported.iter().all(|one| *one == self.total())
            }
        }
    }

    fn add_counts(&self, report: &mut Report, shared: &str) {
        let below = if shared.is_empty() { String::new() } else { format!(" below {shared}") };
        let files = match self.unlocated {
            0 => format!(" in {}{below}", self.files.distinct_with_noun("file")),
            _ => below,
        };
        let findings = counted(self.total(), "finding");
        report.add(TOTAL_WEIGHT, format!("{findings}{}{files}", self.by_severity()));
        if self.ratings.distinct() > 1 && self.ratings.total() == self.total() {
            report.add(RATINGS_WEIGHT, format!("by severity: {}", self.ratings.list(6)));
        }
        if self.files.distinct() > 1 && self.unlocated == 0 {
            report.add(FILES_WEIGHT, format!("by file: {}", self.list_files(shared)));
        }
    }

    fn total(&self) -> u64 {
        self.errors + self.warnings + self.notes + self.unrated
    }

    /// Returns ` (3 errors, 2 warnings)` if the tool tells severities.
    fn by_severity(&self) -> String {
        let counts = list_severities(self.errors, self.warnings, self.notes);
        if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
    }

    fn list_files(&self, shared: &str) -> String {
        let mut files = ValueCounts::default();
        for (path, count) in self.files.ranked() {
            files.add_many(path.strip_prefix(shared).unwrap_or(path), count);
        }
        files.list(MAX_LISTED_FILES)
    }

    fn severe_and_rare_first(&self) -> Vec<(&String, &Rule)> {
        let rank = |rule: &Rule| match rule.severity {
            _ if !rule.rating.is_empty() => rank_of_rating(&rule.rating).unwrap_or(1),
            Some(Severity::Error) => 0,
            None | Some(Severity::Warning) => 1,
            Some(Severity::Note) => 2,
        };
        let mut rules: Vec<(&String, &Rule)> = self.rules.iter().collect();
        sort_rules(&mut rules, |(name, rule)| RuleTraits {
            name: name.as_str(),
            message: &rule.message,
            rank: rank(rule),
            count: rule.count,
            order: rule.order,
        });
        rules
    }

    /// Returns the folder that contains all files, with its final slash.
    fn shared_folder(&self) -> &str {
        let files = self.files.ranked();
        let Some((first, _)) = files.first() else { return "" };
        let shared = files.iter().fold(*first, |shared, (path, _)| {
            let equal = shared.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
            cut::prefix(shared, equal)
        });
        let folder = shared.rfind('/').map_or("", |slash| &shared[..=slash]);
        if folder.len() >= MIN_SHARED_BYTES { folder } else { "" }
    }
}

/// Returns the place of a rating in the order of severity, the worst first.
fn rank_of_rating(rating: &str) -> Option<u8> {
    match rating.to_ascii_lowercase().as_str() {
        "critical" | "high" | "error" | "blocker" => Some(0),
        "medium" | "moderate" | "warning" | "major" => Some(1),
        "low" | "info" | "minor" | "note" => Some(2),
        _ => None,
    }
}

/// Returns `F401: 3, a.py:3 message`, or `a.py:3 message: 3` if the tool names no rule.
fn example((name, count): (&str, u64), label: &str, rule: &Rule, shared: &str) -> String {
    let Rule { path, place, message, .. } = rule;
    let path = path.strip_prefix(shared).unwrap_or(path);
    let is_named = name != message && !name.starts_with(message.as_str());
    let label_bytes = if is_named { label.len() } else { 0 };
    let message =
        cut::one_line(message, MAX_EXAMPLE_BYTES.saturating_sub(path.len() + label_bytes).max(40));
    if !is_named {
        return format!("{path}:{place} {}", label_rule(&message, count));
    }
    describe_rule(label, count, &format!("{path}:{place}"), &message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_without_a_rule_has_its_whole_message() {
        let message =
            "this message of a tool that names no rule is longer than the name of any rule";
        let finding = OwnedFinding {
            place: "3".to_owned(),
            severity: Some(Severity::Error),
            rule: String::new(),
            message: message.to_owned(),
            rating: String::new(),
        };
        let mut counts = FindingCounts::default();
        counts.add("a.py", &finding);
        counts.add("a.py", &finding);
        let facts = counts.report().map(|report| report.facts).unwrap_or_default();
        let last = facts.last().map(|fact| fact.text.as_str());
        assert_eq!(last, Some(format!("a.py:3 {message}: 2").as_str()));
    }
}
