//! GitHub's `gh`: lists of pull requests, issues, runs and checks; a single run with its jobs.

use forebay_text::cut;
use forebay_text::number::counted;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "gh",
    keeps: "row counts by state, conclusion, label, workflow and branch; failing checks, runs, jobs and steps; numbers with titles",
    commands: &[
        "gh pr list",
        "gh issue list",
        "gh pr checks",
        "gh run list",
        "gh run view",
        "gh search",
    ],
    scope: Scope::Whole(claims),
    create: || Box::<Gh>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let is_list =
        start.nonblank_lines().count() >= 3 && start.mostly(90, |line| row(line).is_some());
    (is_list || is_run(start)).then_some(Claim::Sure)
}

/// Returns true for `✓ main CI · 77`, followed by the jobs.
fn is_run(start: &Start<'_>) -> bool {
    let head = start
        .nonblank_lines()
        .next()
        .is_some_and(|line| line.starts_with(['✓', 'X', '*', '-']) && line.contains(" · "));
    head && start.nonblank_lines().any(|line| line == "JOBS")
}

/// What a list contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    PullRequests,
    Issues,
    Checks,
    Runs,
}

struct Row<'a> {
    kind: Kind,
    cells: Vec<&'a str>,
}

const STATES: &[&str] = &["OPEN", "CLOSED", "MERGED", "DRAFT"];
const CHECKS: &[&str] = &["pass", "fail", "pending", "skipping", "cancel"];
const RUNS: &[&str] = &["completed", "queued", "in_progress", "requested", "waiting", "pending"];

/// Parses a row as `gh` prints it to a pipe: cells separated by tabs.
fn row(line: &str) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.split('\t').collect();
    let is_number = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    let kind = match cells.as_slice() {
        [number, _, _, state, ..] if is_number(number) && STATES.contains(state) => {
            Kind::PullRequests
        }
        [number, state, _, _, ..] if is_number(number) && STATES.contains(state) => Kind::Issues,
        [_, state, _, link, ..]
            if CHECKS.contains(state) && (link.is_empty() || link.contains("://")) =>
        {
            Kind::Checks
        }
        [status, _, _, _, _, _, id, ..] if RUNS.contains(status) && is_number(id) => Kind::Runs,
        _ => return None,
    };
    Some(Row { kind, cells })
}

#[derive(Debug, Default)]
struct Gh {
    kind: Option<Kind>,
    rows: u64,
    states: ValueCounts,
    /// Labels, or workflows.
    topics: ValueCounts,
    branches: ValueCounts,
    events: ValueCounts,
    first_day: String,
    last_day: String,
    /// Shortened rows of failures.
    failing: Vec<String>,
    /// Shortened rows that are not finished.
    open: Vec<String>,
    listed: Vec<String>,
    run: Run,
}

/// A single run with its jobs.
#[derive(Debug, Default)]
struct Run {
    head: String,
    passed: u64,
    failed: Vec<String>,
    other: u64,
    steps: ValueCounts,
    in_annotations: bool,
}

/// Maximum number of rows held of each kind.
const MAX_ROWS: usize = 400;

impl Recognizer for Gh {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim().is_empty() {
            return Mark::Noise;
        }
        match row(line.text) {
            // Lists of two kinds are two parts.
            Some(row) if self.kind.is_some_and(|kind| kind != row.kind) => Mark::Foreign,
            Some(row) if self.run.head.is_empty() => self.row(&row),
            Some(_) => Mark::Foreign,
            None if self.kind.is_some() => Mark::Foreign,
            None => self.run.push_line(line.text),
        }
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let Some(kind) = self.kind else { return self.run.report() };
        let mut report = Report::with_summary(self.summary(kind), Quotes::None);
        let max_items = if context.max_bytes > 2_000 { 12 } else { 6 };
        for (name, values) in
            [("labels", &self.topics), ("branches", &self.branches), ("events", &self.events)]
        {
            let name = if kind == Kind::Runs && name == "labels" { "workflows" } else { name };
            if values.total() > values.distinct() as u64 {
                report.add(90, format!("{name}: {}", values.list(max_items)));
            }
        }
        for row in &self.failing {
            report.add_item(88, cut::one_line(row, 140));
        }
        for row in &self.open {
            report.add_item(70, cut::one_line(row, 140));
        }
        for (index, row) in self.listed.iter().enumerate() {
            report.add_item(60_u32.saturating_sub(index as u32), cut::one_line(row, 140));
        }
        report.failing = (kind == Kind::Checks).then_some(!self.failing.is_empty());
        Some(report)
    }
}

