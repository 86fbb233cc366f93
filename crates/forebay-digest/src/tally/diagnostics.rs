//! What compilers and linters complain about.

use forebay_domain::text::number::counted;

use super::Tops;
use crate::recognizers::{Mark, Quotes, Report};

/// How bad a complaint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    /// The severity a word names.
    pub(crate) fn of(word: &str) -> Option<Self> {
        match word.trim_matches([':', '[', ']', '(', ')']).to_ascii_lowercase().as_str() {
            "error" | "err" | "fatal" => Some(Self::Error),
            "warning" | "warn" => Some(Self::Warning),
            "note" | "info" | "style" | "help" | "hint" => Some(Self::Note),
            _ => None,
        }
    }
}

/// Complaints counted by severity, code and file.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: u64,
    warnings: u64,
    notes: u64,
    codes: Tops,
    files: Tops,
    /// What the tool itself says there are.
    pub(crate) said_errors: Option<u64>,
}

impl Diagnostics {
    /// Counts one; the first of its code matters more than the others.
    pub(crate) fn add(&mut self, severity: Severity, path: &str, code: &str) -> Mark {
        let new = code.is_empty() || self.codes.of(code) == 0;
        if !code.is_empty() {
            self.codes.add(code);
        }
        if !path.is_empty() {
            self.files.add(path);
        }
        match severity {
            Severity::Error => {
                self.errors += 1;
                if new { Mark::FAILURE } else { Mark::REASON }
            }
            Severity::Warning => {
                self.warnings += 1;
                Mark::Weight(if new { 25 } else { 14 })
            }
            Severity::Note => {
                self.notes += 1;
                Mark::Weight(if new { 20 } else { 10 })
            }
        }
    }

    /// The file of the last complaint, where it is told on a line of its own.
    pub(crate) fn in_file(&mut self, path: &str) {
        self.files.add(path);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors + self.warnings + self.notes == 0
    }

    /// The counts; without them where the tool itself counts otherwise.
    pub(crate) fn report(self, tool: &str) -> Option<Report> {
        if self.is_empty() {
            return None;
        }
        let mut report = Report::new(Quotes::Usual).failing(self.errors > 0);
        let all = self.errors + self.warnings + self.notes;
        let agrees = self.said_errors.is_none_or(|said| said == self.errors || said == all);
        if agrees {
            report.add(95, format!("{tool}: {}{}", self.counts(), self.place_counts()));
        }
        if self.codes.distinct() > 1 || self.codes.total() > 1 {
            report.add(85, format!("by kind: {}", self.codes.list(10)));
        }
        if self.files.distinct() > 1 {
            report.add(75, format!("by file: {}", self.files.list(8)));
        }
        Some(report)
    }

    fn counts(&self) -> String {
        let known = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let said = known.into_iter().filter(|(count, _)| *count > 0);
        said.map(|(count, noun)| counted(count, noun)).collect::<Vec<_>>().join(", ")
    }

    fn place_counts(&self) -> String {
        match self.files.distinct() as u64 {
            0 => String::new(),
            files => format!(" in {}", counted(files, "file")),
        }
    }
}
