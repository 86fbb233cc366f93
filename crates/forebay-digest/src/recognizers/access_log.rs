//! Access logs of web servers: status codes, methods, paths, clients, bytes; server errors quoted.

use forebay_domain::text::number::grouped;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Range, Tops};

pub(super) const FORMAT: Format = Format {
    name: "access log",
    keeps: "requests, time range; counts by status, method, path and client; bytes; server errors",
    commands: &[],
    scope: Scope::Whole(claims),
    start: || Box::<AccessLog>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    (start.telling().count() >= 3 && start.mostly(50, |line| request(line).is_some())).then_some(Claim::Sure)
}

struct Request<'a> {
    client: &'a str,
    time: &'a str,
    method: &'a str,
    path: &'a str,
    status: &'a str,
    bytes: Option<f64>,
}

/// `10.0.0.1 - - [01/May/2024:10:00:00 +0000] "GET /path HTTP/1.1" 200 1234 ...`.
fn request(line: &str) -> Option<Request<'_>> {
    let (before, rest) = line.split_once('[')?;
    let (time, rest) = rest.split_once("] \"")?;
    let (call, rest) = rest.split_once("\" ")?;
    let mut words = call.split(' ');
    let (method, path) = (words.next()?, words.next().unwrap_or(""));
    let mut numbers = rest.split(' ');
    let status = numbers.next().filter(|status| status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit()))?;
    let bytes = numbers.next().and_then(|bytes| bytes.parse().ok());
    Some(Request { client: before.split(' ').next()?, time, method, path, status, bytes })
}

#[derive(Debug, Default)]
struct AccessLog {
    requests: u64,
    others: u64,
    first: String,
    last: String,
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
        if self.first.is_empty() {
            request.time.clone_into(&mut self.first);
        }
        self.last.clear();
        self.last.push_str(request.time);
        self.statuses.add(request.status);
        self.methods.add(request.method);
        self.paths.add(request.path.split('?').next().unwrap_or_default());
        self.clients.add(request.client);
        if let Some(bytes) = request.bytes {
            self.bytes.add(bytes);
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
        let others = if self.others > 0 { format!(", {} other lines", grouped(self.others)) } else { String::new() };
        let said = format!(
            "access log: {} requests, {} .. {}{others}",
            grouped(self.requests),
            self.first,
            self.last
        );
        let mut report = Report::of(said, Quotes::Marked);
        let most = if end.room > 2_000 { 10 } else { 5 };
        report.add(95, format!("status: {}", self.statuses.list(12)));
        report.add(85, format!("methods: {}", self.methods.list(6)));
        report.add(90, format!("{} paths: {}", self.paths.distinct_said(), self.paths.list(most)));
        report.add(80, format!("{} clients: {}", self.clients.distinct_said(), self.clients.list(most)));
        if !self.failing_paths.is_empty() {
            report.add(92, format!("server errors ({}): {}", grouped(self.failing_paths.total()), self.failing_paths.list(most)));
        }
        if self.bytes.count > 0 {
            report.add(70, format!("bytes: {} in all, largest {}", grouped(self.bytes.sum as u64), grouped(self.bytes.most as u64)));
        }
        Some(report)
    }
}
