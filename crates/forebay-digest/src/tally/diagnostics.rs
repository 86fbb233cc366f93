//! Counts the diagnostics of compilers and linters.

use forebay_text::cut;
use forebay_text::number::counted;

use super::ValueCounts;
use crate::location::{self, LocatedMessage};
use crate::recognizers::{Mark, Quotes, Report};

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    /// Parses the severity that a word names.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let word = word.trim_matches([':', '[', ']', '(', ')']);
        if word.len() > 7 {
            return None;
        }
        match word.to_ascii_lowercase().as_str() {
            "error" | "err" | "fatal" => Some(Self::Error),
            "warning" | "warn" => Some(Self::Warning),
            "note" | "info" | "style" | "help" | "hint" => Some(Self::Note),
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
}

impl<'a> Diagnostic<'a> {
    /// Parses `path:3:5: error: message [code]`, `path:3:5: F401 message` and similar lines.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        // `path:[3,5]` is Maven's, which has a recognizer of its own.
        let message = location::located_message(line)
            .filter(|message| !line[message.path.len()..].starts_with(":["))
            .filter(|message| is_separated(line, message))?;
        let (severity, kind) = classify(message)?;
        Some(Self { path: message.path, severity, kind })
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

fn classify(located: LocatedMessage<'_>) -> Option<(Severity, String)> {
    if let Some(message) = located.text.strip_prefix("fatal error: ") {
        return Some((Severity::Error, normalize_message(message)));
    }
    let (first, message) = located.text.split_once(' ').unwrap_or((located.text, ""));
    if let Some(coded) = with_code(first) {
        return Some(coded);
    }
    if let Some(severity) = Severity::from_word(first) {
        let code = bracketed(message).or_else(|| leading_rule_code(message));
        if severity == Severity::Note && code.is_none() {
            // A note explains the previous diagnostic.
            return None;
        }
        return Some((severity, code.map_or_else(|| normalize_message(message), str::to_owned)));
    }
    let rule = first.trim_end_matches(':');
    if is_rule_code(rule) {
        // Pylint appends the name of the rule; the letter of its code is the severity.
        let name =
            message.strip_suffix(')').and_then(|text| text.rsplit_once('(')).map(|(_, name)| name);
        let name = name.filter(|name| name.contains('-') && !name.contains(' '));
        let severity = match (name, rule.as_bytes()[0]) {
            (Some(_), b'C' | b'R' | b'I') => Severity::Note,
            (Some(_), b'W') => Severity::Warning,
            (None, b'C' | b'R' | b'I' | b'W') if rule.len() == 5 => Severity::Note,
            _ => Severity::Error,
        };
        return Some((severity, name.unwrap_or(rule).to_owned()));
    }
    // `go vet` and `go build` print no severity.
    let is_go = located.path.rsplit('.').next() == Some("go");
    (is_go && !located.text.is_empty()).then(|| (Severity::Error, normalize_message(located.text)))
}

/// Parses `error[E0308]:` of rustc's short format.
fn with_code(word: &str) -> Option<(Severity, String)> {
    let (severity, code) = word.strip_suffix("]:")?.split_once('[')?;
    Some((Severity::from_word(severity)?, code.to_owned()))
}

/// Returns the code at the end: `[-Wunused]`, `[assignment]`.
fn bracketed(text: &str) -> Option<&str> {
    let (_, code) = text.strip_suffix(']')?.rsplit_once('[')?;
    (!code.contains(' ')).then_some(code)
}

fn leading_rule_code(message: &str) -> Option<&str> {
    let code = message.split(' ').next()?.trim_end_matches(':');
    is_rule_code(code).then_some(code)
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

/// Number of kinds with an example, and of those that are reported.
const MAX_EXAMPLES: usize = 256;
const MAX_REPORTED_EXAMPLES: usize = 12;

/// Lists the severities that occur: `3 errors`, `1 warning`.
pub(crate) fn list_severities(errors: u64, warnings: u64, notes: u64) -> Vec<String> {
    let known = [(errors, "error"), (warnings, "warning"), (notes, "note")];
    let occurring = known.iter().filter(|(count, _)| *count > 0);
    occurring.map(|(count, noun)| counted(*count, noun)).collect()
}

/// The first diagnostic of a kind.
#[derive(Debug)]
struct Example {
    kind: String,
    text: String,
}

/// Diagnostics counted by severity, kind and file.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: u64,
    warnings: u64,
    notes: u64,
    /// Kinds of errors, and of warnings and notes.
    error_kinds: ValueCounts,
    other_kinds: ValueCounts,
    files: ValueCounts,
    /// The first diagnostic of each kind on one line, where the tool prints it on several.
    examples: Vec<Example>,
    /// Number of diagnostics without a file.
    unlocated: u64,
    /// Number of errors reported by the tool itself.
    pub(crate) reported_errors: Option<u64>,
}

impl Diagnostics {
    /// Counts a diagnostic; the first of its kind gets a higher mark.
    pub(crate) fn add(&mut self, severity: Severity, path: &str, kind: &str) -> Mark {
        if path.is_empty() {
            self.unlocated += 1;
        } else {
            self.files.add(path);
        }
        let kinds =
            if severity == Severity::Error { &mut self.error_kinds } else { &mut self.other_kinds };
        let new = kinds.count_of(kind) == 0;
        if !kind.is_empty() {
            kinds.add(kind);
        }
        let (count, first, further) = match severity {
            Severity::Error => (&mut self.errors, Mark::FAILURE, Mark::Weight(45)),
            Severity::Warning => (&mut self.warnings, Mark::Weight(25), Mark::Weight(14)),
            Severity::Note => (&mut self.notes, Mark::Weight(14), Mark::Weight(8)),
        };
        *count += 1;
        if new { first } else { further }
    }

