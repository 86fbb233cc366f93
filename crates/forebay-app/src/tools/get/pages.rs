//! Pages of plain text, cut between lines where possible.

use forebay_domain::Stream;
use forebay_text::line_range::LineRanges;

use super::{Page, Request};
use crate::AppError;
use crate::stores::line_reader::{self, Line, Position};

/// Returns the requested lines, as many as fit on one page.
pub(super) fn text(request: &Request) -> Result<Page, AppError> {
    let total = total_lines(request)?;
    let ranges = request.ranges.clone().unwrap_or_else(LineRanges::all).within(total);
    let Some(start) = ranges.first() else { return out_of_range(total) };
    let end = ranges.last().map_or(0, |(_, last)| *last);
    if request.from.is_some_and(|at| at.line > end) {
        return out_of_range(total);
    }
    let from = match request.from {
        Some(at) if at.line >= start.0 => at,
        _ => Position { line: start.0, offset: 0 },
    };
    let mut page = PageBuilder::new(request.page_bytes());
    for (first, last) in ranges.into_iter().filter(|(_, last)| *last >= from.line) {
        let start = if from.line >= first { from } else { Position { line: first, offset: 0 } };
        if !page.begin_range(start, last) {
            break;
        }
        for_each_line(request, start, &mut |line| page.add(&line))?;
        if page.next.is_some() {
            break;
        }
    }
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
    /// The last line of the current range.
    last: u64,
    /// The first and last lines shown of earlier ranges.
    earlier: Vec<(u64, u64)>,
    /// The first line of the current range, and the last one shown.
    first: u64,
    shown: Option<u64>,
    next: Option<Position>,
}

/// Marks the lines between two ranges; ranges may also be adjacent, or in any order.
fn gap_mark(first: u64, last: u64) -> String {
    match () {
        () if first < last => format!("\n… lines {first}-{last}"),
        () if first == last => format!("\n… line {first}"),
        () if first == last + 1 => String::new(),
        () => "\n…".to_owned(),
    }
}

impl PageBuilder {
    fn new(bytes: usize) -> Self {
        Self {
            text: String::new(),
            bytes,
            last: 0,
            earlier: Vec::new(),
            first: 0,
            shown: None,
            next: None,
        }
    }

    /// Starts a range, with a mark for the gap before it; false if the page has no room for more.
    fn begin_range(&mut self, start: Position, last: u64) -> bool {
        if let Some(shown) = self.shown {
            let mark = gap_mark(shown + 1, start.line - 1);
            if self.text.len() + mark.len() >= self.bytes {
                self.next = Some(start);
                self.last = last;
                return false;
            }
            self.text.push_str(&mark);
            self.earlier.push((self.first, shown));
        }
        (self.first, self.last) = (start.line, last);
        true
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
        let whole = from == Position::START
            && self.earlier.is_empty()
            && self.next.is_none()
            && shown >= request.entry.lines;
        let current = (self.first.max(1), shown.max(self.first));
        let ranges: Vec<String> = self
            .earlier
            .iter()
            .chain([&current])
            .map(
                |(first, last)| {
                    if first == last { first.to_string() } else { format!("{first}-{last}") }
                },
            )
            .collect();
        let ranges = ranges.join(", ");
        let about = match (request.stream, whole) {
            (Some(Stream::Stdout), _) => format!("stdout lines {ranges}"),
            (Some(Stream::Stderr), _) => format!("stderr lines {ranges}"),
            (None, true) => forebay_text::number::counted(request.entry.lines, "line"),
            (None, false) => format!("lines {ranges} {}", request.of_lines()),
        };
        let next = self.next.filter(|next| next.line <= self.last);
        Page { about, text: self.text, next }
    }
}
