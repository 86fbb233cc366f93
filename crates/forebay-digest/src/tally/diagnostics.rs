//! Counts the diagnostics of compilers and linters.

use forebay_text::cut;
use forebay_text::number::{counted, grouped};

use super::{RuleTraits, ValueCounts, is_cosmetic, sort_rules};
use crate::hash::HashMap;
use crate::location::{self, LocatedMessage};
use crate::recognizers::{Mark, Quotes, Report, ReportContext};

/// Length of the longest word for a severity.
const MAX_SEVERITY_BYTES: usize = 11;

/// Severity of a diagnostic, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    /// Parses the severity that a word names.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let word = word.trim_matches([':', '[', ']', '(', ')']);
        if word.len() > MAX_SEVERITY_BYTES {
            return None;
        }
        match word.to_ascii_lowercase().as_str() {
            "error" | "err" | "fatal" => Some(Self::Error),
            "warning" | "warn" => Some(Self::Warning),
            "note" | "info" | "information" | "style" | "performance" | "portability" | "help"
            | "hint" => Some(Self::Note),
            _ => None,
        }
    }
}

/// A diagnostic with its file.
#[derive(Debug)]
pub(crate) struct Diagnostic<'a> {
    pub(crate) path: &'a str,
    pub(crate) severity: Severity,
    /// The rule code, or the message without its variable parts.
    pub(crate) kind: String,
    /// The place as the tool writes it.
    place: &'a str,
    /// The message, if the kind is a rule.
    rule_message: Option<&'a str>,
}

impl<'a> Diagnostic<'a> {
    /// Parses `path:3:5: error: message [code]`, `path:3:5: F401 message` and similar lines.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        // `path:[3,5]` is Maven's, which has a recognizer of its own.
        let message = location::located_message(line)
            .filter(|message| !line[message.path.len()..].starts_with(":["))
            .filter(|message| is_separated(line, message))?;
        let place = line[..line.len() - message.text.len()].trim_end_matches([' ', '-', ':']);
        let Class { severity, kind, rule_message } = classify(&message)?;
        Some(Self { path: message.path, severity, kind, place, rule_message })
    }

    /// Returns true for `path:3:5: F401 message`, which has no word that says what it is.
    pub(crate) fn names_rule(line: &str) -> bool {
        let located = location::located_message(line);
        let first_word = located.and_then(|located| located.text.split(' ').next());
        first_word.is_some_and(|word| is_rule_code(word.trim_end_matches(':')))
    }
}

/// Returns true unless only blanks separate message and place: so do linters with a recognizer for all of them.
fn is_separated(line: &str, message: &LocatedMessage<'_>) -> bool {
    let place = line[..line.len() - message.text.len()].trim_end();
    !place.ends_with(|c: char| c.is_ascii_digit())
}

/// What a message says about a diagnostic.
struct Class<'a> {
    severity: Severity,
    kind: String,
    rule_message: Option<&'a str>,
}

impl<'a> Class<'a> {
    fn from_rule(severity: Severity, rule: &str, message: &'a str) -> Self {
        Self { severity, kind: rule.to_owned(), rule_message: Some(message) }
    }

    fn from_message(severity: Severity, message: &str) -> Self {
        Self { severity, kind: normalize_message(message), rule_message: None }
    }
}

fn classify<'a>(located: &LocatedMessage<'a>) -> Option<Class<'a>> {
    if let Some(message) = located.text.strip_prefix("fatal error: ") {
        return Some(Class::from_message(Severity::Error, message));
    }
    let (first, message) = located.text.split_once(' ').unwrap_or((located.text, ""));
    if let Some((severity, code)) = with_code(first) {
        return Some(Class::from_rule(severity, code, message));
    }
    if let Some(severity) = Severity::from_word(first) {
        let rule = trailing_rule(message).or_else(|| leading_rule_code(message));
        return match rule {
            Some((rule, message)) => Some(Class::from_rule(severity, rule, message)),
            // A note explains the previous diagnostic.
            None if severity == Severity::Note => None,
            None => Some(Class::from_message(severity, message)),
        };
    }
    let rule = first.trim_end_matches(':');
    if is_rule_code(rule) {
        return Some(classify_code(rule, message));
    }
    // `go vet` and `go build` print no severity.
    let is_go = located.path.rsplit('.').next() == Some("go");
    (is_go && !located.text.is_empty()).then(|| Class::from_message(Severity::Error, located.text))
}

