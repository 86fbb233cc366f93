//! Access logs of web servers: counts by status, method, path and client, bytes; quotes server
//! errors.

use forebay_text::number::{counted, grouped};

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::log_prefix::{self, TimeRange};
use crate::tally::{Sum, ValueCounts};

pub(super) const FORMAT: Format = Format {
    name: "access log",
    keeps: "number of requests, time range; counts by status, method, path and client; bytes; server errors",
    commands: &[],
    scope: Scope::Whole(claims),
    create: || Box::<AccessLog>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    (start.nonblank_lines().count() >= 3
        && is_server_log(start)
        && start.mostly(50, |line| request(line).is_some()))
    .then_some(Claim::Sure)
}

/// Returns true unless some containers of a mixed log write something other than requests.
fn is_server_log(start: &Start<'_>) -> bool {
    !start.nonblank_lines().any(|line| log_prefix::split_container(line).is_some())
        || start.mostly(95, |line| request(line).is_some())
}

pub(super) struct Request<'a> {
    client: &'a str,
    pub(super) time: &'a str,
    method: &'a str,
    path: &'a str,
    pub(super) status: &'a str,
    bytes: Option<u64>,
}

/// Parses `10.0.0.1 - - [01/May/2024:10:00:00 +0000] "GET /path HTTP/1.1" 200 1234 ...`.
pub(super) fn request(line: &str) -> Option<Request<'_>> {
    let line = log_prefix::split_container(line).map_or(line, |(_, message)| message);
    let (before, rest) = split_once(line, b"[")?;
    let (time, rest) = split_once(rest, b"] \"")?;
    let (call, rest) = split_once(rest, b"\" ")?;
    let (method, after) = split_once(call, b" ").unwrap_or((call, ""));
    let status = rest.get(..3).filter(|status| status.bytes().all(|byte| byte.is_ascii_digit()))?;
    let numbers = rest[3..].strip_prefix(' ');
    if numbers.is_none() && rest.len() > 3 {
        return None;
    }
    Some(Request {
        client: first_word(before),
        time,
        method,
        path: first_word(after),
        status,
        bytes: numbers.and_then(|numbers| first_word(numbers).parse::<u64>().ok()),
    })
}

/// Like `str::split_once`, but based on `memchr`, because access logs have many long lines.
fn split_once<'a>(text: &'a str, mark: &[u8]) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(mark[0], &text.as_bytes()[from..])?;
        if text.as_bytes()[at..].starts_with(mark) {
            return Some((&text[..at], &text[at + mark.len()..]));
        }
        from = at + 1;
    }
}

fn first_word(text: &str) -> &str {
    split_once(text, b" ").map_or(text, |(word, _)| word)
}

#[derive(Debug, Default)]
struct AccessLog {
    requests: u64,
    others: u64,
    time_range: TimeRange,
    statuses: ValueCounts,
    methods: ValueCounts,
    paths: ValueCounts,
    clients: ValueCounts,
    server_errors: ValueCounts,
    bytes: Sum,
    /// The most bytes of a response, if any has a size.
    most_bytes: Option<u64>,
    /// Messages of the server that are not requests.
    other_messages: ValueCounts,
}

impl Recognizer for AccessLog {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some(request) = request(line.text) else {
            if !line.text.contains(" - - [") {
                return Mark::Foreign;
            }
            self.others += 1;
            let message = line.text.rsplit_once("] ").map_or(line.text, |(_, message)| message);
            self.other_messages.add(message);
            return Mark::Weight(if self.other_messages.count_of(message) == 1 { 45 } else { 10 });
        };
        self.requests += 1;
        self.time_range.add(request.time);
        self.statuses.add(request.status);
        self.methods.add(request.method);
        self.paths.add(split_once(request.path, b"?").map_or(request.path, |(path, _)| path));
        self.clients.add(request.client);
        if let Some(bytes) = request.bytes {
            self.bytes += bytes;
            self.most_bytes = self.most_bytes.max(Some(bytes));
        }
        if request.status.starts_with('5') {
            self.server_errors.add(&format!("{} {}", request.status, request.path));
            return Mark::Weight(40);
        }
        Mark::Noise
    }

    fn counts_lines(&self) -> bool {
        true
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.requests == 0 || self.others > self.requests {
            return None;
        }
        let others = if self.others > 0 {
            format!(", {}", counted(self.others, "server message"))
        } else {
            String::new()
        };
        let summary = format!(
            "access log: {} requests, {}{others}",
            grouped(self.requests),
            self.time_range.describe().unwrap_or_default(),
        );
        let mut report = Report::with_summary(summary, Quotes::Marked);
        let max_items = if context.max_bytes > 2_000 { 10 } else { 5 };
        report.add(95, format!("status: {}", self.statuses.list(12)));
        report.add(85, format!("methods: {}", self.methods.list(6)));
        report.add(
            90,
            format!("{}: {}", self.paths.distinct_with_noun("path"), self.paths.list(max_items)),
        );
        report.add(
            80,
            format!(
                "{}: {}",
                self.clients.distinct_with_noun("client"),
                self.clients.list(max_items)
            ),
        );
        if !self.server_errors.is_empty() {
            report.add(
                92,
                format!(
                    "server errors ({}): {}",
                    grouped(self.server_errors.total()),
                    self.server_errors.list(max_items)
                ),
            );
        }
        if let (Some(bytes), Some(most)) = (self.bytes.known(), self.most_bytes) {
            let (bytes, most) = (grouped(bytes), grouped(most));
            report.add(70, format!("bytes: {bytes} in total, largest {most}"));
        }
        Some(report)
    }
}
