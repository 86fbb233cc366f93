//! `git branch`: the current branch; local and remote branches, counted and named.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueCounts, list_series};

pub(super) const FORMAT: Format = Format {
    name: "git branch",
    keeps: "current branch; local and remote branches, counted and named; tags",
    commands: &["git branch", "git tag", "git remote", "git worktree list"],
    scope: Scope::Whole(claims),
    create: || Box::<GitBranch>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let has_current = start.lines.iter().filter(|line| line.starts_with("* ")).count() <= 1;
    let like_branches = start.mostly(50, is_branch);
    let named = start.command.matches("git branch");
    (like_branches && has_current && named).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct GitBranch {
    current: Option<String>,
    local: ValueCounts,
    remote: ValueCounts,
    /// Counts by the prefix before the first slash.
    groups: ValueCounts,
    /// Whether the branches are listed with their commits.
    is_verbose: Option<bool>,
    /// Something else came, so an indented word is not a branch.
    is_over: bool,
}

impl Recognizer for GitBranch {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if text.is_empty() {
            self.is_over |= !self.local.is_empty();
            return Mark::Noise;
        }
        let is_second_current = text.starts_with("* ") && self.current.is_some();
        let is_verbose = shows_commit(text);
        let is_unlike = self.is_verbose.is_some_and(|known| known != is_verbose);
        self.is_over |= !self.local.is_empty()
            && (!is_branch(text) || is_second_current || is_unlike && !text.contains(" -> "));
        if self.is_over || !is_branch(text) {
            return Mark::Foreign;
        }
        self.is_verbose.get_or_insert(is_verbose);
        if let Some(current) = text.strip_prefix("* ") {
            self.current = Some(current.to_owned());
        }
        let name = text.trim_start_matches(['*', '+', ' ']);
        let name = name.split(' ').next().unwrap_or(name);
        match name.strip_prefix("remotes/") {
            _ if text.contains(" -> ") => {}
            Some(remote) => self.remote.add(remote),
            None => {
                self.local.add(name);
                if let Some((group, _)) = name.split_once('/') {
                    self.groups.add(group);
                }
            }
        }
        if text.starts_with("* ") { Mark::OUTCOME } else { Mark::Weight(15) }
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let all = self.local.distinct() + self.remote.distinct();
        let is_exact = self.local.is_exact() && self.remote.is_exact();
        let more = if is_exact { "" } else { "+" };
        let summary = format!(
            "git branch: {all}{more} branches ({} local, {} remote)",
            self.local.distinct_label(),
            self.remote.distinct_label()
        );
        let current = self.current?;
        let mut report = Report::with_summary(summary, Quotes::Marked);
        let max_items = context.max_bytes / 60;
        report.add(95, format!("on {}", forebay_text::cut::one_line(&current, 160)));
        if self.groups.distinct() > 1 {
            report.add(85, format!("by prefix: {}", self.groups.list(6)));
        }
        let mut names: Vec<&str> =
            self.local.in_order().into_iter().map(|(name, _)| name).collect();
        // Branches with a rare prefix say more than one of many.
        names.sort_by_key(|name| {
            name.split_once('/').map_or(0, |(group, _)| self.groups.count_of(group))
        });
        report.add(80, format!("local: {}", list_series(&names, ", ", context.max_bytes / 3)));
        if !self.remote.is_empty() {
            report.add(70, format!("remote: {}", self.remote.names(max_items)));
        }
        Some(report)
    }
}

/// Returns true for `  name`, `* name`, `+ name`, with a commit behind it if verbose.
fn is_branch(line: &str) -> bool {
    let Some(rest) = ["  ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) else {
        return false;
    };
    if rest.starts_with('(') {
        return rest.starts_with("(HEAD detached ") || rest.starts_with("(no branch");
    }
    let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
    // Git allows more, which is rare in commits and common in other text.
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || "_#@".contains(c))
        && name.chars().all(|c| c.is_alphanumeric() || "-_./#@+=!%".contains(c))
        && !name.ends_with(['.', '/']);
    let is_link = after.trim_start().starts_with("-> ");
    is_name && (after.trim().is_empty() || is_link || shows_commit(line))
}

/// Returns true for `  name  67710b3 message`, as `-v` lists a branch.
fn shows_commit(line: &str) -> bool {
    let is_hash = |word: &str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let rest = line.get(2..).unwrap_or_default();
    // A detached head is described in parentheses.
    let after = rest.split_once(") ").filter(|_| rest.starts_with('(')).or(rest.split_once(' '));
    after.and_then(|(_, after)| after.trim_start().split(' ').next()).is_some_and(is_hash)
}
