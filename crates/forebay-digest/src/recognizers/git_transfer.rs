//! `git push`, `pull`, `fetch`, `merge`, `clone`: updated refs, rejections, conflicts.

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "git push, pull, fetch, merge",
    keeps: "updated refs; rejections with hint; conflicts; changed files",
    commands: &[
        "git push",
        "git pull",
        "git fetch",
        "git merge",
        "git rebase",
        "git clone",
        "git cherry-pick",
    ],
    scope: Scope::Embedded(&[
        "[rejected]",
        "[new branch]",
        "CONFLICT (",
        "Fast-forward",
        "[new tag]",
    ]),
    create: || Box::<GitTransfer>::default(),
};

#[derive(Debug, Default)]
struct GitTransfer {
    moved: u64,
    new: u64,
    rejected: ValueCounts,
    conflicts: ValueCounts,
    kinds: ValueCounts,
    new_tags: u64,
}

impl Recognizer for GitTransfer {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(reference) = text.strip_prefix("! [") {
            self.rejected.add(reference);
            return Mark::FAILURE;
        }
        if let Some(conflict) = text.strip_prefix("CONFLICT (") {
            let file = text.rsplit_once(" in ").map_or(text, |(_, file)| file);
            self.conflicts.add(file);
            let kind = conflict.split(')').next().unwrap_or_default();
            self.kinds.add(kind);
            return Mark::Weight(if self.kinds.count_of(kind) == 1 { 60 } else { 30 });
        }
        let new = text.starts_with("* [new ");
        if text.contains(" -> ") && (new || is_range(text)) {
            let tag = text.contains("[new tag]");
            self.new_tags += u64::from(tag);
            self.new += u64::from(new && !tag);
            self.moved += u64::from(!new);
            return if new { Mark::Weight(30) } else { Mark::OUTCOME };
        }
        let is_progress = text.ends_with("done.")
            || text.starts_with("remote: Counting")
            || text.starts_with("remote: Compressing");
        match () {
            () if is_progress => Mark::Noise,
            () if text.contains(" changed, ") || text.starts_with("Automatic merge failed") => {
                Mark::OUTCOME
            }
            () if text.starts_with("hint: ") || text.starts_with("error: ") => Mark::DETAIL,
            () => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let counts = [
            (self.moved, "ref moved", "refs moved"),
            (self.new, "new branch", "new branches"),
            (self.new_tags, "new tag", "new tags"),
            (self.rejected.total(), "rejected", "rejected"),
            (self.conflicts.total(), "conflict", "conflicts"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if parts.is_empty() {
            return None;
        }
        let failing = !self.rejected.is_empty() || !self.conflicts.is_empty();
        let mut report =
            Report::with_summary(format!("git: {}", parts.join(", ")), Quotes::Default);
        report.failing = failing.then_some(true);
        report.add(
            90,
            if self.conflicts.is_empty() {
                String::new()
            } else {
                format!("conflicts ({}) in: {}", self.kinds.list(4), self.conflicts.names(14))
            },
        );
        Some(report)
    }
}

/// Returns true for `abc1234..def5678  main -> origin/main`, with `+` and three dots if forced.
fn is_range(text: &str) -> bool {
    let range = text.trim_start_matches(['+', ' ']).split(' ').next().unwrap_or_default();
    let is_hash = |hash: &str| hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    range
        .split_once("..")
        .is_some_and(|(old, new)| is_hash(old) && is_hash(new.trim_start_matches('.')))
}
