//! `curl -v` and HTTP messages: request, status, relevant headers, body.

use super::json::{JsonReader, Shape};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use forebay_text::number::counted;

pub(super) const FORMAT: Format = Format {
    name: "curl, http",
    keeps: "request line, status, address, TLS version, type, length and redirect headers; start of the body",
    commands: &["curl", "http", "wget", "xh"],
    scope: Scope::Whole(claims),
    create: || {
        Box::new(Curl {
            body: JsonReader::new(),
            shape: Shape::new(),
            statuses: Vec::new(),
            request: None,
            body_lines: 0,
            in_body: false,
        })
    },
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let verbose_lines = start
        .lines
        .iter()
        .filter(|line| line.starts_with("* ") || line.starts_with("> ") || line.starts_with("< "))
        .count();
    let status = start.lines.iter().any(|line| status_line(line).is_some());
    let opens = start.nonblank_lines().next().is_some_and(|first| first.starts_with("HTTP/"));
    ((verbose_lines >= 4 && status) || opens).then_some(Claim::Sure)
}

#[derive(Debug)]
struct Curl {
    /// Reads the body as JSON, as far as it is valid.
    body: JsonReader,
    shape: Shape,
    statuses: Vec<String>,
    request: Option<String>,
    body_lines: u64,
    in_body: bool,
}

const RELEVANT_HEADERS: &[&str] = &[
    "content-type",
    "content-length",
    "location",
    "server",
    "date",
    "retry-after",
    "www-authenticate",
    "x-request-id",
    "cache-control",
    "etag",
    "x-ratelimit",
    "host",
    "set-cookie",
    "user-agent",
];

impl Recognizer for Curl {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some(status) = status_line(text) {
            self.statuses.push(status.to_owned());
            self.in_body = false;
            return Mark::OUTCOME;
        }
        let bare = text.trim_start_matches(['<', '>', ' ']);
        if text.starts_with("> ") && bare.ends_with("HTTP/1.1")
            || bare.ends_with("HTTP/2") && text.starts_with("> ")
        {
            self.request = Some(bare.to_owned());
            return Mark::FAILURE;
        }
        if text == "<" || text.is_empty() && !self.statuses.is_empty() {
            self.in_body = true;
            return Mark::Noise;
        }
        let lower = bare.get(..16.min(bare.len())).unwrap_or_default().to_ascii_lowercase();
        if !self.in_body
            && bare.contains(": ")
            && RELEVANT_HEADERS.iter().any(|header| lower.starts_with(header))
        {
            return Mark::Weight(45);
        }
        if let Some(note) = text.strip_prefix("* ") {
            return mark_note(note);
        }
        match text.as_bytes().first() {
            Some(b'<' | b'>' | b'{' | b'}') if !self.in_body => Mark::Noise,
            _ if self.in_body && self.body_is_complete() => Mark::Foreign,
            _ if self.in_body => {
                self.body_lines += 1;
                self.body.read(line.text, &mut self.shape);
                Mark::Weight(20)
            }
            _ if self.statuses.is_empty() => Mark::Foreign,
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let last = self.statuses.last()?;
        let request =
            self.request.as_ref().map(|request| format!("{request} -> ")).unwrap_or_default();
        let mut summary = format!("http: {request}{last}");
        if self.statuses.len() > 1 {
            summary += &format!(" ({} responses)", self.statuses.len());
        }
        if self.body_lines > 0 {
            summary += &format!(", {} after the headers", counted(self.body_lines, "line"));
        }
        let mut report = Report::with_summary(summary, Quotes::Marked);
        if self.body_is_complete() {
            report.add(90, format!("body: JSON {}", self.shape.summary()));
            self.shape.add_facts(&mut report, 5);
        }
        Some(report)
    }
}

impl Curl {
    /// Returns true after the only value of a JSON body.
    fn body_is_complete(&self) -> bool {
        self.body.documents > 0 && !self.body.is_invalid && !self.body.is_open()
    }
}

/// Returns `HTTP/1.1 200 OK`, also after `< `.
fn status_line(line: &str) -> Option<&str> {
    let bare = line.strip_prefix("< ").unwrap_or(line);
    let (version, status) = bare.split_once(' ')?;
    let is_status =
        version.starts_with("HTTP/") && status.starts_with(|c: char| c.is_ascii_digit());
    is_status.then(|| bare.trim_end())
}

fn mark_note(note: &str) -> Mark {
    let notes = [
        "Connected to",
        "SSL connection using",
        "Could not resolve",
        "connect to",
        "Failed",
        "SSL certificate",
        "Operation timed out",
        "Closing",
        " subject:",
        " issuer:",
        " expire date",
        "Trying",
    ];
    match notes.iter().position(|start| note.starts_with(start)) {
        Some(2 | 4 | 6) => Mark::FAILURE,
        Some(0 | 1 | 8 | 9 | 10) => Mark::Weight(40),
        _ if note.contains("error") || note.contains("refused") => Mark::FAILURE,
        _ => Mark::Noise,
    }
}
