//! rustc and clippy: errors and warnings by code and file, with locations.

use forebay_text::cut;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::hash::HashSet;
use crate::lines::Line;
use crate::location;
use crate::tally::{Diagnostics, Severity, ValueCounts};

pub(super) const FORMAT: Format = Format {
    name: "rustc, clippy",
    keeps: "errors and warnings by code and file; each error with its location and context",
    commands: &["cargo build", "cargo check", "cargo clippy", "cargo run", "rustc"],
    scope: Scope::Embedded(&["\"reason\":\"compiler-", "error[E", " --> ", "error: ", "warning: "]),
    create: || Box::<Rustc>::default(),
};

/// Maximum number of kinds tracked.
const MAX_KINDS: usize = 500;

#[derive(Debug, Default)]
struct Rustc {
    diagnostics: Diagnostics,
    kinds: HashSet<String>,
    /// Errors of JSON messages, with their locations.
    listed_errors: Vec<String>,
    /// Counts JSON messages by reason.
    reasons: ValueCounts,
    succeeded: Option<bool>,
    /// The current diagnostic; a later line may name its lint.
    pending: Option<PendingDiagnostic>,
}

#[derive(Debug)]
struct PendingDiagnostic {
    severity: Severity,
    kind: String,
    path: String,
}

impl Recognizer for Rustc {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        let trimmed = text.trim_start();
        if text.starts_with("{\"reason\":\"") {
            return self.json_message(text);
        }
        if let Some(location) = trimmed.strip_prefix("--> ") {
            return self.add_location(location);
        }
        if let Some((severity, kind)) = headline(text) {
            return self.add_diagnostic(text, severity, kind);
        }
        let is_error =
            self.pending.as_ref().is_some_and(|pending| pending.severity == Severity::Error);
        if let Some(pending) = &mut self.pending
            && let Some(lint) = clippy_lint(trimmed)
        {
            lint.clone_into(&mut pending.kind);
            return Mark::Noise;
        }
        match () {
            () if trimmed.starts_with("= note: `#[") || trimmed == "|" => Mark::Noise,
            () if is_error && text.contains(" | ") => Mark::DETAIL,
            () => Mark::Plain,
        }
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.finish_diagnostic();
        let mut report = match self.diagnostics.report("rustc", context) {
            None if self.reasons.is_empty() => return None,
            None => Report::new(Quotes::Default),
            Some(report) => report,
        };
        if !self.reasons.is_empty() {
            report.facts_share = 95;
            let success =
                self.succeeded.map(|success| format!("; success: {success}")).unwrap_or_default();
            report.add(
                92,
                format!(
                    "JSON lines: {} objects: {}{success}",
                    self.reasons.total(),
                    self.reasons.list(6)
                ),
            );
        }
        for (index, error) in self.listed_errors.into_iter().enumerate() {
            report.add_item(90 - index as u32, error);
        }
        Some(report)
    }
}

/// Maximum number of errors listed with their locations.
const MAX_LISTED_ERRORS: usize = 20;

impl Rustc {
    /// Handles a line of `--message-format=json`, whose field `rendered` contains the diagnostic.
    fn json_message(&mut self, line: &str) -> Mark {
        let reason = line.split('"').nth(3).unwrap_or_default();
        self.reasons.add(reason);
        if reason == "build-finished" {
            self.succeeded = Some(line.contains("\"success\":true"));
        }
        let Some((_, rendered)) = line.split_once("\"rendered\":\"") else { return Mark::Noise };
        let mut lines = rendered.split("\\n");
        let first = lines.next().unwrap_or_default();
        let location =
            lines.find_map(|line| line.trim_start().strip_prefix("--> ")).unwrap_or_default();
        // The short format puts the location before the message.
        let (headline_text, location) = match location::located_message(first) {
            Some(message) => (message.text, &first[..first.len() - message.text.len()]),
            None => (first, location),
        };
        let Some((severity, kind)) = headline(headline_text) else { return Mark::Noise };
        let code =
            line.split_once("\"code\":{\"code\":\"").and_then(|(_, code)| code.split('"').next());
        self.add_diagnostic(headline_text, severity, code.unwrap_or(kind));
        self.add_location(location);
        if severity == Severity::Error
            && self.pending.is_some()
            && self.listed_errors.len() < MAX_LISTED_ERRORS
        {
            let shown = headline_text.split("\",\"").next().unwrap_or(headline_text);
            self.listed_errors.push(cut::one_line(
                &format!("{} {shown}", location.trim_end_matches([' ', ':'])),
                160,
            ));
        }
        self.finish_diagnostic();
        Mark::Noise
    }

