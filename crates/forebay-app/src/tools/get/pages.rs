//! Pages of plain text, cut between lines where possible and marked where not.

use forebay_domain::Stream;
use forebay_text::line_range::LineRange;

use super::{Page, Request};
use crate::AppError;
use crate::stores::line_reader::{self, Line, Position};

/// The asked lines, as many as fit on one page.
pub(super) fn text(request: &Request) -> Result<Page, AppError> {
    let total = lines_in_all(request)?;
    let range = request.range.unwrap_or(LineRange::Between(1, u64::MAX));
    let Some((first, last)) = range.within(total) else { return outside(total) };
    let from = match request.from {
        Some(at) if at.line >= first => at,
        _ => Position { line: first, offset: 0 },
    };
    let mut page = Filling::new(request.page_bytes(), last);
    walk(request, from, &mut |line| page.take(&line))?;
    Ok(page.finish(request, from))
}

/// The lines of the entry, or of one stream, which are counted when they are asked for.
fn lines_in_all(request: &Request) -> Result<u64, AppError> {
    if request.stream.is_none() {
        return Ok(request.entry.lines);
    }
    let mut last = 0;
    walk(request, Position::START, &mut |line| {
        last = line.number;
        true
    })?;
    Ok(last)
}

fn outside(total: u64) -> Result<Page, AppError> {
    if total == 0 {
        return Ok(Page { about: "empty".to_owned(), text: String::new(), next: None });
    }
    Err(AppError::not_found(
        "those lines lie outside of the text",
        format!("it has lines 1-{total}"),
    ))
}

/// Hands out the lines of the entry, or of one stream of its run.
pub(super) fn walk(
    request: &Request,
    from: Position,
    take: &mut dyn FnMut(Line<'_>) -> bool,
) -> Result<(), AppError> {
    let (store, entry) = (&*request.store, &request.entry);
    match (request.stream, entry.run()) {
        (None, _) => line_reader::lines(store, entry.reference, from, take)?,
        (Some(stream), Some(run)) => {
            line_reader::lines_of_stream(store, entry, &run.spans, stream, from, take)?;
        }
        (Some(Stream::Stdout | Stream::Stderr), None) => {
            return Err(AppError::bad_input("only a run has streams", "leave `stream` out"));
        }
    }
    Ok(())
}

/// A page that takes lines until it is full.
struct Filling {
    text: String,
    bytes: usize,
    last: u64,
    shown: Option<u64>,
    next: Option<Position>,
}

impl Filling {
    fn new(bytes: usize, last: u64) -> Self {
        Self { text: String::new(), bytes, last, shown: None, next: None }
    }

    fn take(&mut self, line: &Line<'_>) -> bool {
        if line.number > self.last {
            return false;
        }
        let clean = forebay_digest::clean(line.bytes);
        let fits = self.text.len() + clean.len() < self.bytes;
        if !fits && self.shown.is_none() {
            return self.take_beginning(line);
        }
        if !fits {
            self.next = Some(Position { line: line.number, offset: line.offset });
            return false;
        }
        self.append(line, &clean);
        true
    }

    /// A first line that is larger than a page is shown as far as it goes.
    fn take_beginning(&mut self, line: &Line<'_>) -> bool {
        let mut end = self.bytes.min(line.bytes.len());
        while end > 1 && line.bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
            end -= 1;
        }
        // Cleaning can only grow bytes that are no UTF-8, threefold at most.
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
