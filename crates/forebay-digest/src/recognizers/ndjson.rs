//! JSON lines, including logs: fields with counts and ranges, levels, time range; quotes bad lines.

use std::sync::LazyLock;

use forebay_text::number::counted;
use memchr::memmem;

use super::json::{JsonReader, Shape};
use super::{
    Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, go_json, rustc,
};
use crate::lines::Line;
use crate::log_prefix::{self, Level};

pub(super) const FORMAT: Format = Format {
    name: "json lines",
    keeps: "number of objects; fields with types, counts, ranges and frequent values; lines of level error or fatal",
    commands: &["jq -c", "docker events"],
    scope: Scope::Whole(claims),
    create: || Box::<NdJson>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let lines = start.nonblank_lines().count();
    let is_cargo = start.lines.iter().any(|line| rustc::is_json_message(line));
    (lines >= 2 && !is_cargo && start.mostly(90, is_object)).then_some(Claim::Sure)
}

fn is_object(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('{') && line.ends_with('}') && line.contains(':')
}

/// Returns true for messages of cargo and events of `go test`.
fn is_read_by_others(line: &str) -> bool {
    rustc::is_json_message(line) || go_json::is_event(line)
}

/// Returns true for a line that starts as JSON does, even if it is cut; `[ 50%] Building` does not.
fn may_be_json(line: &str) -> bool {
    let object = line.strip_prefix('{').map(str::trim_start);
    let array = line.strip_prefix('[').filter(|rest| rest.ends_with(']')).map(str::trim_start);
    object.is_some_and(|rest| rest.starts_with(['"', '}']))
        || array.is_some_and(|rest| rest.starts_with(['"', '{', '[', ']']))
}

#[derive(Debug)]
struct NdJson {
    reader: JsonReader,
    shape: Shape,
    objects: u64,
    others: u64,
}

impl Default for NdJson {
    fn default() -> Self {
        Self { reader: JsonReader::new(), shape: Shape::new(), objects: 0, others: 0 }
    }
}

impl Recognizer for NdJson {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim().is_empty() {
            return Mark::Noise;
        }
        if !may_be_json(line.text.trim()) || is_read_by_others(line.text) {
            return Mark::Foreign;
        }
        self.reader.reset();
        self.reader.read(line.text, &mut self.shape);
        if self.reader.is_invalid || self.reader.is_open() {
            self.others += 1;
            return Mark::FAILURE;
        }
        self.objects += 1;
        match line_level(line.text) {
            Some(Level::Fatal) => Mark::OUTCOME,
            Some(Level::Error) => Mark::REASON,
            Some(Level::Warning) => Mark::Weight(25),
            _ if self.objects <= 2 => Mark::Weight(20),
            _ => Mark::Noise,
        }
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        // Truncated lines were counted into the shape up to the error.
        if self.objects == 0 || self.others * 20 > self.objects {
            return None;
        }
        let others = match self.others {
            0 => String::new(),
            invalid => format!(
                ", {} that {} not JSON (partly counted below)",
                counted(invalid, "line"),
                if invalid == 1 { "is" } else { "are" }
            ),
        };
        let mut report = Report::with_summary(
            format!("JSON lines: {} objects{others}", self.objects),
            Quotes::Marked,
        );
        self.shape.add_facts(&mut report, if context.max_bytes > 2_000 { 10 } else { 5 });
        Some(report)
    }
}

/// Returns the level in a field of the line.
fn line_level(line: &str) -> Option<Level> {
    static KEYS: LazyLock<[memmem::Finder<'_>; 3]> =
        LazyLock::new(|| ["\"level\"", "\"severity\"", "\"lvl\""].map(memmem::Finder::new));
    let at =
        KEYS.iter().find_map(|key| key.find(line.as_bytes()).map(|at| at + key.needle().len()))?;
    let value = line[at..].trim_start_matches([':', ' ', '"']);
    numeric_level(value)
        .or_else(|| log_prefix::find_level(value.split('"').next()?).map(|(level, _)| level))
}

/// Parses the numeric levels of pino and bunyan.
fn numeric_level(value: &str) -> Option<Level> {
    match value.get(..2)? {
        _ if value.as_bytes().get(2).is_some_and(u8::is_ascii_digit) => None,
        "60" => Some(Level::Fatal),
        "50" => Some(Level::Error),
        "40" => Some(Level::Warning),
        "30" => Some(Level::Info),
        "10" | "20" => Some(Level::Debug),
        _ => None,
    }
}
