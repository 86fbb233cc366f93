//! JSON lines, logs among them: fields with counts and ranges, levels, time range; bad lines quoted.

use std::sync::LazyLock;

use memchr::memmem;

use super::json::{Reader, Shape};
use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::when::{self, Level};

pub(super) const FORMAT: Format = Format {
    name: "json lines",
    keeps: "objects; fields with types, counts, ranges and frequent values; lines of the levels error and fatal",
    commands: &["jq -c", "docker events", "cargo --message-format=json"],
    scope: Scope::Whole(claims),
    start: || Box::<NdJson>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let lines = start.telling().count();
    (lines >= 2 && start.mostly(90, is_object)).then_some(Claim::Sure)
}

fn is_object(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('{') && line.ends_with('}') && line.contains(':')
}

#[derive(Debug)]
struct NdJson {
    reader: Reader,
    shape: Shape,
    objects: u64,
    others: u64,
}

impl Default for NdJson {
    fn default() -> Self {
        Self { reader: Reader::new(), shape: Shape::new(), objects: 0, others: 0 }
    }
}

impl Recognizer for NdJson {
    fn take(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim().is_empty() {
            return Mark::Noise;
        }
        self.reader.start_over();
        self.reader.read(line.text, &mut self.shape);
        if self.reader.broken || self.reader.is_open() {
            self.others += 1;
            return Mark::FAILURE;
        }
        self.objects += 1;
        match level_of(line.text) {
            Some(Level::Fatal) => Mark::OUTCOME,
            Some(Level::Error) => Mark::REASON,
            Some(Level::Warning) => Mark::Weight(25),
            _ if self.objects <= 2 => Mark::Weight(20),
            _ => Mark::Noise,
        }
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        // Lines that broke off were counted into the shape up to their break.
        if self.objects == 0 || self.others * 20 > self.objects {
            return None;
        }
        let others = match self.others {
            0 => String::new(),
            count => format!(", {count} lines that are no JSON (in part counted below)"),
        };
        let mut report = Report::of(format!("JSON lines: {} objects{others}", self.objects), Quotes::Marked);
        self.shape.tell(&mut report, if end.room > 2_000 { 10 } else { 5 });
        Some(report)
    }
}

/// The level that the line has as the value of a field.
fn level_of(line: &str) -> Option<Level> {
    static KEYS: LazyLock<[memmem::Finder<'_>; 3]> =
        LazyLock::new(|| ["\"level\"", "\"severity\"", "\"lvl\""].map(memmem::Finder::new));
    let at = KEYS.iter().find_map(|key| key.find(line.as_bytes()).map(|at| at + key.needle().len()))?;
    let value = line[at..].trim_start_matches([':', ' ', '"']);
    when::level(value.split('"').next()?).map(|(level, _)| level)
}
