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

fn claims(start: &Start<'_>) -> Option<Claim> {
    if start.command.matches("tree") {
        return None;
    }
    let is_branch = |line: &&&str| line.contains("├─") || line.contains("└─");
    let rows = start.lines.iter().filter(is_branch).filter(|line| entry(line).is_some()).count();
    (rows >= 3 && rows * 10 >= start.nonblank_lines().count() * 7).then_some(Claim::Sure)
}

#[derive(Debug, PartialEq, Eq)]
struct Entry<'a> {
    depth: usize,
    name: &'a str,
    version: &'a str,
    is_repeated: bool,
    /// The entry as written.
    text: &'a str,
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
    let depth = line[..start].chars().count().div_ceil(2);
    let text = line[start..].trim_end();
    let is_repeated = text.ends_with("(*)") || text.ends_with("deduped");
    let first = text.split(' ').next()?;
    // The `@` of a scope such as `@types/` does not separate name and version.
    let at = first.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    let (name, version) = match at {
        Some(at) => (&first[..at], &first[at + 1..]),
        None => (first, text.split(' ').nth(1).unwrap_or_default()),
    };
    let version = version.trim_start_matches('v');
    is_version(version).then_some(Entry { depth, name, version, is_repeated, text })
}

/// Accepts `1.2.3`, `^1.2`, `>=3.0`; rejects `1.txt`, which is a file name.
fn is_version(text: &str) -> bool {
    let number = text.trim_start_matches(['^', '~', '>', '=', '<']);
    let minor = number.trim_start_matches(|c: char| c.is_ascii_digit());
    minor.len() < number.len()
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
    root: Option<String>,
}

impl Recognizer for Dependencies {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim_start_matches(['│', ' ']).starts_with('[') {
            // `[dev-dependencies]` stands above the entries of its kind.
            return Mark::Noise;
        }
        let Some(entry) = entry(line.text).filter(|entry| self.may_be(entry, line.text)) else {
            return Mark::Foreign;
        };
        self.rows += 1;
        self.repeated += u64::from(entry.is_repeated);
        let is_root = self.rows == 1 && entry.depth == 0;
        if is_root {
            self.root = Some(name_and_version(entry.text));
            return Mark::Noise;
        }
        let first_depth = *self.first_depth.get_or_insert(entry.depth);
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

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.packages.is_empty() {
            return None;
        }
        let count: usize = self.packages.values().map(Vec::len).sum();
        let root = self.root.map(|root| format!("{root}: ")).unwrap_or_default();
        // Without a root the top level is not a list of direct dependencies.
        let top = if root.is_empty() { "at the top level" } else { "direct" };
        let mut summary = format!("{root}{count} packages, {} {top}", self.direct.len());
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
        let shown = self.direct.len().min(context.max_bytes / 25);
        let more = if shown < self.direct.len() { ", …" } else { "" };
        report.add(90, format!("{top}: {}{more}", self.direct[..shown].join(", ")));
        Some(report)
    }
}

impl Dependencies {
    /// Returns true unless it is a name and a version somewhere in other text.
    fn may_be(&self, entry: &Entry<'_>, line: &str) -> bool {
        let is_branch = line.starts_with(['│', '├', '└', ' ']);
        // pnpm writes the direct ones without a branch: `axios 0.18.0`.
        is_branch || entry.depth == 0 && (self.rows == 0 || line.split(' ').count() <= 2)
    }
}