    fn add_diagnostic(&mut self, text: &str, severity: Severity, kind: &str) -> Mark {
        let first = !self.kinds.contains(kind);
        self.finish_diagnostic();
        let is_summary = [
            "could not compile",
            " generated ",
            "aborting due to",
            " emitted",
            "test failed",
            "test run failed",
            "target failed",
            "targets failed",
            "process didn't exit",
        ]
        .iter()
        .any(|part| text.contains(part));
        if is_summary {
            return if severity == Severity::Error { Mark::OUTCOME } else { Mark::NOTABLE };
        }
        self.pending =
            Some(PendingDiagnostic { severity, kind: kind.to_owned(), path: String::new() });
        match (severity, first) {
            (Severity::Error, true) => Mark::FAILURE,
            (Severity::Error, false) => Mark::Weight(45),
            (_, true) => Mark::Weight(25),
            (_, false) => Mark::Weight(14),
        }
    }

    /// Counts the current diagnostic, whose kind is now known.
    fn finish_diagnostic(&mut self) {
        // Other tools print `error: ` too, but without codes or locations.
        let is_own = |pending: &PendingDiagnostic| {
            !pending.path.is_empty() || pending.kind.starts_with("E0")
        };
        if let Some(PendingDiagnostic { severity, kind, path }) = self.pending.take().filter(is_own)
        {
            self.diagnostics.add(severity, &path, &kind);
            if self.kinds.len() < MAX_KINDS {
                self.kinds.insert(kind);
            }
        }
    }

    fn add_location(&mut self, text: &str) -> Mark {
        let Some(pending) = &mut self.pending else { return Mark::Plain };
        let Some(message) = location::located_message(text) else { return Mark::Plain };
        if !is_rust_source(message.path) {
            // Other tools print diagnostics of this form about other languages. One that has its place
            // is complete.
            if pending.path.is_empty() {
                self.pending = None;
            }
            return Mark::Plain;
        }
        if pending.path.is_empty() {
            message.path.clone_into(&mut pending.path);
        }
        if pending.severity == Severity::Error { Mark::REASON } else { Mark::Weight(14) }
    }
}

/// Returns true for a line of `--message-format=json`, which only this recognizer reads.
pub(super) fn is_json_message(line: &str) -> bool {
    let reason = line.strip_prefix("{\"reason\":\"");
    reason.is_some_and(|reason| reason.starts_with("compiler-") || reason.starts_with("build-"))
}

/// Returns true for a file that rustc or cargo reports on.
fn is_rust_source(path: &str) -> bool {
    [".rs", ".toml", ".md"].iter().any(|extension| path.ends_with(extension))
        || path.starts_with('<')
}

/// Returns the lint of `= help: ... index.html#needless_return`, which clippy prints below each
/// diagnostic.
fn clippy_lint(text: &str) -> Option<&str> {
    let (before, lint) = text.split_once("/index.html#")?;
    before.contains("clippy").then_some(lint)
}

/// Parses `error[E0308]: text`, `warning: text`; the kind is the code in brackets, or the start of
/// the text.
fn headline(text: &str) -> Option<(Severity, &str)> {
    let (severity, rest) = match text {
        _ if text.starts_with("error") => (Severity::Error, &text[5..]),
        _ if text.starts_with("warning") => (Severity::Warning, &text[7..]),
        _ => return None,
    };
    if let Some((code, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return Some((severity, code));
    }
    let message = rest.strip_prefix(": ")?;
    Some((severity, message.split(['`', ':']).next().unwrap_or(message).trim()))
}
