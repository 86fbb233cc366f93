//! Access logs of web servers: status codes, methods, paths, clients, bytes; server errors quoted.

use forebay_text::number::grouped;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Range, Tops};
use crate::when::{self, Span};

pub(super) const FORMAT: Format = Format {
    name: "access log",
    keeps: "requests, time range; counts by status, method, path and client; bytes; server errors",
    commands: &[],
    scope: Scope::Whole(claims),
    start: || Box::<AccessLog>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    (start.telling().count() >= 3
        && is_of_servers(start)
        && start.mostly(50, |line| request(line).is_some()))
    .then_some(Claim::Sure)
}

/// A log of several containers is one of requests only where all of them serve.
fn is_of_servers(start: &Start<'_>) -> bool {
    !start.telling().any(|line| when::container(line).is_some())
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

/// `10.0.0.1 - - [01/May/2024:10:00:00 +0000] "GET /path HTTP/1.1" 200 1234 ...`.
pub(super) fn request(line: &str) -> Option<Request<'_>> {
    let line = when::container(line).map_or(line, |(_, message)| message);
    let (before, rest) = cut_at(line, b"[")?;
    let (time, rest) = cut_at(rest, b"] \"")?;
    let (call, rest) = cut_at(rest, b"\" ")?;
    let (method, after) = cut_at(call, b" ").unwrap_or((call, ""));
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

/// What stands before and after a mark, as `split_once` finds it; lines of logs are many and long.
fn cut_at<'a>(text: &'a str, mark: &[u8]) -> Option<(&'a str, &'a str)> {
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
    cut_at(text, b" ").map_or(text, |(word, _)| word)
}

#[derive(Debug, Default)]
struct AccessLog {
    requests: u64,
    others: u64,
    span: Span,
    statuses: Tops,
    methods: Tops,
    paths: Tops,
    clients: Tops,
    failing_paths: Tops,
    bytes: Range,
    /// What else the server says.
    remarks: Tops,
}

impl Recognizer for AccessLog {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let Some(request) = request(line.text) else {
            self.others += 1;
            let message = line.text.rsplit_once("] ").map_or(line.text, |(_, message)| message);
            self.remarks.add(message);
            return Mark::Weight(if self.remarks.of(message) == 1 { 45 } else { 10 });
        };
        self.requests += 1;
        self.span.add(request.time);
        self.statuses.add(request.status);
        self.methods.add(request.method);
        self.paths.add(cut_at(request.path, b"?").map_or(request.path, |(path, _)| path));
        self.clients.add(request.client);
        if let Some(bytes) = request.bytes {
            self.bytes.add(bytes as f64);
        }
        if request.status.starts_with('5') {
            self.failing_paths.add(&format!("{} {}", request.status, request.path));
            return Mark::Weight(40);
        }
        Mark::Noise
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.requests == 0 || self.others > self.requests {
            return None;
        }
        let others = if self.others > 0 {
            format!(", {} other lines", grouped(self.others))
        } else {
            String::new()
        };
        let said = format!(
            "access log: {} requests, {}{others}",
            grouped(self.requests),
            self.span.show().unwrap_or_default(),
        );
        let mut report = Report::of(said, Quotes::Marked);
        let most = if end.room > 2_000 { 10 } else { 5 };
        report.add(95, format!("status: {}", self.statuses.list(12)));
        report.add(85, format!("methods: {}", self.methods.list(6)));
        report.add(90, format!("{}: {}", self.paths.distinct_of("path"), self.paths.list(most)));
        report.add(
            80,
            format!("{}: {}", self.clients.distinct_of("client"), self.clients.list(most)),
        );
        if !self.failing_paths.is_empty() {
            report.add(
                92,
                format!(
                    "server errors ({}): {}",
                    grouped(self.failing_paths.total()),
                    self.failing_paths.list(most)
                ),
            );
        }
        if self.bytes.count > 0 {
            report.add(
                70,
                format!(
                    "bytes: {} in all, largest {}",
                    grouped(self.bytes.sum as u64),
                    grouped(self.bytes.most as u64)
                ),
            );
        }
        Some(report)
    }
}
