//! The lines of an entry that match a regex.

use forebay_text::{cut, number};
use regex::bytes::{Regex, RegexBuilder};

use super::{Page, Request, pages};
use crate::AppError;
use crate::stores::line_reader::{Line, Position};

/// Bytes of a long line that are shown around its match.
const EXCERPT_BYTES: usize = 300;
/// Memory limit of a compiled regex.
const MAX_REGEX_BYTES: usize = 4 * 1024 * 1024;

pub(super) fn matching_lines(request: &Request, pattern: &str) -> Result<Page, AppError> {
    let (regex, remark) = compile(pattern)?;
    let (first, last) = match request.range {
        None => (1, u64::MAX),
        Some(range) => range.within(request.entry.lines).unwrap_or((1, 0)),
    };
    let from = request.from.map_or(first, |at| at.line.max(first));
    let mut page = MatchPage::new(regex, request.page_bytes());
    pages::for_each_line(request, Position { line: from, offset: 0 }, &mut |line| {
        line.number <= last && page.add_if_match(&line)
    })?;
    Ok(page.finish(remark))
}

/// Compiles the pattern; an invalid regex is matched as plain text, which models often mean.
fn compile(pattern: &str) -> Result<(Regex, &'static str), AppError> {
    let build = |text: &str| RegexBuilder::new(text).size_limit(MAX_REGEX_BYTES).build();
    match build(pattern) {
        Ok(regex) => Ok((regex, "")),
        Err(_) => build(&regex::escape(pattern))
            .map(|regex| (regex, ", matched as plain text"))
            .map_err(|error| {
                AppError::bad_input(format!("invalid pattern: {error}"), "use a shorter pattern")
            }),
    }
}

struct MatchPage {
    regex: Regex,
    bytes: usize,
    text: String,
    shown: u64,
    total: u64,
    next: Option<u64>,
    last_counted: u64,
}

impl MatchPage {
    fn new(regex: Regex, bytes: usize) -> Self {
        Self { regex, bytes, text: String::new(), shown: 0, total: 0, next: None, last_counted: 0 }
    }

    fn add_if_match(&mut self, line: &Line<'_>) -> bool {
        let is_counted = line.number == self.last_counted;
        let Some(found) = (!is_counted).then(|| self.regex.find(line.bytes)).flatten() else {
            return true;
        };
        self.total += 1;
        self.last_counted = line.number;
        if self.next.is_some() {
            return true;
        }
        let row = format!("{}: {}", line.number, excerpt(line.bytes, found.start()));
        if self.shown > 0 && self.text.len() + row.len() >= self.bytes {
            self.next = Some(line.number);
        } else {
            self.append(&row);
        }
        true
    }

    fn append(&mut self, row: &str) {
        if self.shown > 0 {
            self.text.push('\n');
        }
        self.text.push_str(cut::prefix(row, self.bytes));
        self.shown += 1;
    }

    fn finish(self, remark: &str) -> Page {
        let matching = number::counted(self.total, "matching line");
        let about = match self.next {
            None => format!("{matching}{remark}"),
            Some(_) => format!("{} of {matching}{remark}", number::grouped(self.shown)),
        };
        let next = self.next.map(|line| Position { line, offset: 0 });
        Page { about, text: self.text, next }
    }
}

/// Returns the line, or the part of it around the match.
fn excerpt(line: &[u8], at: usize) -> String {
    if line.len() <= EXCERPT_BYTES {
        return forebay_digest::clean(line);
    }
    let start = at.saturating_sub(EXCERPT_BYTES / 3);
    let end = (start + EXCERPT_BYTES).min(line.len());
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", forebay_digest::clean(&line[start..end]))
}
