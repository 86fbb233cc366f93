//! Findings of linters and checkers without a recognizer of their own: counts by rule and file, and one finding of each
//! rule, the severe and the rare ones first.
//!
//! A finding has a place, a severity, a rule and a message, in any order on one line (`line`) or on several (`blocks`). A
//! text has one kind or the other. `totals` reads what the tool itself counts.

mod blocks;
mod line;
mod tally;
mod totals;

use super::{Claim, Format, Mark, Recognizer, Report, ReportContext, Scope, Start, eslint};
use crate::lines::Line;
use crate::tally::{Diagnostic, count};
use blocks::{BlockLine, Blocks};
use line::Finding;
use tally::{FindingCounts, OwnedFinding, PRINTED_TOTALS_WEIGHT};
use totals::Totals;

pub(super) const FORMAT: Format = Format {
    name: "findings of linters",
    keeps: "findings by rule and file; one of each rule with its place, severe and rare ones first, cosmetic ones last",
    commands: &[
        "pyright",
        "standard",
        "stylelint",
        "oxlint",
        "jshint",
        "bandit",
        "ansible-lint",
        "cfn-lint",
        "zizmor",
        "markdownlint",
        "markdownlint-cli2",
        "checkstyle",
    ],
    scope: Scope::Whole(claims),
    create: || Box::<Findings>::default(),
};

/// Fewer findings are quoted better than counted.
const MIN_FINDINGS: usize = 6;

/// Fewer findings of several lines may be something else.
const MIN_BLOCKS: u64 = 3;

/// The lines of a finding of several: its rule, and its place.
const BLOCK_HEAD: Mark = Mark::Weight(11);
const BLOCK_PLACE: Mark = Mark::Weight(10);

/// Percentage of the lines of the start that must be in the grammar.
const MIN_SHARE: usize = 85;

/// Nouns that count all findings in the summary of a tool, and those that count a part of them.
const NOUNS: &[&str] = &["problem", "issue", "finding", "violation", "offense"];
const PARTS: &[&str] = &["error", "failure", "warning", "info", "note"];

/// Claims a text if most of its lines are findings that name a rule or a severity, and what belongs to them.
fn claims(start: &Start<'_>) -> Option<Claim> {
    let mut reader = Findings::default();
    let (mut findings, mut foreign, mut all) = (0, 0, 0);
    for text in &start.lines {
        let mark = reader.push_line(Line { number: 0, text, cut: 0, has_newline: true });
        if text.trim().is_empty() {
            continue;
        }
        findings += usize::from(mark == Mark::DETAIL);
        foreign += usize::from(mark == Mark::Foreign);
        all += 1;
        // Stops early, because most texts are something else.
        if foreign * 100 > start.lines.len() * (100 - MIN_SHARE) {
            return None;
        }
    }
    let is_known = (all - foreign) * 100 >= all * MIN_SHARE;
    let is_enough = findings >= MIN_FINDINGS || reader.blocks.complete >= MIN_BLOCKS;
    (is_enough && is_known).then_some(start.claim())
}

#[derive(Debug, Default)]
struct Findings {
    counts: FindingCounts,
    /// The file of the findings below its name.
    file: String,
    /// The last line is the name of a file, so another name would be part of a list.
    is_at_file_name: bool,
    /// Other lines came after the name of the file, so it is unknown which file the next findings are about.
    is_interrupted: bool,
    /// The line that a finding without a place is about.
    place: Option<String>,
    /// The last finding, whose rule may follow in the next lines.
    open: Option<OwnedFinding>,
    blocks: Blocks,
    totals: Totals,
}

impl Recognizer for Findings {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        let is_after_file_name = std::mem::replace(&mut self.is_at_file_name, false);
        if text.is_empty() {
            self.close();
            self.blocks.end();
            return Mark::Plain;
        }
        if let Some(line) = self.blocks.go_on(text) {
            return self.block_line(line);
        }
        if self.blocks.complete == 0 {
            if let Some(mark) = self.finding(text) {
                return mark;
            }
            if let Some(path) = file_name(text) {
                return self.begin_file(path, is_after_file_name);
            }
        }
        if let Some(total) = reported_total(text) {
            self.close();
            self.counts.add_reported(total, text);
            return Mark::OUTCOME;
        }
        if is_separator(text) || self.totals.push(text) {
            return Mark::Noise;
        }
        let may_begin = self.counts.is_empty() || self.blocks.complete > 0;
        if may_begin
            && self.open.is_none()
            && self.file.is_empty()
            && let Some(line) = self.blocks.begin(text)
        {
            return self.block_line(line);
        }
        // An excerpt, or the rest of a message.
        let is_indented = text.starts_with([' ', '\t']);
        if is_indented && let Some(open) = &mut self.open {
            open.extend(text);
            return Mark::Noise;
        }
        if is_indented && self.place.is_some() {
            return Mark::Noise;
        }
        self.close();
        self.is_interrupted = true;
        Mark::Foreign
    }

    fn report(mut self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        self.close();
        self.blocks.end();
        self.counts.unknown = self.blocks.unplaced;
        let mut report = self.counts.report()?;
        for totals in self.totals.lines() {
            report.add(PRINTED_TOTALS_WEIGHT, totals);
        }
        Some(report)
    }
}

