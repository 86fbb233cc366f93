//! `git blame`: lines by author and commit, date range.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueCounts, ValueStats};

pub(super) const FORMAT: Format = Format {
    name: "git blame",
    keeps: "lines by author and commit; oldest and newest date",
    commands: &["git blame", "git annotate"],
    scope: Scope::Whole(claims),
    create: || Box::<GitBlame>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    start.mostly(95, |line| blamed(line).is_some()).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct GitBlame {
    lines: u64,
    authors: ValueCounts,
    commits: ValueCounts,
    dates: ValueStats,
}

impl Recognizer for GitBlame {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some((commit, author, date)) = blamed(line.text) else { return Mark::Foreign };
        self.lines += 1;
        self.commits.add(commit);
        self.authors.add(author);
        self.dates.add(date);
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.lines == 0 {
            return None;
        }
        let summary = format!(
            "git blame: {} lines by {} authors in {} commits",
            self.lines,
            self.authors.distinct_label(),
            self.commits.distinct_label()
        );
        let mut report = Report::with_summary(summary, Quotes::Default).failing(false);
        report.add(90, format!("lines by author: {}", self.authors.list(8)));
        report.add(85, format!("lines by commit: {}", self.commits.list(6)));
        report.add(80, format!("dates: {}", self.dates.describe(1).trim_start_matches("date ")));
        Some(report)
    }
}

/// Parses `abc1234 (Ann Lee 2024-05-01 10:00:00 +0000 12) code`, with or without a file name.
pub(super) fn blamed(line: &str) -> Option<(&str, &str, &str)> {
    let commit = line.split(' ').next()?.trim_start_matches('^');
    let is_hash = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let inside = line.split_once('(')?.1.split_once(')')?.0;
    let at = inside.as_bytes().windows(11).position(|window| {
        window[0] == b' '
            && crate::tally::looks_like_date(std::str::from_utf8(&window[1..]).unwrap_or_default())
    })?;
    is_hash.then_some((commit, inside[..at].trim(), inside.get(at + 1..at + 11)?))
}