impl Gh {
    fn row(&mut self, row: &Row<'_>) -> Mark {
        self.kind.get_or_insert(row.kind);
        self.rows += 1;
        let cell = |at: usize| row.cells.get(at).copied().unwrap_or_default();
        let (state, shown) = match row.kind {
            Kind::PullRequests => {
                self.states.add(cell(3));
                self.add_day(cell(4));
                let draft =
                    if cell(3) == "OPEN" { String::new() } else { format!(" [{}]", cell(3)) };
                ("", format!("{} {}{draft} ({})", cell(0), cell(1), cell(2)))
            }
            Kind::Issues => {
                self.states.add(cell(1));
                cell(3)
                    .split(", ")
                    .filter(|label| !label.is_empty())
                    .for_each(|label| self.topics.add(label));
                self.add_day(cell(4));
                let labels =
                    if cell(3).is_empty() { String::new() } else { format!(" [{}]", cell(3)) };
                ("", format!("{} {}{labels}", cell(0), cell(2)))
            }
            Kind::Checks => {
                self.states.add(cell(1));
                let link = if cell(1) == "fail" { cell(3) } else { "" };
                (
                    cell(1),
                    format!("{} {} {} {link}", cell(1), cell(0), cell(2)).trim_end().to_owned(),
                )
            }
            Kind::Runs => {
                let state = if cell(1).is_empty() { cell(0) } else { cell(1) };
                self.states.add(state);
                self.topics.add(cell(3));
                self.branches.add(cell(4));
                self.events.add(cell(5));
                (
                    state,
                    format!(
                        "{state} {} {} ({}, {}) {}",
                        cell(6),
                        cell(2),
                        cell(3),
                        cell(4),
                        cell(7)
                    ),
                )
            }
        };
        let rows = match state {
            "fail" | "failure" | "timed_out" | "startup_failure" => &mut self.failing,
            "pending" | "queued" | "in_progress" | "waiting" | "requested" => &mut self.open,
            _ => &mut self.listed,
        };
        if rows.len() < MAX_ROWS {
            rows.push(shown);
        }
        Mark::Noise
    }

    fn add_day(&mut self, date: &str) {
        let day = cut::prefix(date, 10);
        if self.first_day.is_empty() || day < self.first_day.as_str() {
            day.clone_into(&mut self.first_day);
        }
        if day > self.last_day.as_str() {
            day.clone_into(&mut self.last_day);
        }
    }

    fn summary(&self, kind: Kind) -> String {
        let noun = match kind {
            Kind::PullRequests => "pull request",
            Kind::Issues => "issue",
            Kind::Checks => "check",
            Kind::Runs => "run",
        };
        let days = match kind {
            Kind::PullRequests => format!("; created {} .. {}", self.first_day, self.last_day),
            Kind::Issues => format!("; updated {} .. {}", self.first_day, self.last_day),
            Kind::Checks | Kind::Runs => String::new(),
        };
        format!("gh: {}; {}{days}", counted(self.rows, noun), self.states.list(8))
    }
}

impl Run {
    fn push_line(&mut self, line: &str) -> Mark {
        if self.head.is_empty() {
            line.trim().clone_into(&mut self.head);
            return Mark::OUTCOME;
        }
        self.in_annotations |= line == "ANNOTATIONS";
        if self.in_annotations {
            return Mark::REASON;
        }
        let (indent, text) = (line.starts_with(' '), line.trim_start());
        match text.split_once(' ') {
            Some(("✓", _)) if indent => Mark::Noise,
            Some(("X", step)) if indent => {
                self.steps.add(step);
                Mark::REASON
            }
            Some(("✓", job)) if job.contains(" (ID ") => {
                self.passed += 1;
                Mark::Weight(10)
            }
            Some(("X", job)) if job.contains(" (ID ") => {
                self.failed.push(job.to_owned());
                Mark::FAILURE
            }
            Some((_, job)) if job.contains(" (ID ") => {
                self.other += 1;
                Mark::Weight(15)
            }
            _ => Mark::Weight(20),
        }
    }

    fn report(self) -> Option<Report> {
        let jobs = self.passed + self.failed.len() as u64 + self.other;
        if jobs == 0 {
            return None;
        }
        let mut summary = format!(
            "gh run: {}, {} passed, {} failed",
            counted(jobs, "job"),
            self.passed,
            self.failed.len()
        );
        if self.other > 0 {
            summary += &format!(", {} other", self.other);
        }
        let mut report =
            Report::with_summary(summary, Quotes::Marked).failing(!self.failed.is_empty());
        if !self.steps.is_empty() {
            report.add(90, format!("failed steps: {}", self.steps.list(8)));
        }
        Some(report)
    }
}
