//! JSON: its shape, counts, ranges and choices of values, field by field.

mod map;
mod reader;
mod shape;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
pub(super) use reader::Reader;
pub(super) use shape::{Shape, Spot};

pub(super) const FORMAT: Format = Format {
    name: "json",
    keeps: "the shape: fields with types, counts, ranges, the most frequent values; single values themselves",
    commands: &["jq", "gh api", "kubectl get -o json", "npm ls --json", "cargo metadata"],
    scope: Scope::Whole(claims),
    start: || Box::new(Json { reader: Reader::new(), shape: Shape::new(), good_lines: 0, cut: false }),
};

/// The whole start reads as JSON.
fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.telling().next()?.trim_start();
    if !first.starts_with(['{', '[']) || first.starts_with("[INFO") {
        return None;
    }
    let (mut reader, mut shape) = (Reader::new(), Shape::new());
    let lines = start.lines.len();
    for line in start.lines.iter().take(lines.max(2) - 1) {
        reader.read(line, &mut shape);
    }
    let reads = !reader.broken || (lines == 1 && first.starts_with(['{', '[']) && first.contains('"'));
    (reads && reader.documents < 2 && (lines > 1 || first.len() > 40)).then_some(Claim::Sure)
}

#[derive(Debug)]
struct Json {
    reader: Reader,
    shape: Shape,
    good_lines: u64,
    cut: bool,
}

impl Recognizer for Json {
    fn take(&mut self, line: Line<'_>) -> Mark {
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
            true => format!("JSON {}", self.shape.headline()),
            false if self.reader.broken => format!("JSON, read only to line {}: what follows is not JSON", self.good_lines),
            false => "JSON that breaks off; of what was read:".to_owned(),
        };
        let quotes = if whole { Quotes::Sample } else { Quotes::Usual };
        let mut report = Report::of(said, quotes);
        self.shape.tell(&mut report, if end.room > 2_000 { 10 } else { 5 });
        Some(report)
    }
}
