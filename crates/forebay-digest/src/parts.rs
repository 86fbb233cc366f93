//! Reads a text as parts, each in one format, and keeps their counts apart.
//!
//! `git log; git status` prints two formats in a row, and a warning may interrupt either. Counts of
//! a recognizer are about the lines it accepts as its own; the other lines are reported to the reader.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ptr;

use forebay_text::cut;
use forebay_text::number::counted;

use crate::command::Command;
use crate::lines::Line;
use crate::recognizers::{FieldOrder, Format, Mark, Quotes, Recognizer, Report, ReportContext};

/// Maximum number of parts with facts of their own.
const MAX_PARTS: usize = 6;

/// Number of foreign lines in a row after which another format is looked for.
const BLOCK_LINES: usize = 24;

/// Maximum bytes of these lines.
const BLOCK_BYTES: usize = 16 * 1024;

/// Fewer nonblank lines are not a part of their own.
const MIN_PART_LINES: usize = 4;

/// A part whose grammar is wide ends after this many foreign lines.
const MAX_INTERRUPTION: usize = 3;

/// Number of blocks in which no other format was found before none is looked for anymore.
const MAX_FAILED_BLOCKS: u32 = 8;

/// Up to this many foreign lines at either end are reported as other lines, not as another part.
const MAX_EDGE_LINES: u64 = 5;

/// Number of foreign lines quoted among the facts.
const MAX_QUOTED_LINES: usize = 5;

/// Weight of a foreign line among the facts.
const FOREIGN_LINE_WEIGHT: u32 = 86;

/// A text that starts in a known format.
#[derive(Debug)]
pub(crate) struct Parts {
    command: Command,
    closed: Vec<ClosedPart>,
    open: RecognizedPart,
    /// Foreign lines since the last own one; they may start another part.
    block: Vec<BlockLine>,
    block_bytes: usize,
    failed_blocks: u32,
    after_blank: bool,
    max_bytes: usize,
}

/// The lines that one recognizer reads.
#[derive(Debug)]
struct RecognizedPart {
    format: Option<&'static Format>,
    recognizer: Box<dyn Recognizer>,
    /// The first and the last line that it accepted.
    first: u64,
    last: u64,
    own_lines: u64,
    foreign: ForeignLines,
    /// The first foreign lines.
    quoted: Vec<String>,
}

/// Nonblank lines that a recognizer did not accept.
#[derive(Debug, Default, Clone, Copy)]
struct ForeignLines {
    before: u64,
    between: u64,
    /// Since the last own line.
    after: u64,
}

impl ForeignLines {
    /// Returns true if there are only a few lines before and after.
    fn has_small_edges(self) -> bool {
        self.before + self.after <= MAX_EDGE_LINES
    }

    fn total(self) -> u64 {
        self.before + self.between + self.after
    }
}

#[derive(Debug)]
struct ClosedPart {
    format: Option<&'static Format>,
    counts_lines: bool,
    report: Option<Report>,
    first: u64,
    last: u64,
    foreign: ForeignLines,
    quoted: Vec<String>,
}

#[derive(Debug)]
struct BlockLine {
    number: u64,
    text: String,
    cut: u64,
}

impl BlockLine {
    fn line(&self) -> Line<'_> {
        Line { number: self.number, text: &self.text, cut: self.cut, has_newline: true }
    }
}