    /// Keeps `path:line message` of the first diagnostic of a kind, if the output has no such line.
    pub(crate) fn add_example(&mut self, place: &str, kind: &str, message: &str) {
        let is_first = self.error_kinds.count_of(kind) + self.other_kinds.count_of(kind) <= 1;
        let is_located = !place.starts_with(':');
        if is_first && is_located && self.examples.len() < MAX_EXAMPLES {
            let text = cut::one_line(&format!("{place} {kind} {message}"), 140);
            self.examples.push(Example { kind: kind.to_owned(), text });
        }
    }

    /// Reports the counts; without a summary if the tool reported another number.
    pub(crate) fn report(self, tool: &str) -> Option<Report> {
        let total = self.errors + self.warnings + self.notes;
        if total == 0 {
            return None;
        }
        let mut report = Report::new(Quotes::Default).failing(self.errors > 0);
        let is_consistent = self
            .reported_errors
            .is_none_or(|reported| reported == self.errors || reported == total);
        if is_consistent {
            report.add(95, format!("{tool}: {}{}", self.counts(total), self.file_count()));
        }
        for (name, kinds) in [("errors", &self.error_kinds), ("others", &self.other_kinds)] {
            if kinds.distinct() > 1 || kinds.total() > 2 {
                report.add(85, format!("{name} by kind: {}", kinds.list(10)));
            }
        }
        // Diagnostics without a file may belong to any of them.
        if self.files.distinct() > 1 && self.unlocated == 0 {
            report.add(75, format!("by file: {}", self.files.list(8)));
        }
        let examples = self.severe_and_rare_examples();
        for (weight, example) in (0..74).rev().zip(examples.into_iter().take(MAX_REPORTED_EXAMPLES))
        {
            report.add(weight, example.text.clone());
        }
        Some(report)
    }

    /// Returns the examples of errors first, then those of rare kinds: a common kind is seen anyway.
    fn severe_and_rare_examples(&self) -> Vec<&Example> {
        let rarity = |example: &&Example| match self.error_kinds.count_of(&example.kind) {
            0 => (1, self.other_kinds.count_of(&example.kind)),
            errors => (0, errors),
        };
        let mut examples: Vec<&Example> = self.examples.iter().collect();
        examples.sort_by_key(rarity);
        examples
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
