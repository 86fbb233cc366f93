//! `git diff --stat`: the summary, the largest changes, files by folder.

use std::cmp::Reverse;

use forebay_text::number::grouped;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "git diff --stat",
    keeps: "the summary; the files with the most changed lines; files by folder",
    commands: &["git diff --stat", "diffstat"],
    scope: Scope::Whole(claims),
    create: || Box::<DiffStat>::default(),
};

/// Number of files that are listed, and folders.
const MAX_FILES: usize = 24;
const MAX_FOLDERS: usize = 8;

/// Fewer files are quoted as they are.
const MIN_FILES: usize = 6;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let files = start.nonblank_lines().filter(|line| changed_file(line).is_some()).count();
    let is_stat = |line: &str| changed_file(line).is_some() || is_summary(line);
    (files >= MIN_FILES && start.mostly(95, is_stat)).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct DiffStat {
    /// The largest changes: changed lines, order, path.
    largest: Vec<(u64, Reverse<u64>, String)>,
    files: u64,
    folders: ValueCounts,
    summary: String,
}

impl Recognizer for DiffStat {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if text.is_empty() {
            return Mark::Noise;
        }
        if is_summary(text) {
            text.trim().clone_into(&mut self.summary);
            return Mark::OUTCOME;
        }
        let Some((path, changed)) = changed_file(text) else { return Mark::Foreign };
        self.files += 1;
        self.folders.add(path.split_once('/').map_or("./", |(folder, _)| folder));
        self.largest.push((changed, Reverse(self.files), path.to_owned()));
        if self.largest.len() > 2 * MAX_FILES {
            self.keep_largest();
        }
        Mark::Noise
    }

    fn ends_at_blank(&self) -> bool {
        true
    }

    fn report(mut self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        self.keep_largest();
        let mut report = Report::new(Quotes::None);
        report.add(100, self.summary.clone());
        if self.folders.distinct() > 1 {
            report.add(90, format!("files by folder: {}", self.folders.list(MAX_FOLDERS)));
        }
        report.add(89, "changed lines, the most first:");
        for (index, (changed, _, path)) in self.largest.iter().enumerate() {
            report.add_item(80 - index as u32, format!("{path}: {}", grouped(*changed)));
        }
        report.add_unlisted(self.files - self.largest.len() as u64);
        Some(report)
    }
}

impl DiffStat {
    fn keep_largest(&mut self) {
        self.largest.sort_unstable_by(|one, other| other.cmp(one));
        self.largest.truncate(MAX_FILES);
    }
}

/// Parses ` src/main.rs | 12 ++--`; returns the path and the number of changed lines.
fn changed_file(line: &str) -> Option<(&str, u64)> {
    let (path, change) = line.strip_prefix(' ')?.rsplit_once(" | ")?;
    let change = change.trim();
    let (number, graph) = change.split_once(' ').unwrap_or((change, ""));
    let is_binary = number == "Bin";
    let is_graph = graph.bytes().all(|byte| byte == b'+' || byte == b'-');
    let changed = if is_binary { Some(0) } else { number.parse().ok().filter(|_| is_graph) };
    Some((path.trim_end(), changed?))
}

/// Returns true for ` 200 files changed, 25367 insertions(+), 10419 deletions(-)`.
fn is_summary(line: &str) -> bool {
    let text = line.trim_start();
    let (number, rest) = text.split_once(' ').unwrap_or_default();
    number.parse::<u64>().is_ok()
        && (rest.starts_with("files changed") || rest.starts_with("file changed"))
}
