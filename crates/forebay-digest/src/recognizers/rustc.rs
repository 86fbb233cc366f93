//! rustc and clippy: errors and warnings by code and file, each with its place.

use super::{End, Format, Mark, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::place;
use crate::tally::{Diagnostics, Severity};

pub(super) const FORMAT: Format = Format {
    name: "rustc, clippy",
    keeps: "errors and warnings by code and file; each error with its place and the lines below it",
    commands: &["cargo build", "cargo check", "cargo clippy", "cargo run", "rustc"],
    scope: Scope::Part(&["error[E", " --> ", "error: could not compile"]),
    start: || Box::<Rustc>::default(),
};

#[derive(Debug, Default)]
struct Rustc {
    found: Diagnostics,
    /// The complaint above that has no place yet.
    open: Option<Severity>,
}

impl Recognizer for Rustc {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        let trimmed = text.trim_start();
        if let Some(place) = trimmed.strip_prefix("--> ") {
            return self.place(place);
        }
        if let Some((severity, code)) = headline(text) {
            return self.complaint(text, severity, code);
        }
        match () {
            () if trimmed.starts_with("Compiling ") || trimmed.starts_with("Checking ") => Mark::Noise,
            () if trimmed.starts_with("Downloaded ") || trimmed.starts_with("Downloading ") => Mark::Noise,
            () if trimmed.starts_with("= note: `#[") || trimmed == "|" => Mark::Noise,
            () if self.open == Some(Severity::Error) && trimmed.contains('^') => Mark::DETAIL,
            () => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        self.found.report("rustc")
    }
}

impl Rustc {
    fn complaint(&mut self, text: &str, severity: Severity, code: &str) -> Mark {
        let is_summary = text.contains("could not compile")
            || text.contains(" generated ")
            || text.contains("aborting due to")
            || text.contains(" emitted");
        if is_summary {
            self.open = None;
            return if severity == Severity::Error { Mark::OUTCOME } else { Mark::NOTABLE };
        }
        self.open = Some(severity);
        self.found.add(severity, "", code)
    }

    fn place(&mut self, text: &str) -> Mark {
        if let (Some(remark), Some(_)) = (place::remark(text), self.open) {
            self.found.in_file(remark.path);
        }
        match self.open {
            Some(Severity::Error) => Mark::REASON,
            Some(_) => Mark::Weight(14),
            None => Mark::Plain,
        }
    }
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
