//! Pages of plain text, cut between lines where possible.

use forebay_domain::Stream;
use forebay_text::line_range::LineRange;

use super::{Page, Request};
use crate::AppError;
use crate::stores::line_reader::{self, Line, Position};

/// Returns the requested lines, as many as fit on one page.
pub(super) fn text(request: &Request) -> Result<Page, AppError> {
    let total = total_lines(request)?;
    let range = request.range.unwrap_or(LineRange::Between(1, u64::MAX));
    let Some((first, last)) = range.within(total) else { return out_of_range(total) };
    let from = match request.from {
        Some(at) if at.line >= first => at,
        _ => Position { line: first, offset: 0 },
    };
    let mut page = PageBuilder::new(request.page_bytes(), last);
    for_each_line(request, from, &mut |line| page.add(&line))?;
    Ok(page.finish(request, from))
}

/// Counts the lines of the entry, or of one stream, which has no stored count.
fn total_lines(request: &Request) -> Result<u64, AppError> {
    if request.stream.is_none() {
        return Ok(request.entry.lines);
    }
    let mut last = 0;
    for_each_line(request, Position::START, &mut |line| {
        last = line.number;
        true
    })?;
    Ok(last)
}

fn out_of_range(total: u64) -> Result<Page, AppError> {
    if total == 0 {
        return Ok(Page { about: "empty".to_owned(), text: String::new(), next: None });
    }
    Err(AppError::not_found("lines out of range", format!("the text has lines 1-{total}")))
}

/// Passes the lines of the entry, or of one stream of its run, to `consume` until it returns false.
pub(super) fn for_each_line(
    request: &Request,
    from: Position,
    consume: &mut dyn FnMut(Line<'_>) -> bool,
) -> Result<(), AppError> {
    let (store, entry) = (&*request.store, &request.entry);
    match (request.stream, entry.run()) {
        (None, _) => line_reader::lines(store, entry.reference, from, consume)?,
        (Some(stream), Some(run)) => {
            line_reader::lines_of_stream(store, entry, &run.spans, stream, from, consume)?;
        }
        (Some(Stream::Stdout | Stream::Stderr), None) => {
            return Err(AppError::bad_input("only a run has streams", "omit `stream`"));
        }
    }
    Ok(())
}

/// Collects lines until the page is full.
struct PageBuilder {
    text: String,
    bytes: usize,
    last: u64,
    shown: Option<u64>,
    next: Option<Position>,
}

impl PageBuilder {
    fn new(bytes: usize, last: u64) -> Self {
        Self { text: String::new(), bytes, last, shown: None, next: None }
    }

    fn add(&mut self, line: &Line<'_>) -> bool {
        if line.number > self.last {
            return false;
        }
        let clean = forebay_digest::clean(line.bytes);
        let fits = self.text.len() + clean.len() < self.bytes;
        if !fits && self.shown.is_none() {
            return self.add_start_of(line);
        }
        if !fits {
            self.next = Some(Position { line: line.number, offset: line.offset });
            return false;
        }
        self.append(line, &clean);
        true
    }

    /// Adds the start of a line that exceeds the whole page.
    fn add_start_of(&mut self, line: &Line<'_>) -> bool {
        let mut end = self.bytes.min(line.bytes.len());
        while end > 1 && line.bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
            end -= 1;
        }
        // Cleaning grows only invalid UTF-8, at most threefold.
        let mut clean = forebay_digest::clean(&line.bytes[..end]);
        while clean.len() > self.bytes && end > 1 {
            end /= 2;
            clean = forebay_digest::clean(&line.bytes[..end]);
        }
        self.append(line, &clean);
        self.next = Some(Position { line: line.number, offset: line.offset + end as u64 });
        false
    }

    fn append(&mut self, line: &Line<'_>, clean: &str) {
        if self.shown.is_some() && line.offset == 0 {
            self.text.push('\n');
        }
        self.text.push_str(clean);
        self.shown = Some(line.number);
    }

    fn finish(self, request: &Request, from: Position) -> Page {
        let shown = self.shown.unwrap_or(from.line);
        let whole = from == Position::START && self.next.is_none() && shown >= request.entry.lines;
        let about = match (request.stream, whole) {
            (Some(Stream::Stdout), _) => format!("stdout lines {}-{shown}", from.line),
            (Some(Stream::Stderr), _) => format!("stderr lines {}-{shown}", from.line),
            (None, true) => forebay_text::number::counted(request.entry.lines, "line"),
            (None, false) => format!("lines {}-{shown} {}", from.line, request.of_lines()),
        };
        let next = self.next.filter(|next| next.line <= self.last);
        Page { about, text: self.text, next }
    }
}
