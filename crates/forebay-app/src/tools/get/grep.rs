//! The lines of an entry that match a regex, as they are displayed.

use std::collections::VecDeque;

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
    let ranges = match &request.ranges {
        None => vec![(1, u64::MAX)],
        Some(ranges) => ranges.within(request.entry.lines),
    };
    let mut page = MatchPage::new(regex, request.page_bytes(), request.context);
    for (first, last) in ranges {
        let from = request.from.map_or(first, |at| at.line.max(first));
        // The lines before the page are the context of its first match.
        let start = from.saturating_sub(request.context).max(first);
        page.begin_range();
        pages::for_each_line(request, Position { line: start, offset: 0 }, &mut |line| {
            line.number <= last && page.add(&line, line.number >= from)
        })?;
    }
    Ok(page.finish(remark))
}

/// Passes each line whose stored bytes match, with a line feed, to `consume` until it returns false.
///
/// Of a line that is longer than the reader's buffer, the matching pieces are passed.
pub(super) fn raw_lines(
    request: &Request,
    pattern: &str,
    consume: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), AppError> {
    let (regex, _) = compile(pattern)?;
    pages::for_each_line(request, Position::START, &mut |line| {
        !regex.is_match(line.bytes) || consume(line.bytes) && consume(b"\n")
    })
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
    context: u64,
    text: String,
    shown: u64,
    total: u64,
    next: Option<u64>,
    last_counted: u64,
    /// Lines before, which are shown if the next one matches.
    before: VecDeque<(u64, String)>,
    /// Lines to show after the last match.
    after: u64,
    /// The last line in the text.
    last_shown: u64,
}

impl MatchPage {
    fn new(regex: Regex, bytes: usize, context: u64) -> Self {
        Self {
            regex,
            bytes,
            context,
            text: String::new(),
            shown: 0,
            total: 0,
            next: None,
            last_counted: 0,
            before: VecDeque::new(),
            after: 0,
            last_shown: 0,
        }
    }

    /// Context does not reach beyond a range.
    fn begin_range(&mut self) {
        self.before.clear();
        self.after = 0;
    }

    fn add(&mut self, line: &Line<'_>, may_match: bool) -> bool {
        if line.number == self.last_counted {
            return true;
        }
        // A reader cannot search for colour codes and overwritten text, which no answer shows.
        let shown = forebay_digest::displayed(line.bytes);
        let found = may_match.then(|| self.regex.find(shown.as_bytes())).flatten();
        match found {
            Some(found) => self.add_match(line.number, &shown, found.start()),
            None if self.context > 0 && line.offset == 0 => self.add_context(line.number, &shown),
            None => {}
        }
        true
    }

    fn add_match(&mut self, number: u64, shown: &str, at: usize) {
        self.total += 1;
        self.last_counted = number;
        if self.next.is_some() {
            return;
        }
        let mut rows: Vec<(u64, String)> = self.before.drain(..).collect();
        rows.push((number, format!("{number}: {}", excerpt(shown, at))));
        if self.context > 0 && self.shown > 0 && rows[0].0 > self.last_shown + 1 {
            rows[0].1.insert_str(0, "--\n");
        }
        let size: usize = rows.iter().map(|(_, row)| row.len() + 1).sum();
        if self.shown > 0 && self.text.len() + size > self.bytes {
            self.next = Some(number);
            return;
        }
        // A first match that is too large with its context is shown without it.
        let skipped = if size > self.bytes { rows.len() - 1 } else { 0 };
        rows[skipped..].iter().for_each(|(_, row)| self.append(row));
        self.shown += 1;
        self.last_shown = number;
        self.after = self.context;
    }

    fn add_context(&mut self, number: u64, shown: &str) {
        let row = format!("{number}- {}", excerpt(shown, 0));
        let fits = self.text.len() + row.len() < self.bytes;
        if self.after > 0 && fits && self.next.is_none() {
            self.after -= 1;
            self.last_shown = number;
            self.append(&row);
            return;
        }
        self.after = 0;
        self.before.push_back((number, row));
        if self.before.len() as u64 > self.context {
            self.before.pop_front();
        }
    }

    fn append(&mut self, row: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(cut::prefix(row, self.bytes));
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
fn excerpt(line: &str, at: usize) -> String {
    if line.len() <= EXCERPT_BYTES {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(at.saturating_sub(EXCERPT_BYTES / 3));
    let end = line.floor_char_boundary(start + EXCERPT_BYTES);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", &line[start..end])
}
