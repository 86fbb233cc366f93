//! Stack traces of many languages: the exception, its causes, the innermost frames of own code.

use std::collections::BTreeSet;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "stack traces",
    keeps: "exception and its causes; frames of own code, innermost first; no library frames",
    commands: &[],
    scope: Scope::Embedded(&[
        "Traceback (most recent",
        "\tat ",
        "    at ",
        "stack backtrace",
        "goroutine ",
        "Caused by: ",
        "Exception in thread",
        "Stack trace:",
        "#0 ",
        "   at ",
    ]),
    create: || Box::<Trace>::default(),
};

/// Paths and packages of library code.
const LIBRARY_MARKERS: &[&str] = &[
    "site-packages",
    "/lib/python",
    "node_modules",
    "node:internal",
    "(internal/",
    "java.base/",
    "java.lang.",
    "java.util.",
    "sun.reflect",
    "jdk.internal",
    "org.junit",
    "org.apache.maven",
    "org.gradle",
    "junit.framework",
    "org.springframework",
    "/usr/local/go/src",
    "/rustc/",
    ".cargo/registry",
    "core::panicking",
    "std::rt",
    "std::panicking",
    "/gems/",
    "lib/ruby",
    "vendor/",
    "System.",
    "Microsoft.",
    "<frozen",
    "runtime/",
];

/// Number of own frames worth showing per trace.
const MAX_OWN_FRAMES: u32 = 2;

/// Number of distinct exceptions worth showing.
const MAX_EXCEPTIONS: usize = 6;

/// Longer traces are summarized.
const MAX_LISTED_FRAMES: u64 = 8;

#[derive(Debug, Default)]
struct Trace {
    in_python_traceback: bool,
    own_frames: u32,
    goroutines: u64,
    /// Exceptions so far; repeats are not shown.
    exceptions: BTreeSet<String>,
    /// Functions of gdb frames.
    functions: ValueCounts,
}

impl Recognizer for Trace {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if text.trim_start().starts_with("Traceback (most recent call last)") {
            self.in_python_traceback = true;
            return Mark::DETAIL;
        }
        if self.in_python_traceback {
            return self.python_line(text);
        }
        self.goroutines += u64::from(text.starts_with("goroutine ") && text.ends_with("]:"));
        if let Some(function) = debugger_frame(text) {
            self.functions.add(function);
        }
        if !is_frame(text) {
            self.own_frames = 0;
            return if self.is_new_exception(text) { Mark::REASON } else { Mark::Plain };
        }
        if LIBRARY_MARKERS.iter().any(|foreign| text.contains(foreign)) {
            return Mark::Plain;
        }
        self.own_frames += 1;
        if self.own_frames <= MAX_OWN_FRAMES { Mark::Weight(32) } else { Mark::Plain }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let mut report = Report::new(Quotes::Default);
        if self.goroutines > 1 {
            report.add(70, format!("{} goroutines", self.goroutines));
        }
        if self.functions.total() > MAX_LISTED_FRAMES {
            let summary = format!("{} frames: {}", self.functions.total(), self.functions.list(3));
            report.add(60, summary);
        }
        (!report.facts.is_empty()).then_some(report)
    }

    fn reads_test_output(&self) -> bool {
        true
    }
}

impl Trace {
    /// Returns true if a line contains an exception that was not seen before.
    fn is_new_exception(&mut self, text: &str) -> bool {
        is_exception(text)
            && self.exceptions.len() < MAX_EXCEPTIONS
            && !self.exceptions.contains(text)
            && self.exceptions.insert(text.to_owned())
    }

    /// Handles a Python traceback; frames come outermost first, the unindented line is the
    /// exception.
    fn python_line(&mut self, text: &str) -> Mark {
        if text.starts_with([' ', '\t']) {
            let foreign = LIBRARY_MARKERS.iter().any(|foreign| text.contains(foreign));
            let is_frame = text.trim_start().starts_with("File \"");
            return match () {
                () if foreign => Mark::Weight(16),
                () if is_frame => Mark::Weight(33),
                () => Mark::Plain,
            };
        }
        self.in_python_traceback = text.is_empty();
        if self.in_python_traceback { Mark::Plain } else { Mark::REASON }
    }
}

/// Prefixes of lines with an exception, above its frames.
const EXCEPTION_PREFIXES: &[&str] =
    &["Exception in thread ", "Caused by: ", "panic: ", "PHP Fatal error: ", "Unhandled exception"];

/// Returns true for `TypeError: text`, `a.rb:5:in `f': text (NoMethodError)` and their equivalents.
fn is_exception(text: &str) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let named = |name: &str| name.ends_with("Error") || name.ends_with("Exception");
    EXCEPTION_PREFIXES.iter().any(|start| text.starts_with(start))
        || text.split_once(": ").is_some_and(|(name, _)| named(name) && !name.contains(' '))
        || text.contains(":in `") && text.strip_suffix(')').is_some_and(named)
}

/// Returns the function of `#1  0x0000 in weigh (node=0x0) at graph.cpp:6`.
fn debugger_frame(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('#')?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let rest = rest.split_once(" in ").map_or(rest, |(_, rest)| rest);
    rest.split(" (").next().filter(|_| text.contains(" ("))
}

/// Returns true for `\tat a.B.c(B.java:3)`, `    at f (a.js:1:2)`, `#0 /a.php(3): f()` or
/// `   at N.C() in A.cs:line 3`.
fn is_frame(text: &str) -> bool {
    let trimmed = text.trim_start();
    trimmed.len() < text.len() && trimmed.starts_with("at ")
        || text.starts_with('#') && trimmed[1..].starts_with(|c: char| c.is_ascii_digit())
}
