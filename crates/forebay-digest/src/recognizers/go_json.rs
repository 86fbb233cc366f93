//! `go test -json`: like `go test`, read from its events.

use super::go_test::GoTally;
use super::{Claim, Format, Mark, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::location;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "go test -json",
    keeps: "tests and packages that passed and failed; failing tests with their messages",
    commands: &["go test -json"],
    scope: Scope::Whole(claims),
    create: || Box::<GoJson>::default(),
};

/// Maximum number of messages held for tests that have not ended.
const MAX_MESSAGES: usize = 500;

fn claims(start: &Start<'_>) -> Option<Claim> {
    // Build errors precede the events on plain lines.
    start.mostly(60, |line| Event::parse(line).is_some()).then_some(Claim::Sure)
}

/// Returns true for an event of `go test -json`, which only this recognizer reads.
pub(super) fn is_event(line: &str) -> bool {
    line.starts_with('{') && Event::parse(line).is_some()
}

#[derive(Debug, Default)]
struct GoJson {
    tally: GoTally,
    actions: ValueCounts,
    /// Messages by package and test, until the test ends.
    messages: Vec<(String, String)>,
    /// Something else came after the last event.
    is_interrupted: bool,
}

impl Recognizer for GoJson {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some(event) = Event::parse(line.text) else {
            return self.plain_line(line.text);
        };
        self.is_interrupted = false;
        self.actions.add(event.action);
        match (event.action, event.test) {
            ("output", Some(test)) => self.read_output(&event, test),
            ("pass" | "fail" | "skip", Some(test)) => self.test_ended(&event, test),
            ("pass" | "fail" | "skip", None) => {
                self.tally.package_ended(event.action, event.package);
                Mark::Noise
            }
            ("build-output", _) => Mark::REASON,
            _ => Mark::Noise,
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let events =
            format!("{} test and package events: {}", self.actions.total(), self.actions.list(8));
        let mut report = self.tally.report()?;
        report.add(79, events);
        Some(report)
    }
}

impl GoJson {
    /// Handles build errors, which older versions print on plain lines.
    fn plain_line(&mut self, line: &str) -> Mark {
        let build_error = || location::has_location(line).then_some(Mark::REASON);
        let blank = || line.trim().is_empty().then_some(Mark::Noise);
        let is_unbuilt = line.ends_with("[build failed]") || line.ends_with("[setup failed]");
        // Below lines of another run it is one of that run.
        let is_own = is_unbuilt && !self.is_interrupted;
        let package = if is_own { self.tally.package(line) } else { None };
        let mark = package.or_else(build_error).or_else(blank).unwrap_or(Mark::Foreign);
        self.is_interrupted |= mark == Mark::Foreign;
        mark
    }

    fn read_output(&mut self, event: &Event<'_>, test: &str) -> Mark {
        let text = event.output.trim_end_matches("\\n").trim_start();
        let is_message =
            event.output.starts_with("    ") && location::located_message(text).is_some();
        if !is_message && !text.starts_with("panic: ") {
            return Mark::Noise;
        }
        let (key, text) = (message_key(event.package, test), unescaped(text));
        // The last message of a test is the reason for its failure.
        self.messages.retain(|(known, _)| *known != key);
        if self.messages.len() < MAX_MESSAGES {
            self.messages.push((key, text));
        }
        Mark::Noise
    }

    fn test_ended(&mut self, event: &Event<'_>, test: &str) -> Mark {
        self.tally.ended(event.action, test);
        let key = message_key(event.package, test);
        for (_, message) in self.messages.extract_if(.., |(known, _)| *known == key) {
            if event.action != "fail" {
                continue;
            }
            match message.strip_prefix("panic: ") {
                Some(_) => self.tally.outcome.add_reason(&message),
                None => self.tally.explain(&message),
            }
        }
        Mark::Noise
    }
}

/// Unescapes a JSON string, keeping it on one line.
fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"")
        .replace("\\t", " ")
        .replace("\\u003c", "<")
        .replace("\\u003e", ">")
        .replace("\\u0026", "&")
}

fn message_key(package: &str, test: &str) -> String {
    format!("{package} {test}")
}

/// One event; its values are slices of the line, still escaped.
#[derive(Debug)]
struct Event<'a> {
    action: &'a str,
    package: &'a str,
    test: Option<&'a str>,
    output: &'a str,
}

impl<'a> Event<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim().strip_prefix('{')?.strip_suffix('}')?;
        let action = field(line, "\"Action\":\"")?;
        let package = field(line, "\"Package\":\"").or_else(|| field(line, "\"ImportPath\":\""))?;
        let output = field(line, "\"Output\":\"").unwrap_or_default();
        // Output of a test may look like a field, but comes last.
        let before = line.split("\"Output\":\"").next().unwrap_or(line);
        Some(Self { action, package, test: field(before, "\"Test\":\""), output })
    }
}

/// Returns the string value after a key, up to its closing quote.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let start = line.find(key)? + key.len();
    let rest = &line[start..];
    let mut escaped = false;
    let end = rest.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some(&rest[..end])
}
