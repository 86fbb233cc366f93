//! Dependency trees (`cargo tree`, `npm ls`, `pnpm ls`, `yarn list`, `uv tree`): packages, direct
//! dependencies, duplicates.

use std::collections::BTreeMap;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "dependency trees",
    keeps: "number of packages; direct dependencies; packages in several versions",
    commands: &[
        "cargo tree",
        "npm ls",
        "npm list",
        "pnpm ls",
        "pnpm list",
        "yarn list",
        "uv tree",
        "pipdeptree",
        "poetry show --tree",
    ],
    scope: Scope::Whole(claims),
    create: || Box::<Dependencies>::default(),
};

/// Maximum number of packages tracked.
const MAX_PACKAGES: usize = 20_000;

/// Columns by which the widest drawing indents a level.
const MAX_INDENT: usize = 4;

fn claims(start: &Start<'_>) -> Option<Claim> {
    if start.command.matches("tree") {
        return None;
    }
    let rows = start.lines.iter().filter(|line| is_branch(line)).count();
    (rows >= 3 && rows * 10 >= start.nonblank_lines().count() * 7).then_some(Claim::Sure)
}

#[derive(Debug, PartialEq, Eq)]
struct Entry<'a> {
    /// Number of columns before the name.
    depth: usize,
    /// A branch of the drawing ends right before the name.
    is_branch: bool,
    style: Style,
    name: &'a str,
    version: &'a str,
    is_repeated: bool,
    /// The entry as written.
    text: &'a str,
}

impl Entry<'_> {
    /// Returns true for `axios 0.18.0`, as pnpm writes the direct ones, without a branch.
    fn is_bare(&self) -> bool {
        self.style.separator == Separator::Space && self.text.split(' ').count() == 2
    }
}

/// How a tool writes an entry, the same way in the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    separator: Separator,
    /// Number of characters of a branch after its first: `├─`, `├──` and `├─┬`.
    branch_width: usize,
}

/// What a tool writes between a name and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `name@1.2.3`
    At,
    /// `name v1.2.3`
    SpaceV,
    /// `name 1.2.3`
    Space,
}

/// Shortens an entry to `name v1.2.3` or `name@1.2.3`.
fn name_and_version(text: &str) -> String {
    let words = if text
        .split(' ')
        .next()
        .is_some_and(|first| first.trim_start_matches('@').contains('@'))
    {
        1
    } else {
        2
    };
    text.split(' ').take(words).collect::<Vec<_>>().join(" ")
}

/// Parses `│   ├── name v1.2.3 (*)`, `├─┬ name@1.2.3 deduped`.
fn entry(line: &str) -> Option<Entry<'_>> {
    let start = line.find(|c: char| !"│├└─┬ ".contains(c))?;
    let drawing = &line[..start];
    let depth = drawing.chars().count();
    let is_branch =
        drawing.contains(['├', '└']) && drawing.ends_with("─ ") || drawing.ends_with("┬ ");
    let text = line[start..].trim_end();
    let is_repeated = text.ends_with("(*)") || text.ends_with("deduped");
    let first = text.split(' ').next()?;
    // The `@` of a scope such as `@types/` does not separate name and version.
    let at = first.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    let (name, version) = match at {
        Some(at) => (&first[..at], &first[at + 1..]),
        None => (first, text.split(' ').nth(1).unwrap_or_default()),
    };
    let separator = match version.strip_prefix('v') {
        _ if at.is_some() => Separator::At,
        Some(_) => Separator::SpaceV,
        None => Separator::Space,
    };
    let version = version.trim_start_matches('v');
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "-_./@+[],".contains(c));
    (is_version(version) && is_name(name)).then_some(Entry {
        depth,
        is_branch,
        style: Style { separator, branch_width: branch_width(drawing) },
        name,
        version,
        is_repeated,
        text,
    })
}

/// Returns true for an entry of a tree other than its root.
pub(super) fn is_branch(line: &str) -> bool {
    entry(line).is_some_and(|entry| entry.is_branch)
}

/// Returns true for `│   [dev-dependencies]` and `devDependencies:`, which stand above the entries of their kind.
fn is_kind(line: &str) -> bool {
    let text = line.trim_start_matches(['│', ' ']).trim_end();
    text.starts_with('[') && text.ends_with("dependencies]")
        || text.ends_with("ependencies:") && !text.contains(' ')
}

fn branch_width(drawing: &str) -> usize {
    let branch = drawing.rfind(['├', '└']).map_or("", |at| &drawing[at..]);
    branch.trim_end().chars().count().saturating_sub(1)
}

