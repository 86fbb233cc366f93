//! Markdown: its outline with line numbers; code blocks, tables and links counted.

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    keeps: "headings with their lines; code blocks, links and table rows counted; the start",
    commands: &["glow", "mdcat"],
    scope: Scope::Whole(claims),
    start: || Box::<Markdown>::default(),
};

/// Headings beyond so many are only counted.
const HELD: usize = 400;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let expected = start.expected || start.command.reads_file(&["md", "mdx", "markdown"]);
    let headings = start.lines.iter().filter(|line| heading(line).is_some()).count();
    let opens = start.telling().next().is_some_and(|first| heading(first).is_some());
    let has_blank = start.lines.iter().any(|line| line.is_empty());
    (headings >= 1 && expected || opens && headings >= 3 && has_blank).then_some(if expected { Claim::Sure } else { Claim::Likely })
}

/// The level and the text of `## Text`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let text = line[level..].strip_prefix(' ')?;
    ((1..=6).contains(&level) && !text.trim().is_empty()).then(|| (level, text.trim()))
}

#[derive(Debug, Default)]
struct Markdown {
    outline: Vec<(usize, String, u64)>,
    headings: u64,
    code_blocks: u64,
    in_code: bool,
    links: u64,
    table_rows: u64,
}

impl Recognizer for Markdown {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if text.trim_start().starts_with("```") {
            self.in_code = !self.in_code;
            self.code_blocks += u64::from(self.in_code);
            return Mark::Plain;
        }
        if self.in_code {
            return Mark::Plain;
        }
        self.links += text.matches("](").count() as u64;
        self.table_rows += u64::from(text.starts_with('|'));
        if let Some((level, title)) = heading(text) {
            self.headings += 1;
            if self.outline.len() < HELD {
                self.outline.push((level, title.to_owned(), line.number));
            }
            return Mark::Noise;
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.headings == 0 {
            return None;
        }
        let counts = [(self.code_blocks, "code block"), (self.links, "link"), (self.table_rows, "table row")];
        let mut said = forebay_domain::text::number::counted(self.headings, "heading");
        for (count, noun) in counts.iter().filter(|(count, _)| *count > 0) {
            said += &format!(", {}", forebay_domain::text::number::counted(*count, noun));
        }
        let mut report = Report::of(format!("markdown: {said}"), Quotes::Usual).failing(false);
        for (level, title, line) in &self.outline {
            let marks = "#".repeat(*level);
            report.add(90 - 10 * *level as u32, format!("{line}: {marks} {title}"));
        }
        Some(report)
    }
}