impl Findings {
    fn block_line(&mut self, line: BlockLine) -> Mark {
        match line {
            BlockLine::Head => BLOCK_HEAD,
            BlockLine::Inside => Mark::Noise,
            BlockLine::Place(path) => {
                if let Some(finding) = self.blocks.finding.take() {
                    self.counts.add(&path, &finding);
                }
                BLOCK_PLACE
            }
        }
    }

    fn finding(&mut self, text: &str) -> Option<Mark> {
        // These have a recognizer of their own, which also reads them inside other output.
        if Diagnostic::parse(text).is_some() || eslint::is_problem(text) {
            return None;
        }
        if let Some(finding) = Finding::with_path(text.trim_start()) {
            let is_heading = text.ends_with(':');
            if !finding.is_classified() && !is_heading {
                return None;
            }
            self.close();
            self.is_interrupted = false;
            finding.path.clone_into(&mut self.file);
            // The finding itself is on the next line: `a.py:1 at module level:`.
            if !finding.is_classified() {
                self.place = Some(finding.place.to_owned());
                return Some(Mark::Noise);
            }
            return Some(self.open(&finding));
        }
        if self.file.is_empty() {
            return None;
        }
        if let Some(finding) = Finding::below_path(text) {
            self.close();
            if finding.is_classified() {
                return Some(self.open(&finding));
            }
            self.place = Some(finding.place.to_owned());
            return Some(Mark::Noise);
        }
        let finding = Finding::without_place(text).filter(|_| text.starts_with([' ', '\t']))?;
        let place = self.place.take()?;
        let finding = Finding { place: &place, ..finding };
        self.close();
        Some(self.open(&finding))
    }

    fn begin_file(&mut self, path: &str, is_after_file_name: bool) -> Mark {
        self.close();
        self.is_at_file_name = true;
        self.place = None;
        self.is_interrupted = is_after_file_name;
        path.clone_into(&mut self.file);
        if is_after_file_name { Mark::Foreign } else { Mark::Noise }
    }

    fn open(&mut self, finding: &Finding<'_>) -> Mark {
        self.open = Some(finding.into());
        Mark::DETAIL
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let file = if self.is_interrupted { "" } else { &self.file };
            self.counts.add(file, &open);
        }
    }
}

/// Returns the path in a line that is nothing else: `src/a.css`, `FILE: src/a.php`, `== [a.sql] FAIL`.
fn file_name(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let bracketed = || text.strip_prefix("== [")?.split_once(']').map(|(path, _)| path);
    let path = text.strip_prefix("FILE: ").or_else(bracketed).unwrap_or(text);
    let (_, extension) = path.rsplit_once('.').unwrap_or_default();
    let is_path = !path.contains([' ', ':', '(']) && (1..=6).contains(&extension.len());
    is_path.then_some(path)
}

/// Returns true for a line drawn of dashes.
fn is_separator(text: &str) -> bool {
    text.chars().all(|c| "-=─━═".contains(c))
}

/// Returns the number of findings that the tool itself tells: `✖ 267 problems (267 errors, 0 warnings)`,
/// `Issues found: 280 in 10 files`.
fn reported_total(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    if text.contains("fixable") {
        return None;
    }
    let after = |noun: &str| {
        let labels = [format!("{noun}s found: "), format!("{noun}s: ")];
        labels.iter().find_map(|label| count::after(&text, label))
    };
    let before =
        |noun: &str| count::before(&text, noun).filter(|_| !text.contains(&format!(", {noun}")));
    let total =
        |noun: &&str| after(noun).or_else(|| before(noun)).or_else(|| before(&format!("{noun}s")));
    let parts = || PARTS.iter().filter_map(total).reduce(|sum, part| sum + part);
    NOUNS.iter().find_map(total).or_else(parts)
}