/// Receives each line in order with its mark; `Mark::Foreign` for lines of no known part.
type Sink<'a> = &'a mut dyn FnMut(Line<'_>, Mark);

impl Parts {
    pub(crate) fn new(command: Command, format: &'static Format, max_bytes: usize) -> Self {
        Self {
            command,
            closed: Vec::new(),
            open: RecognizedPart::new(format),
            block: Vec::new(),
            block_bytes: 0,
            failed_blocks: 0,
            after_blank: false,
            max_bytes,
        }
    }

    pub(crate) fn push_line(&mut self, line: Line<'_>, sink: Sink<'_>) {
        let is_blank = line.text.trim().is_empty();
        let after_blank = std::mem::replace(&mut self.after_blank, is_blank);
        if after_blank && !is_blank && self.starts_again(line, sink) {
            return;
        }
        if is_blank && !self.block.is_empty() || !is_blank && self.is_over() {
            return self.hold(line, sink);
        }
        let mark = match self.open.recognizer.push_line(line) {
            Mark::Foreign if is_blank => Mark::Plain,
            mark => mark,
        };
        if mark == Mark::Foreign {
            return self.hold(line, sink);
        }
        self.release(sink);
        self.open.accept(line, is_blank);
        sink(line, mark);
    }

    /// Ends the text and returns its facts.
    pub(crate) fn finish(mut self, sink: Sink<'_>) -> Option<Report> {
        // A block may end in another one, of which only the rest is left each time.
        while !self.block.is_empty() && self.start_part(sink) {}
        self.release(sink);
        self.close_open();
        self.omit_shared_counts();
        merge(self.closed)
    }

    /// Holds a foreign line until it is known whether it starts another part.
    fn hold(&mut self, line: Line<'_>, sink: Sink<'_>) {
        if self.failed_blocks >= MAX_FAILED_BLOCKS || self.closed.len() + 1 >= MAX_PARTS {
            self.open.reject(line);
            return sink(line, Mark::Foreign);
        }
        self.block_bytes += line.text.len();
        self.block.push(BlockLine {
            number: line.number,
            text: line.text.to_owned(),
            cut: line.cut,
        });
        let is_full = self.block.len() >= BLOCK_LINES || self.block_bytes >= BLOCK_BYTES;
        if is_full && !self.start_part(sink) {
            self.failed_blocks += 1;
            self.release(sink);
        }
    }

    /// Returns true if the held lines ended a part that cannot go on after them.
    fn is_over(&self) -> bool {
        let held = self.block.iter().filter(|line| !line.text.trim().is_empty()).count();
        held + self.open.foreign.after as usize >= MAX_INTERRUPTION
            && !self.open.recognizer.can_resume()
    }

    /// Starts a part with the held lines if they are in a known format.
    ///
    /// A few lines before it may be something else, such as the end of what came before.
    fn start_part(&mut self, sink: Sink<'_>) -> bool {
        (0..=MAX_EDGE_LINES as usize).any(|skipped| self.start_part_after(skipped, sink))
    }

    fn start_part_after(&mut self, skipped: usize, sink: Sink<'_>) -> bool {
        let Some(lines) = self.block.get(skipped..) else { return false };
        let is_nonblank = |line: &BlockLine| !line.text.trim().is_empty();
        if !lines.first().is_some_and(is_nonblank)
            || lines.iter().filter(|line| is_nonblank(line)).count() < MIN_PART_LINES
        {
            return false;
        }
        let text: String = lines.iter().map(|line| format!("{}\n", line.text)).collect();
        let Some(format) = Format::detect(&self.command, &text) else { return false };
        let mut part = RecognizedPart::new(format);
        // One of the first lines must be its own, or the same block would be held again and again.
        let mut marks = lines.iter().take(MAX_EDGE_LINES as usize + 1).map(|line| {
            if is_nonblank(line) { part.recognizer.push_line(line.line()) } else { Mark::Foreign }
        });
        let own = marks.by_ref().enumerate().find(|(_, mark)| *mark != Mark::Foreign);
        let Some((before, mark)) = own else { return false };
        let before = skipped + before;
        self.close_open();
        self.open = part;
        self.failed_blocks = 0;
        self.block_bytes = 0;
        for (index, line) in std::mem::take(&mut self.block).into_iter().enumerate() {
            match index.cmp(&before) {
                Ordering::Less => {
                    self.open.reject(line.line());
                    sink(line.line(), Mark::Foreign);
                }
                Ordering::Equal => {
                    self.open.accept(line.line(), false);
                    sink(line.line(), mark);
                }
                Ordering::Greater => self.push_line(line.line(), sink),
            }
        }
        true
    }

    /// Passes on held lines that start no part.
    fn release(&mut self, sink: Sink<'_>) {
        self.block_bytes = 0;
        for line in self.block.drain(..) {
            self.open.reject(line.line());
            sink(line.line(), Mark::Foreign);
        }
    }

    /// Starts a part of the same format with a line after a blank one, if another command prints it.
    fn starts_again(&mut self, line: Line<'_>, sink: Sink<'_>) -> bool {
        let Some(format) = self.open.format else { return false };
        let commands = self.command.count_matching(format.commands);
        let may_start = commands > 1
            && self.block.is_empty()
            && self.open.recognizer.ends_at_blank()
            && self.count_closed(format) < commands
            && self.closed.len() + 1 < MAX_PARTS;
        if !may_start {
            return false;
        }
        let mut part = RecognizedPart::new(format);
        let mark = part.recognizer.push_line(line);
        if mark == Mark::Foreign {
            return false;
        }
        part.accept(line, false);
        self.close_open();
        self.open = part;
        sink(line, mark);
        true
    }

    fn count_closed(&self, format: &Format) -> usize {
        let is_same = |part: &&ClosedPart| part.format.is_some_and(|other| ptr::eq(other, format));
        self.closed.iter().filter(is_same).count()
    }

    /// Returns the number of unread blocks, if only commands of the format can have printed them.
    fn count_unread(&self, format: &Format) -> usize {
        if !self.command.all_match(format.commands) {
            return 0;
        }
        let blocks = self.closed.iter().flat_map(|part| [part.foreign.before, part.foreign.after]);
        blocks.filter(|lines| *lines > MAX_EDGE_LINES).count()
    }

    /// Omits the counts of formats that several commands print, unless there is a part for each:
    /// they may list the same things.
    fn omit_shared_counts(&mut self) {
        for index in 0..self.closed.len() {
            let part = &self.closed[index];
            let Some(format) = part.format.filter(|_| !part.counts_lines) else { continue };
            let commands = self.command.count_matching(format.commands);
            let found = self.count_closed(format) + self.count_unread(format);
            if commands > 1 && commands != found {
                let part = &mut self.closed[index];
                part.report = part.report.take().map(Report::without_counts);
                part.foreign.between = 0;
                if part.foreign.has_small_edges() {
                    part.foreign = ForeignLines::default();
                }
            }
        }
    }

    fn close_open(&mut self) {
        let RecognizedPart { format, recognizer, first, last, own_lines, foreign, quoted } =
            std::mem::replace(&mut self.open, RecognizedPart::empty());
        let log_order = FieldOrder::in_command(&self.command);
        let context = ReportContext { lines: own_lines, max_bytes: self.max_bytes, log_order };
        let counts_lines = recognizer.counts_lines();
        // What is mostly something else was not understood.
        let is_reliable = own_lines > 0 && foreign.between <= own_lines;
        let report = is_reliable.then(|| recognizer.report(&context)).flatten();
        let report = match format {
            Some(format) => report.map(|report| report.stated_by(format.name)),
            None => report,
        };
        self.closed.push(ClosedPart { format, counts_lines, report, first, last, foreign, quoted });
    }
}

impl RecognizedPart {
    fn new(format: &'static Format) -> Self {
        Self { format: Some(format), recognizer: (format.create)(), ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            format: None,
            recognizer: Box::new(Nothing),
            first: 0,
            last: 0,
            own_lines: 0,
            foreign: ForeignLines::default(),
            quoted: Vec::new(),
        }
    }

    fn accept(&mut self, line: Line<'_>, is_blank: bool) {
        self.own_lines += 1;
        if is_blank {
            return;
        }
        let waiting = std::mem::take(&mut self.foreign.after);
        if self.first == 0 {
            self.first = line.number;
            self.foreign.before = waiting;
        } else {
            self.foreign.between += waiting;
        }
        self.last = line.number;
    }

    fn reject(&mut self, line: Line<'_>) {
        if line.text.trim().is_empty() {
            return;
        }
        self.foreign.after += 1;
        if self.quoted.len() < MAX_QUOTED_LINES {
            self.quoted.push(format!("line {}: {}", line.number, cut::one_line(line.text, 120)));
        }
    }
}

/// Stands in for a recognizer that was taken away.
#[derive(Debug)]
struct Nothing;

impl Recognizer for Nothing {
    fn push_line(&mut self, _line: Line<'_>) -> Mark {
        Mark::Foreign
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        None
    }
}

/// Merges the facts of all parts, each with the lines it is about unless these are all.
fn merge(parts: Vec<ClosedPart>) -> Option<Report> {
    let is_alone = parts.len() == 1;
    let mut merged: Option<Report> = None;
    for ClosedPart { report, first, last, foreign, quoted, .. } in parts {
        let Some(mut report) = report else { continue };
        let is_whole = is_alone && foreign.has_small_edges();
        let others = if is_whole { foreign.total() } else { foreign.between };
        if let Some(summary) = report.facts.first_mut() {
            if others > 0 {
                let _ = write!(summary.text, "; {}", counted(others, "other line"));
            }
            if !is_whole {
                summary.text = format!("lines {first}-{last}: {}", summary.text);
            }
        }
        if is_whole && others <= MAX_QUOTED_LINES as u64 {
            if report.quotes != Quotes::Default {
                for line in quoted {
                    report.add(FOREIGN_LINE_WEIGHT, line);
                }
            }
        } else {
            // What the facts do not cover has to be quoted.
            report.quotes = Quotes::Default;
        }
        merged = Some(match merged {
            Some(before) => before.merge(report),
            None => report,
        });
    }
    merged
}
