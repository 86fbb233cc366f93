//! apt and bundler: packages installed and upgraded, errors.

use forebay_text::number::counted;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "apt, bundler",
    keeps: "packages upgraded, newly installed, removed; sizes; gems; errors",
    commands: &["apt", "apt-get", "bundle", "gem", "dpkg"],
    scope: Scope::Embedded(&[
        "newly installed,",
        "Setting up ",
        "Unpacking ",
        "Installing ",
        "Using ",
        "Bundle complete!",
    ]),
    create: || Box::<Apt>::default(),
};

#[derive(Debug, Default)]
struct Apt {
    set_up: ValueCounts,
    installed: ValueCounts,
    used: u64,
    fetched: u64,
    summary: Option<String>,
}

impl Recognizer for Apt {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.contains(" upgraded, ") && text.contains(" newly installed") {
            self.summary = Some(text.to_owned());
            return Mark::OUTCOME;
        }
        if let Some(package) = text.strip_prefix("Setting up ") {
            self.set_up.add(package.split(' ').next().unwrap_or(package));
            return Mark::Noise;
        }
        if let Some(gem) = text.strip_prefix("Installing ").filter(|gem| is_gem(gem)) {
            self.installed.add(gem);
            return Mark::Noise;
        }
        if text.strip_prefix("Using ").is_some_and(is_gem) {
            self.used += 1;
            return Mark::Noise;
        }
        if text.starts_with("Get:") || text.starts_with("Hit:") {
            self.fetched += 1;
            return Mark::Noise;
        }
        let is_step = [
            "Unpacking ",
            "Selecting previously",
            "Preparing to unpack",
            "(Reading database",
            "Processing triggers",
            "Fetching ",
        ]
        .iter()
        .any(|start| text.starts_with(start));
        match () {
            () if is_step => Mark::Noise,
            () if text.starts_with("Bundle complete!")
                || text.starts_with("E: ")
                || text.starts_with("Fetched ") =>
            {
                Mark::OUTCOME
            }
            () if text.starts_with("Need to get") || text.starts_with("After this operation") => {
                Mark::Weight(40)
            }
            () => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let mut parts = Vec::new();
        parts.extend(self.summary);
        if !self.set_up.is_empty() {
            parts.push(format!("{} set up", self.set_up.distinct_label()));
        }
        if !self.installed.is_empty() {
            parts.push(format!("{} installed", self.installed.distinct_with_noun("gem")));
        }
        if self.used > 0 {
            parts.push(format!("{} used", counted(self.used, "gem")));
        }
        if parts.is_empty() {
            return None;
        }
        let mut report =
            Report::with_summary(format!("packages: {}", parts.join("; ")), Quotes::Default);
        if !self.set_up.is_empty() {
            report.add(70, format!("set up: {}", self.set_up.names(14)));
        }
        if !self.installed.is_empty() {
            report.add(70, format!("installed: {}", self.installed.names(context.max_bytes / 60)));
        }
        Some(report)
    }
}

/// Returns true for `rake 13.2.1`, also followed by `(was 13.1.0)`, `from ...` or `with native extensions`.
fn is_gem(text: &str) -> bool {
    let mut words = text.split(' ');
    let name = words.next().unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_alphanumeric())
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let is_version = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c))
    };
    let has_version = words.next().is_some_and(is_version);
    let is_rest = |word: &str| word.starts_with('(') || ["from", "with"].contains(&word);
    is_name && has_version && words.next().is_none_or(is_rest)
}