/// Rates a diagnostic that starts with a code. Pylint appends the name of the rule; the letter of its code is the severity.
fn classify_code<'a>(code: &str, message: &'a str) -> Class<'a> {
    let named = message.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let named = named.filter(|(_, name)| name.contains('-') && !name.contains(' '));
    let severity = match (named, code.as_bytes()[0]) {
        (Some(_), b'C' | b'R' | b'I') => Severity::Note,
        (Some(_), b'W') => Severity::Warning,
        (None, b'C' | b'R' | b'I' | b'W') if code.len() == 5 => Severity::Note,
        _ => Severity::Error,
    };
    let (message, name) = named.unwrap_or((message, code));
    Class::from_rule(severity, name, message)
}

/// Parses `error[E0308]:` of rustc's short format.
fn with_code(word: &str) -> Option<(Severity, &str)> {
    let (severity, code) = word.strip_suffix("]:")?.split_once('[')?;
    Some((Severity::from_word(severity)?, code))
}

/// Splits off the rule at the end: `message [-Wunused]`, `message [assignment]`.
fn trailing_rule(text: &str) -> Option<(&str, &str)> {
    let (message, rule) = text.strip_suffix(']')?.rsplit_once('[')?;
    (!rule.contains(' ')).then_some((rule, message))
}

fn leading_rule_code(text: &str) -> Option<(&str, &str)> {
    let (first, message) = text.split_once(' ').unwrap_or((text, ""));
    let code = first.trim_end_matches(':');
    is_rule_code(code).then_some((code, message))
}

/// Returns true for `F401`, `E501`, `TS2345`, `C0114`, `PLR0913`.
pub(crate) fn is_rule_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    (1..=4).contains(&letters)
        && (3..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes variable parts of a message: text after a colon, words with digits.
fn normalize_message(message: &str) -> String {
    let message = match message.split_once(": ") {
        Some((before, _)) if before.contains(' ') => before,
        _ => message,
    };
    let words = message.split(' ').take(12);
    let plain: Vec<&str> = words
        .map(|word| if word.bytes().any(|byte| byte.is_ascii_digit()) { "#" } else { word })
        .collect();
    cut::one_line(&plain.join(" "), 64)
}

/// Maximum number of rules that are listed; the findings of further ones are counted together.
const MAX_RULES: usize = 512;

/// Bytes shown of the first finding of a rule, and of its message at least.
const MAX_RULE_BYTES: usize = 140;
const MIN_MESSAGE_BYTES: usize = 40;

/// Weights of the summary, the kinds without a place, the first rules, the files, and further rules.
const SUMMARY_WEIGHT: u32 = 95;
const KINDS_WEIGHT: u32 = 85;
const FIRST_RULES_WEIGHT: u32 = 84;
const FILES_WEIGHT: u32 = 75;
const FURTHER_RULES_WEIGHT: u32 = 74;

/// Number of rules that matter more than the list of files.
const FIRST_RULES: usize = 6;

/// Percentage of the budget for facts if most lines are about findings.
const FACTS_SHARE: usize = 90;

/// Tools that quote code below a finding print about this many lines for each.
const MAX_LINES_PER_FINDING: u64 = 8;

/// Lists the severities that occur: `3 errors`, `1 warning`.
pub(crate) fn list_severities(errors: u64, warnings: u64, notes: u64) -> Vec<String> {
    let known = [(errors, "error"), (warnings, "warning"), (notes, "note")];
    let occurring = known.iter().filter(|(count, _)| *count > 0);
    occurring.map(|(count, noun)| counted(*count, noun)).collect()
}

/// The place and the message of a finding that names its rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleFinding<'a> {
    pub(crate) rule: &'a str,
    /// `path:line` or `path:line:column`.
    pub(crate) place: &'a str,
    pub(crate) message: &'a str,
}

/// Returns `F401: 3`, or the name alone if it has one finding.
pub(crate) fn label_rule(name: &str, count: u64) -> String {
    match count {
        1 => name.to_owned(),
        count => format!("{name}: {}", grouped(count)),
    }
}

/// Returns `F401: 3, a.py:1 message`, or `F401 a.py:1 message` for one finding. The label is that of [`label_rule`].
pub(crate) fn describe_rule(label: &str, count: u64, place: &str, message: &str) -> String {
    let separator = if count > 1 { "," } else { "" };
    let blank = if place.is_empty() { "" } else { " " };
    format!("{label}{separator}{blank}{place} {message}")
}

