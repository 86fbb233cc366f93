//! `git status`: branch, ahead/behind state, files by state.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "git status",
    keeps: "branch and upstream; staged, changed, untracked and conflicting files, counted and named",
    commands: &["git status"],
    scope: Scope::Whole(claims),
    create: || Box::<GitStatus>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.nonblank_lines().next()?;
    let long = ["On branch ", "HEAD detached at ", "interactive rebase in progress"];
    let is_long = long.iter().any(|opening| first.starts_with(opening));
    let is_short = start.mostly(95, |line| short_state(line).is_some() || line.starts_with("## "));
    let is_porcelain_v2 = start.is_expected
        && start
            .mostly(95, |line| porcelain_v2_state(line).is_some() || line.starts_with("# branch."));
    (is_long
        || is_porcelain_v2
        || (is_short && (start.is_expected || start.nonblank_lines().count() > 3)))
        .then_some(Claim::Sure)
}

/// How files are listed, the same way throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Long,
    Short,
    PorcelainV2,
}

#[derive(Debug, Default)]
struct GitStatus {
    branch: String,
    section: Option<&'static str>,
    style: Option<Style>,
    staged: ValueCounts,
    changed: ValueCounts,
    untracked: ValueCounts,
    conflicts: ValueCounts,
    kinds: ValueCounts,
    ignored: u64,
}

impl Recognizer for GitStatus {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        if let Some(file) = text.strip_prefix('\t').filter(|_| self.section.is_some()) {
            return self.file(file);
        }
        let section = match text {
            "Changes to be committed:" => Some("staged"),
            "Changes not staged for commit:" => Some("changed"),
            "Untracked files:" => Some("untracked"),
            "Ignored files:" => Some("ignored"),
            "Unmerged paths:" => Some("conflict"),
            _ => None,
        };
        if section.is_some() && self.is_in(Style::Long) {
            self.section = section;
            return Mark::Noise;
        }
        if let Some((state, file)) = short_state(text).filter(|_| self.is_in(Style::Short)) {
            return self.short(state, file);
        }
        if let Some((state, file)) =
            porcelain_v2_state(text).filter(|_| self.is_in(Style::PorcelainV2))
        {
            return self.short(&state.replace('.', " "), file);
        }
        if let Some(branch) = text.strip_prefix("# branch.") {
            if !branch.starts_with("oid ") {
                self.branch.push_str(branch);
                self.branch.push(' ');
            }
            return Mark::Noise;
        }
        let is_state =
            ["On branch", "## ", "HEAD detached", "Your branch", "You have", "and have "]
                .iter()
                .any(|start| text.starts_with(start));
        if is_state {
            if text.starts_with("On branch") || text.starts_with("## ") {
                if !self.branch.is_empty() {
                    // The status of another repository.
                    return Mark::Foreign;
                }
                self.branch.clear();
            }
            self.branch.push_str(text.trim_start_matches("## "));
            self.branch.push(' ');
            return Mark::Noise;
        }
        let is_advice =
            ["  (", "no changes added", "nothing ", "interactive rebase", "All conflicts"]
                .iter()
                .any(|start| text.starts_with(start));
        if is_advice || text.is_empty() {
            return Mark::Noise;
        }
        // Something else follows, whose lines may start with a tab too.
        self.section = None;
        Mark::Foreign
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let groups = [
            ("conflicts", &self.conflicts),
            ("staged", &self.staged),
            ("not staged", &self.changed),
            ("untracked", &self.untracked),
        ];
        let counts: Vec<String> = groups
            .iter()
            .filter(|(_, files)| !files.is_empty())
            .map(|(name, files)| format!("{} {name}", files.distinct_label()))
            .collect();
        let ignored = (self.ignored > 0).then(|| format!("{} ignored", self.ignored));
        let counts: Vec<String> = counts.into_iter().chain(ignored).collect();
        let counts = if counts.is_empty() { "clean".to_owned() } else { counts.join(", ") };
        let mut report = Report::with_summary(format!("git status: {counts}"), Quotes::None);
        report.add(95, self.branch.trim_end().to_owned());
        if self.kinds.distinct() > 1 {
            report.add(80, format!("kinds: {}", self.kinds.list(8)));
        }
        for (name, files) in groups.iter().filter(|(_, files)| !files.is_empty()) {
            report.add(70, format!("{name}: {}", files.names(context.max_bytes / 120 + 2)));
        }
        Some(report)
    }
}

impl GitStatus {
    /// Returns true if the files are listed in this style.
    fn is_in(&mut self, style: Style) -> bool {
        *self.style.get_or_insert(style) == style
    }

    fn file(&mut self, file: &str) -> Mark {
        let (kind, name) = match file.split_once(':') {
            Some((kind, name)) if !kind.contains('/') => (kind, name.trim_start()),
            _ => ("untracked", file),
        };
        self.kinds.add(kind);
        match self.section {
            Some("staged") => self.staged.add(&short(kind, name)),
            Some("conflict") => self.conflicts.add(&short(kind, name)),
            Some("untracked") => self.untracked.add(name),
            Some("ignored") => self.ignored += 1,
            _ => self.changed.add(&short(kind, name)),
        }
        Mark::Noise
    }

    fn short(&mut self, state: &str, file: &str) -> Mark {
        self.kinds.add(state.trim());
        let (index, tree) = state.split_at(1);
        match state {
            "??" => self.untracked.add(file),
            "!!" => self.ignored += 1,
            "UU" | "AA" | "DD" | "AU" | "UA" | "DU" | "UD" => self.conflicts.add(file),
            _ => {
                if index != " " {
                    self.staged.add(&format!("{index} {file}"));
                }
                if tree != " " {
                    self.changed.add(&format!("{tree} {file}"));
                }
            }
        }
        Mark::Noise
    }
}

/// Prefixes a file with its kind, except for `modified`, the most common one.
fn short(kind: &str, name: &str) -> String {
    if kind == "modified" { name.to_owned() } else { format!("{kind} {name}") }
}

/// Parses ` M path`, `?? path`: two letters and a space.
fn short_state(line: &str) -> Option<(&str, &str)> {
    let (state, file) = (line.get(..2)?, line.get(2..)?.strip_prefix(' ')?);
    let is_change = state.chars().all(|c| " MADRCUT".contains(c)) && state != "  ";
    let known = is_change || matches!(state, "??" | "!!");
    (known && !file.is_empty()).then_some((state, file))
}

/// Parses `--porcelain=v2`: `1 .M N... 100644 100644 100644 <hash> <hash> path`, `? path`.
fn porcelain_v2_state(line: &str) -> Option<(&str, &str)> {
    let (kind, rest) = line.split_once(' ')?;
    // Number of words between the state and the path.
    let before = match kind {
        "1" => 6,
        "2" => 7,
        "u" => 8,
        "?" => return Some(("??", rest)),
        "!" => return Some(("!!", rest)),
        _ => return None,
    };
    let (state, rest) = rest.split_once(' ')?;
    let path = rest.splitn(before + 1, ' ').nth(before)?;
    // A renamed file has its old name after a tab.
    (state.len() == 2).then_some((state, path.split('\t').next().unwrap_or(path)))
}
