//! JSON: its shape, counts, ranges and choices of values, field by field.

mod map;
mod reader;
mod shape;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use forebay_text::number::counted;
pub(super) use reader::Reader;
pub(super) use shape::{Shape, Spot};

pub(super) const FORMAT: Format = Format {
    name: "json",
    keeps: "the shape: fields with types, counts, ranges, the most frequent values; single values themselves",
    commands: &["jq", "gh api", "kubectl get -o json", "npm ls --json", "cargo metadata"],
    scope: Scope::Whole(claims),
    start: || {
        Box::new(Json {
            reader: Reader::new(),
            shape: Shape::new(),
            good_lines: 0,
            cut: false,
            before: 0,
        })
    },
};

/// So many lines of something else, warnings mostly, may stand before the data.
const BEFORE: usize = 5;

/// Data may start with this line; `[INFO] …` and `[1/4] …` are none.
fn opens(line: &str) -> bool {
    let rest = line.trim_start();
    let inside = rest.strip_prefix('{').or_else(|| rest.strip_prefix('[')).map(str::trim_start);
    inside.is_some_and(|inside| {
        let is_step = inside.split_once(']').is_some_and(|(step, after)| {
            !step.contains(['"', '{', '[']) && !after.trim().is_empty() && !after.starts_with(',')
        });
        !is_step
            && (inside.is_empty()
                || inside.starts_with(['"', '{', '[', '}', ']', '-', 't', 'f', 'n'])
                || inside.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// The whole start reads as JSON, but for a few lines before it.
fn claims(start: &Start<'_>) -> Option<Claim> {
    let before = start.lines.iter().take(BEFORE + 1).position(|line| opens(line))?;
    if start.lines[..before].iter().any(|line| line.starts_with("HTTP/")) {
        // The head of an answer says more than that lines stand before its body.
        return None;
    }
    let first = start.lines[before].trim_start();
    let (mut reader, mut shape) = (Reader::new(), Shape::new());
    let lines = start.lines.len() - before;
    for line in start.lines.iter().skip(before).take(lines.max(2) - 1) {
        reader.read(line, &mut shape);
    }
    let reads =
        !reader.broken || (lines == 1 && first.starts_with(['{', '[']) && first.contains('"'));
    (reads && reader.documents < 2 && (lines > 1 || first.len() > 40)).then_some(Claim::Sure)
}

#[derive(Debug)]
struct Json {
    reader: Reader,
    shape: Shape,
    good_lines: u64,
    cut: bool,
    /// Lines of something else before the data.
    before: u64,
}

impl Recognizer for Json {
    fn take(&mut self, line: Line<'_>) -> Mark {
        if self.good_lines == 0 && !opens(line.text) {
            self.before += u64::from(!line.text.trim().is_empty());
            return Mark::REASON;
        }
        if !self.reader.broken {
            self.reader.read(line.text, &mut self.shape);
            self.good_lines = line.number;
        }
        self.cut |= line.cut > 0;
        Mark::Plain
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        let whole = !self.reader.broken && !self.reader.is_open() && !self.cut;
        if !whole && self.good_lines < 3 && !self.cut {
            return None;
        }
        let said = match whole {
            true if self.before > 0 => format!(
                "JSON {}, below {}",
                self.shape.headline(),
                counted(self.before, "other line")
            ),
            true => format!("JSON {}", self.shape.headline()),
            false if self.reader.broken => {
                format!("JSON, read only to line {}: what follows is not JSON", self.good_lines)
            }
            false => "JSON that breaks off; of what was read:".to_owned(),
        };
        let quotes = if whole { Quotes::Sample } else { Quotes::Usual };
        let mut report = Report::of(said, quotes);
        self.shape.tell(&mut report, if end.room > 2_000 { 10 } else { 5 });
        Some(report)
    }
}
