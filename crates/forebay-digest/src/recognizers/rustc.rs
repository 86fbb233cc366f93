//! rustc and clippy: errors and warnings by code and file, each with its place.

use std::collections::HashSet;

use forebay_text::cut;

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Diagnostics, Severity, Tops};

pub(super) const FORMAT: Format = Format {
    name: "rustc, clippy",
    keeps: "errors and warnings by code and file; each error with its place and the lines below it",
    commands: &["cargo build", "cargo check", "cargo clippy", "cargo run", "rustc"],
    scope: Scope::Part(&["\"reason\":\"compiler-", "error[E", " --> ", "error: ", "warning: "]),
    start: || Box::<Rustc>::default(),
};

/// So many kinds are told apart.
const KINDS: usize = 500;

#[derive(Debug, Default)]
struct Rustc {
    found: Diagnostics,
    kinds: HashSet<String>,
    /// The errors of messages that are data, each with its place.
    told: Vec<String>,
    /// What the messages are about.
    reasons: Tops,
    succeeded: Option<bool>,
    /// The complaint above, and its kind until a line below names its lint.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    severity: Severity,
    kind: String,
    path: String,
}

impl Recognizer for Rustc {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        let trimmed = text.trim_start();
        if text.starts_with("{\"reason\":\"") {
            return self.message(text);
        }
        if let Some(place) = trimmed.strip_prefix("--> ") {
            return self.place(place);
        }
        if let Some((severity, kind)) = headline(text) {
            return self.complaint(text, severity, kind);
        }
        let is_error = self.open.as_ref().is_some_and(|open| open.severity == Severity::Error);
        if let Some(open) = &mut self.open
            && let Some(lint) = lint_named(trimmed)
        {
            lint.clone_into(&mut open.kind);
            return Mark::Noise;
        }
        match () {
            () if trimmed.starts_with("= note: `#[") || trimmed == "|" => Mark::Noise,
            () if is_error && text.contains(" | ") => Mark::DETAIL,
            () => Mark::Plain,
        }
    }

    fn report(mut self: Box<Self>, _end: &End) -> Option<Report> {
        self.settle();
        let mut report = match self.found.report("rustc") {
            None if self.reasons.is_empty() => return None,
            None => Report::new(Quotes::Usual),
            Some(report) => report,
        };
        if !self.reasons.is_empty() {
            report.share = 95;
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
        for (index, told) in self.told.into_iter().enumerate() {
            report.add(90 - index as u32, told);
        }
        Some(report)
    }
}

/// So many errors are told with their places.
const TOLD: usize = 20;

impl Rustc {
    /// A line of `--message-format=json`: what it shows a reader is one of its fields.
    fn message(&mut self, line: &str) -> Mark {
        let reason = line.split('"').nth(3).unwrap_or_default();
        self.reasons.add(reason);
        if reason == "build-finished" {
            self.succeeded = Some(line.contains("\"success\":true"));
        }
        let Some((_, rendered)) = line.split_once("\"rendered\":\"") else { return Mark::Noise };
        let mut lines = rendered.split("\\n");
        let first = lines.next().unwrap_or_default();
        let place =
            lines.find_map(|line| line.trim_start().strip_prefix("--> ")).unwrap_or_default();
        // The short form has its place before the message.
        let (headline_text, place) = match place::remark(first) {
            Some(remark) => (remark.text, &first[..first.len() - remark.text.len()]),
            None => (first, place),
        };
        let Some((severity, kind)) = headline(headline_text) else { return Mark::Noise };
        let code =
            line.split_once("\"code\":{\"code\":\"").and_then(|(_, code)| code.split('"').next());
        self.complaint(headline_text, severity, code.unwrap_or(kind));
        self.place(place);
        if severity == Severity::Error && self.open.is_some() && self.told.len() < TOLD {
            let shown = headline_text.split("\",\"").next().unwrap_or(headline_text);
            self.told.push(cut::one_line(
                &format!("{} {shown}", place.trim_end_matches([' ', ':'])),
                160,
            ));
        }
        self.settle();
        Mark::Noise
    }

    fn complaint(&mut self, text: &str, severity: Severity, kind: &str) -> Mark {
        let first = !self.kinds.contains(kind);
        self.settle();
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
        self.open = Some(Open { severity, kind: kind.to_owned(), path: String::new() });
        match (severity, first) {
            (Severity::Error, true) => Mark::FAILURE,
            (Severity::Error, false) => Mark::Weight(45),
            (_, true) => Mark::Weight(25),
            (_, false) => Mark::Weight(14),
        }
    }

    /// The complaint above is complete; its kind is known now.
    fn settle(&mut self) {
        // Other tools write `error: ` too, but neither codes nor places below it.
        let is_own = |open: &Open| !open.path.is_empty() || open.kind.starts_with("E0");
        if let Some(Open { severity, kind, path }) = self.open.take().filter(is_own) {
            self.found.add(severity, &path, &kind);
            if self.kinds.len() < KINDS {
                self.kinds.insert(kind);
            }
        }
    }

    fn place(&mut self, text: &str) -> Mark {
        let Some(open) = &mut self.open else { return Mark::Plain };
        if let Some(remark) = place::remark(text).filter(|_| open.path.is_empty()) {
            remark.path.clone_into(&mut open.path);
        }
        if open.severity == Severity::Error { Mark::REASON } else { Mark::Weight(14) }
    }
}

/// The lint of `= help: ... index.html#needless_return`, which Clippy names below each complaint.
fn lint_named(text: &str) -> Option<&str> {
    let (before, lint) = text.split_once("/index.html#")?;
    before.contains("clippy").then_some(lint)
}

/// `error[E0308]: text`, `warning: text`; the code is what stands in brackets, or the start of the text.
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
