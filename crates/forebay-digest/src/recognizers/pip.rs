//! pip and uv: packages installed and already present, errors.

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "pip, uv",
    keeps: "packages installed, removed and already present; errors with explanation",
    commands: &["pip", "pip3", "uv", "uv pip", "poetry install", "pipenv"],
    scope: Scope::Embedded(&[
        "Successfully installed ",
        "Requirement already satisfied",
        "Collecting ",
        "Resolved ",
        "Installed ",
    ]),
    create: || Box::<Pip>::default(),
};

#[derive(Debug, Default)]
struct Pip {
    collected: ValueCounts,
    satisfied: u64,
    installed: Vec<String>,
    uv: Vec<String>,
    plus: ValueCounts,
    minus: ValueCounts,
}

impl Recognizer for Pip {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(packages) = text.strip_prefix("Successfully installed ") {
            self.installed.extend(packages.split(' ').map(str::to_owned));
            return Mark::NOTABLE;
        }
        if text.starts_with("Requirement already satisfied") {
            self.satisfied += 1;
            return Mark::Noise;
        }
        if let Some(name) = text.strip_prefix("Collecting ").and_then(requirement_name) {
            self.collected.add(name);
            return Mark::Noise;
        }
        let is_uv = ["Resolved ", "Prepared ", "Installed ", "Uninstalled ", "Audited "]
            .iter()
            .any(|start| text.starts_with(start));
        if is_uv && text.contains(" package") {
            self.uv.push(text.to_owned());
            return Mark::OUTCOME;
        }
        if let Some(package) = text.strip_prefix("+ ").filter(|package| is_pinned(package)) {
            self.plus.add(package);
            return Mark::NOTABLE;
        }
        if let Some(package) = text.strip_prefix("- ").filter(|package| is_pinned(package)) {
            self.minus.add(package);
            return Mark::NOTABLE;
        }
        let is_step = [
            "Downloading ",
            "Using cached ",
            "Installing collected",
            "Building wheel",
            "Created wheel",
            "Stored in",
        ]
        .iter()
        .any(|start| text.starts_with(start));
        if is_step || text.contains("━━━") { Mark::Noise } else { Mark::Plain }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let mut parts = Vec::new();
        if !self.installed.is_empty() {
            parts.push(format!("{} installed", self.installed.len()));
        }
        if self.satisfied > 0 {
            parts.push(format!("{} already satisfied", self.satisfied));
        }
        if !self.collected.is_empty() {
            parts.push(format!("{} collected", self.collected.distinct_label()));
        }
        parts.extend(self.uv.iter().cloned());
        if parts.is_empty() {
            return None;
        }
        let mut report =
            Report::with_summary(format!("packages: {}", parts.join(", ")), Quotes::Default);
        if !self.installed.is_empty() {
            report.facts_share = 85;
            report.add(70, format!("installed: {}", self.installed.join(" ")));
        }
        if !self.plus.is_empty() && !self.uv.is_empty() {
            report.add(70, format!("installed: {}", self.plus.names(12)));
        }
        if self.installed.is_empty() && !self.collected.is_empty() {
            report.add(60, format!("collected: {}", self.collected.names(12)));
        }
        Some(report)
    }
}

/// Returns the name in `name[extra]>=1.2`, `name @ file:///src` and `name (from other)`; other words are no requirement.
fn requirement_name(requirement: &str) -> Option<&str> {
    let end = requirement.find([' ', '<', '>', '=', '!', '~', ';']).unwrap_or(requirement.len());
    let (name, rest) = requirement.split_at(end);
    let is_prose = rest.strip_prefix(' ').is_some_and(|next| !next.starts_with(['(', '@']));
    (!is_prose && !name.ends_with('.')).then_some(name)
}

/// Returns true for `name==1.2.3` and `name @ file:///src`, as uv lists them.
fn is_pinned(package: &str) -> bool {
    package.contains("==") || package.contains(" @ ")
}