/// Accepts `1.2.3`, `^1.2`, `>=3.0`; rejects `1.txt`, which is a file name.
fn is_version(text: &str) -> bool {
    let number = text.trim_start_matches(['^', '~', '>', '=', '<']);
    let minor = number.trim_start_matches(|c: char| c.is_ascii_digit());
    // `name@>= 1.4.0` has a blank.
    let is_operator = number.is_empty() && !text.is_empty();
    is_operator
        || minor.len() < number.len()
            && minor
                .strip_prefix('.')
                .is_some_and(|minor| minor.starts_with(|c: char| c.is_ascii_digit()))
}

#[derive(Debug, Default)]
struct Dependencies {
    packages: BTreeMap<String, Vec<String>>,
    direct: Vec<String>,
    repeated: u64,
    rows: u64,
    /// Depth of the first dependency, and so of all direct ones.
    first_depth: Option<usize>,
    /// The style of the first branch, and so of all.
    style: Option<Style>,
    /// Something else came, so a name and a version are not a direct dependency.
    is_interrupted: bool,
    /// Depth of the previous branch; a branch is at most one level below it.
    last_depth: usize,
    /// The first dependency is not a direct one, so the start of the tree is missing.
    is_partial: bool,
    root: Option<String>,
}

impl Recognizer for Dependencies {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if self.rows > 0 && is_kind(line.text) {
            self.is_interrupted = false;
            return Mark::Noise;
        }
        let Some(entry) = entry(line.text).filter(|entry| self.is_own(entry)) else {
            self.is_interrupted |= !line.text.trim().is_empty();
            return Mark::Foreign;
        };
        self.rows += 1;
        self.repeated += u64::from(entry.is_repeated);
        let is_root = self.rows == 1 && entry.depth == 0 && !entry.is_bare();
        if is_root {
            self.root = Some(name_and_version(entry.text));
            return Mark::Noise;
        }
        if entry.is_branch {
            // The tree goes on.
            (self.style, self.is_interrupted) = (Some(entry.style), false);
        }
        self.last_depth = entry.depth;
        let first_depth = *self.first_depth.get_or_insert(entry.depth);
        self.is_partial |= entry.depth < first_depth;
        if entry.depth == first_depth {
            self.direct.push(name_and_version(entry.text));
        }
        if self.packages.len() < MAX_PACKAGES
            && entry.version.starts_with(|c: char| c.is_ascii_digit())
        {
            let versions = self.packages.entry(entry.name.to_owned()).or_default();
            if !versions.iter().any(|version| version == entry.version) {
                versions.push(entry.version.to_owned());
            }
        }
        Mark::Plain
    }

    fn can_resume(&self) -> bool {
        // What follows is the tree of another root.
        false
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.packages.is_empty() {
            return None;
        }
        let count: usize = self.packages.values().map(Vec::len).sum();
        let root = self.root.map(|root| format!("{root}: ")).unwrap_or_default();
        // Without a root the top level is not a list of direct dependencies.
        let top = if root.is_empty() { "at the top level" } else { "direct" };
        let mut summary = format!("{root}{count} packages");
        if !self.is_partial {
            summary += &format!(", {} {top}", self.direct.len());
        }
        if self.repeated > 0 {
            summary += &format!(", {} deduped", self.repeated);
        }
        let mut report = Report::with_summary(summary, Quotes::Sample);
        let duplicates: Vec<String> = self
            .packages
            .iter()
            .filter(|(_, versions)| versions.len() > 1)
            .map(|(name, versions)| format!("{name} {}", versions.join("/")))
            .collect();
        if !duplicates.is_empty() {
            let names: Vec<&str> = duplicates.iter().take(6).map(String::as_str).collect();
            report
                .add(85, format!("{} in several versions: {}", duplicates.len(), names.join(", ")));
        }
        if !self.is_partial {
            let shown = self.direct.len().min(context.max_bytes / 25);
            let more = if shown < self.direct.len() { ", …" } else { "" };
            report.add(90, format!("{top}: {}{more}", self.direct[..shown].join(", ")));
        }
        Some(report)
    }
}

impl Dependencies {
    /// Returns true for the root, and for an entry written like the others of the tree.
    ///
    /// A name and a version somewhere in other text, or the tree of another tool, is neither.
    fn is_own(&self, entry: &Entry<'_>) -> bool {
        if entry.is_branch {
            let is_in_style = self.style.is_none_or(|known| known == entry.style);
            return is_in_style && (self.rows == 0 || entry.depth <= self.last_depth + MAX_INDENT);
        }
        // pnpm writes the direct ones without a branch: `axios 0.18.0`.
        let is_spaced = |style: Style| style.separator == Separator::Space;
        let is_direct = self.style.is_none_or(is_spaced) && !self.is_interrupted && entry.is_bare();
        entry.depth == 0 && (self.rows == 0 || is_direct)
    }
}