/// A rule with its first finding.
#[derive(Debug)]
struct Rule {
    name: String,
    count: u64,
    /// The worst of its findings.
    severity: Severity,
    place: String,
    message: String,
    is_cosmetic: bool,
}

impl Rule {
    fn traits(&self, order: usize) -> RuleTraits<'_> {
        let rank = self.severity as u8;
        RuleTraits { name: &self.name, message: &self.message, rank, count: self.count, order }
    }

    /// Returns `F401: 3`.
    fn label(&self) -> String {
        label_rule(&self.name, self.count)
    }

    fn describe(&self) -> String {
        if self.message.is_empty() {
            return format!("{} {}", self.place, self.label()).trim_start().to_owned();
        }
        let label = self.label();
        let message_bytes =
            MAX_RULE_BYTES.saturating_sub(label.len() + self.place.len()).max(MIN_MESSAGE_BYTES);
        let message = cut::one_line(&self.message, message_bytes);
        describe_rule(&label, self.count, &self.place, &message)
    }
}

/// Diagnostics counted by severity, rule or kind, and file.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: u64,
    warnings: u64,
    notes: u64,
    /// Rules in order of their first finding, with their position by name.
    rules: Vec<Rule>,
    rule_indices: HashMap<String, usize>,
    /// Findings of further rules.
    more_rules: u64,
    /// Kinds of errors, and of warnings and notes, that name no rule or come without a message.
    error_kinds: ValueCounts,
    other_kinds: ValueCounts,
    files: ValueCounts,
    /// Number of diagnostics without a file.
    unlocated: u64,
    /// Number of errors reported by the tool itself.
    pub(crate) reported_errors: Option<u64>,
}

impl Diagnostics {
    /// Counts a diagnostic with a path, by its rule if it has one. What an option of a compiler enables is counted by kind,
    /// because the code below it is quoted.
    pub(crate) fn add_diagnostic(&mut self, diagnostic: &Diagnostic<'_>) -> Mark {
        let Diagnostic { path, severity, kind, place, rule_message } = diagnostic;
        match rule_message {
            Some(message) if !kind.starts_with('-') => {
                let finding = RuleFinding { rule: kind, place, message };
                self.add_finding(*severity, path, finding)
            }
            _ => self.add(*severity, path, kind),
        }
    }

    /// Counts a finding of a rule. The first one is stated as a fact, so the others are better quoted.
    pub(crate) fn add_finding(
        &mut self,
        severity: Severity,
        path: &str,
        finding: RuleFinding<'_>,
    ) -> Mark {
        self.count(severity, path);
        let RuleFinding { rule: name, place, message } = finding;
        // A syntax error that breaks no rule is listed by its message.
        let name = if name.is_empty() { message } else { name };
        let (first, further) = match severity {
            Severity::Error => (Mark::Weight(12), Mark::Weight(45)),
            Severity::Warning => (Mark::Weight(12), Mark::Weight(14)),
            Severity::Note => (Mark::Weight(6), Mark::Weight(8)),
        };
        if let Some(index) = self.rule_indices.get(name) {
            let rule = &mut self.rules[*index];
            rule.count += 1;
            rule.severity = rule.severity.min(severity);
            return if rule.is_cosmetic { Mark::Weight(8) } else { further };
        }
        if self.rules.len() == MAX_RULES {
            self.more_rules += 1;
            return further;
        }
        self.rule_indices.insert(name.to_owned(), self.rules.len());
        let place = if path.is_empty() { "" } else { place };
        self.rules.push(Rule {
            name: cut::one_line(name, MAX_RULE_BYTES),
            count: 1,
            severity,
            place: place.to_owned(),
            is_cosmetic: is_cosmetic(name, message),
            message: if name == message {
                String::new()
            } else {
                cut::one_line(message.trim(), MAX_RULE_BYTES)
            },
        });
        first
    }

