//! `grep -c`, `rg -c`: total of the counts, files with the most matches.

use forebay_text::number::{counted, grouped};

use super::path_lead::PathLeads;
use super::tool_errors::{ToolErrors, is_tool_error};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::Sum;

pub(super) const FORMAT: Format = Format {
    name: "grep -c, rg -c",
    keeps: "total of the counts; files with and without matches; files with the most matches",
    commands: &["grep -c", "grep -rc", "rg -c", "rg --count-matches", "git grep -c"],
    scope: Scope::Whole(claims),
    create: || Box::<GrepCount>::default(),
};

/// Tools whose counts are read, however the option is written.
const TOOLS: &[&str] = &["grep", "egrep", "rg", "git grep", "ugrep", "ag"];

/// Number of files with the most matches that are listed.
const MAX_FILES: usize = 30;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let counts = ["--count", "--count-matches"]
        .iter()
        .any(|flag| start.command.has_option(TOOLS, 'c', flag));
    let reads = start.mostly(100, |line| count_of(line).is_some() || is_tool_error(line));
    (counts && reads).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct GrepCount {
    sum: Sum,
    files: u64,
    matching: u64,
    top: Vec<(u64, String)>,
    leads: PathLeads,
    tool_errors: ToolErrors,
}

impl Recognizer for GrepCount {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if line.text.is_empty() || self.tool_errors.push_line(line.text) {
            return Mark::Noise;
        }
        let Some((path, count)) = count_of(line.text).filter(|(path, _)| self.leads.fit(path))
        else {
            return Mark::Foreign;
        };
        self.leads.add(path);
        self.files += 1;
        self.sum += count;
        self.matching += u64::from(count > 0);
        let lowest = self.top.last().map_or(0, |(lowest, _)| *lowest);
        if self.top.len() < MAX_FILES || count > lowest {
            let at = self.top.partition_point(|(more, _)| *more >= count);
            self.top.insert(at, (count, path.to_owned()));
            self.top.truncate(MAX_FILES);
        }
        Mark::Noise
    }

    fn can_resume(&self) -> bool {
        // Any location in a file is written like a count.
        false
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let sum = self.sum.known().filter(|_| self.files > 0)?;
        let of_files = if self.matching < self.files {
            format!(" of {}", grouped(self.files))
        } else {
            String::new()
        };
        let summary =
            format!("total {} in {}{of_files} files", grouped(sum), grouped(self.matching));
        let mut report = Report::with_summary(summary, Quotes::None);
        self.tool_errors.add_facts(&mut report);
        if self.matching < self.files {
            report.add(
                95,
                format!("{} without a match", counted(self.files - self.matching, "file")),
            );
        }
        let shown = self.top.len().min(context.max_bytes / 40);
        for (index, (count, path)) in self.top[..shown].iter().enumerate() {
            report.add_item(80 - index as u32, format!("{path}: {}", grouped(*count)));
        }
        report.add_unlisted(self.matching.saturating_sub(shown as u64));
        Some(report)
    }
}

/// Parses `path:12`; `path:12:5` is a location, and what contains `: ` a message.
pub(super) fn count_of(line: &str) -> Option<(&str, u64)> {
    let (path, count) = line.rsplit_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_location = path.rsplit_once(':').is_some_and(|(_, line)| is_number(line));
    // gdb writes `#3 0x5f in weigh () at graph.cpp:7`.
    let is_frame = path.starts_with('#') && path.contains(" at ");
    let is_path = !path.is_empty() && !path.starts_with([' ', '\t']) && !path.contains(": ");
    (is_number(count) && is_path && !is_location && !is_frame)
        .then_some((path, count.parse().ok()?))
}
