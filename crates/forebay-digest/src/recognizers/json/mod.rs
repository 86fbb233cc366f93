//! JSON: shape, counts, value ranges and frequent values, field by field.

mod map;
mod reader;
mod shape;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, rustc};
use crate::lines::Line;
use forebay_text::number::counted;
pub(super) use reader::JsonReader;
pub(super) use shape::{FieldId, Shape};

pub(super) const FORMAT: Format = Format {
    name: "json",
    keeps: "shape: fields with types, counts, ranges and frequent values; single values",
    commands: &["jq", "gh api", "kubectl get -o json", "npm ls --json", "cargo metadata"],
    scope: Scope::Whole(claims),
    create: || {
        Box::new(Json {
            reader: JsonReader::new(),
            shape: Shape::new(),
            valid_lines: 0,
            is_cut: false,
            opening: None,
        })
    },
};

/// Maximum number of other lines, mostly warnings, before the data.
const MAX_LINES_BEFORE: usize = 5;

/// Returns true if JSON may start on this line; rejects `[INFO] …` and `[1/4] …`.
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

/// Claims a text that is valid JSON, except for a few lines before it.
fn claims(start: &Start<'_>) -> Option<Claim> {
    let before = start.lines.iter().take(MAX_LINES_BEFORE + 1).position(|line| opens(line))?;
    if start.lines[..before].iter().any(|line| line.starts_with("HTTP/")) {
        // An HTTP response is recognized with its headers.
        return None;
    }
    if rustc::is_json_message(start.lines[before]) {
        return None;
    }
    let first = start.lines[before].trim_start();
    let (mut reader, mut shape) = (JsonReader::new(), Shape::new());
    let lines = start.lines.len() - before;
    for line in start.lines.iter().skip(before).take(lines.max(2) - 1) {
        reader.read(line, &mut shape);
    }
    let reads =
        !reader.is_invalid || (lines == 1 && first.starts_with(['{', '[']) && first.contains('"'));
    // A value on each line has recognizers of its own.
    let is_stream = reader.documents > 1 && reader.documents + 1 >= lines as u64;
    (reads && !is_stream && (lines > 1 || first.len() > 40)).then_some(Claim::Sure)
}

#[derive(Debug)]
struct Json {
    reader: JsonReader,
    shape: Shape,
    valid_lines: u64,
    is_cut: bool,
    /// The first character of the first value; a stream has values of one kind.
    opening: Option<char>,
}

impl Recognizer for Json {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim().is_empty() {
            return Mark::Plain;
        }
        // Between values, a line that starts none belongs to something else.
        if rustc::is_json_message(line.text) {
            return Mark::Foreign;
        }
        if self.reader.is_invalid || !self.reader.is_open() && !self.starts_value(line.text) {
            return Mark::Foreign;
        }
        if !self.reader.is_open() && !self.is_of_kind(line.text) {
            return Mark::Foreign;
        }
        self.reader.read(line.text, &mut self.shape);
        if self.reader.is_invalid {
            return Mark::Foreign;
        }
        self.valid_lines = line.number;
        self.is_cut |= line.cut > 0;
        Mark::Plain
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let is_complete = !self.reader.is_invalid && !self.reader.is_open() && !self.is_cut;
        if !is_complete && self.valid_lines < 3 && !self.is_cut {
            return None;
        }
        let summary = match is_complete {
            true if self.reader.documents > 1 => format!(
                "{}: {}",
                counted(self.reader.documents, "JSON value"),
                self.shape.summary()
            ),
            true => format!("JSON {}", self.shape.summary()),
            false if self.reader.is_invalid => {
                "JSON that breaks off; fields until there:".to_owned()
            }
            false => "truncated JSON; fields so far:".to_owned(),
        };
        let quotes = if is_complete { Quotes::Sample } else { Quotes::Default };
        let mut report = Report::with_summary(summary, quotes);
        self.shape.add_facts(&mut report, if context.max_bytes > 2_000 { 10 } else { 5 });
        Some(report)
    }
}

impl Json {
    /// Returns true if a value that starts here is an object like the others, or an array.
    fn is_of_kind(&mut self, line: &str) -> bool {
        let opening = line.trim_start().chars().next().filter(|c| ['{', '['].contains(c));
        opening.is_none_or(|opening| *self.opening.get_or_insert(opening) == opening)
    }

    /// Returns true if a value may start on this line, the first one or the next of a stream.
    fn starts_value(&self, line: &str) -> bool {
        opens(line) || self.reader.documents > 0 && self.shape.is_scalar() && is_scalar(line)
    }
}

fn is_scalar(line: &str) -> bool {
    let text = line.trim();
    text.len() > 1 && text.starts_with('"') && text.ends_with('"')
        || matches!(text, "true" | "false" | "null")
        || text.parse::<f64>().is_ok()
}