    /// Counts a diagnostic by its kind; the first of its kind gets a higher mark.
    pub(crate) fn add(&mut self, severity: Severity, path: &str, kind: &str) -> Mark {
        self.count(severity, path);
        let kinds =
            if severity == Severity::Error { &mut self.error_kinds } else { &mut self.other_kinds };
        let new = kinds.count_of(kind) == 0;
        if !kind.is_empty() {
            kinds.add(kind);
        }
        let (first, further) = match severity {
            Severity::Error => (Mark::FAILURE, Mark::Weight(45)),
            Severity::Warning => (Mark::Weight(25), Mark::Weight(14)),
            Severity::Note => (Mark::Weight(14), Mark::Weight(8)),
        };
        if new { first } else { further }
    }

    fn count(&mut self, severity: Severity, path: &str) {
        if path.is_empty() {
            self.unlocated += 1;
        } else {
            self.files.add(path);
        }
        *match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        } += 1;
    }

    fn total(&self) -> u64 {
        self.errors + self.warnings + self.notes
    }

    /// Reports the counts; without a summary if the tool reported another number.
    pub(crate) fn report(mut self, tool: &str, context: &ReportContext) -> Option<Report> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let mut report = self.new_report(context);
        let is_consistent = self
            .reported_errors
            .is_none_or(|reported| reported == self.errors || reported == total);
        if is_consistent {
            report.add(
                SUMMARY_WEIGHT,
                format!("{tool}: {}{}", self.counts(total), self.file_count()),
            );
        }
        self.count_unlisted_rules();
        for (name, kinds) in [("errors", &self.error_kinds), ("others", &self.other_kinds)] {
            if kinds.distinct() > 1 || kinds.total() > 2 {
                report.add(KINDS_WEIGHT, format!("{name} by kind: {}", kinds.list(10)));
            }
        }
        // Diagnostics without a file may belong to any of them.
        let is_informative = (2..self.files.total()).contains(&(self.files.distinct() as u64));
        if is_informative && self.unlocated == 0 {
            report.add(FILES_WEIGHT, format!("by file: {}", self.files.list(8)));
        }
        self.add_rules(&mut report);
        if self.more_rules > 0 {
            let findings = counted(self.more_rules, "finding");
            report.add(FURTHER_RULES_WEIGHT, format!("{findings} of further rules"));
        }
        Some(report)
    }

    /// Gives the list of rules most of the space where the text is little else.
    fn new_report(&self, context: &ReportContext) -> Report {
        let covers = |lines_per_finding: u64| {
            self.rules_are_all() && self.total().saturating_mul(lines_per_finding) >= context.lines
        };
        let quotes = if covers(2) { Quotes::Marked } else { Quotes::Default };
        let mut report = Report::new(quotes).failing(self.errors > 0);
        if covers(MAX_LINES_PER_FINDING) {
            report.facts_share = FACTS_SHARE;
        }
        report
    }

    fn rules_are_all(&self) -> bool {
        self.error_kinds.is_empty() && self.other_kinds.is_empty()
    }

    /// Counts rules like kinds unless they are listed: beside errors that name no rule, only rules of errors are.
    fn count_unlisted_rules(&mut self) {
        if self.rules_are_all() {
            return;
        }
        let other_kinds = &mut self.other_kinds;
        self.rules.retain(|rule| {
            let is_listed = rule.severity == Severity::Error;
            if !is_listed {
                other_kinds.add_many(&rule.name, rule.count);
            }
            is_listed
        });
    }

    /// Adds the rules, each with its first finding, the most important ones first.
    fn add_rules(&self, report: &mut Report) {
        let mut rules: Vec<(usize, &Rule)> = self.rules.iter().enumerate().collect();
        sort_rules(&mut rules, |(order, rule)| rule.traits(*order));
        let weights = (0..=FIRST_RULES_WEIGHT).rev().take(FIRST_RULES);
        let weights = weights.chain((1..=FURTHER_RULES_WEIGHT).rev()).chain(std::iter::repeat(1));
        for ((_, rule), weight) in rules.into_iter().zip(weights) {
            report.add_counted_item(weight, rule.describe(), (rule.label(), rule.count));
        }
    }

    fn counts(&self, total: u64) -> String {
        let counts = list_severities(self.errors, self.warnings, self.notes);
        let findings = if counts.len() > 1 {
            format!(" ({})", counted(total, "finding"))
        } else {
            String::new()
        };
        format!("{}{findings}", counts.join(", "))
    }

    fn file_count(&self) -> String {
        if self.files.is_empty() || self.unlocated > 0 {
            return String::new();
        }
        format!(" in {}", self.files.distinct_with_noun("file"))
    }
}
