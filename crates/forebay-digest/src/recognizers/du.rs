//! `du`: the total and the largest folders.

use super::tool_errors::{ToolErrors, is_tool_error};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "du",
    keeps: "number of entries; total; largest entries first",
    commands: &["du", "dust"],
    scope: Scope::Whole(claims),
    create: || Box::<Du>::default(),
};

/// Number of largest entries held.
const MAX_ENTRIES: usize = 60;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let enough = start.nonblank_lines().count() >= 3;
    // Other tools print sizes before paths too.
    let may_be_du = start.command.programs().is_empty()
        || FORMAT.commands.iter().any(|pattern| start.command.matches(pattern));
    (enough && may_be_du && start.mostly(98, |line| row(line).is_some() || is_tool_error(line)))
        .then_some(start.claim())
}

#[derive(Debug, Default)]
struct Du {
    entries: u64,
    largest: Vec<(f64, String)>,
    smallest: f64,
    last: Option<String>,
    tool_errors: ToolErrors,
}

impl Recognizer for Du {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if self.tool_errors.push_line(line.text) {
            return Mark::REASON;
        }
        let Some((size, path)) = row(line.text) else { return Mark::Foreign };
        self.last = Some(line.text.replace('\t', " "));
        if path == "total" {
            return Mark::Plain;
        }
        self.entries += 1;
        if self.largest.len() < MAX_ENTRIES || size > self.smallest {
            self.largest.push((size, line.text.trim().replace('\t', " ")));
            self.largest.sort_by(|one, other| other.0.total_cmp(&one.0));
            self.largest.truncate(MAX_ENTRIES);
            self.smallest = self.largest.last().map_or(0.0, |(size, _)| *size);
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let summary = format!("du: {} entries; last line: {}", self.entries, self.last?);
        let mut report = Report::with_summary(summary, Quotes::None);
        self.tool_errors.add_facts(&mut report);
        report.add(95, "largest first:");
        for (index, (_, row)) in self.largest.iter().enumerate() {
            report.add_item(90 - index as u32, row.clone());
        }
        report.add_unlisted(self.entries.saturating_sub(self.largest.len() as u64));
        Some(report)
    }
}

/// Parses size, tab, path.
fn row(line: &str) -> Option<(f64, &str)> {
    let (size, path) = line.split_once('\t')?;
    let number = size.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match size.trim()[number.len()..].chars().next() {
        None | Some('K' | 'k') => 1.0,
        Some('B') => 1.0 / 1024.0,
        Some('M') => 1024.0,
        Some('G') => 1024.0 * 1024.0,
        Some('T') => 1024.0 * 1024.0 * 1024.0,
        Some(_) => return None,
    };
    (!path.is_empty() && !path.contains('\t')).then_some((number.parse::<f64>().ok()? * unit, path))
}
