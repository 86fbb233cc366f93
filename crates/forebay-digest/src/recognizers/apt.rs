//! apt and bundler: what was installed and upgraded, what failed.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::Tops;

pub(super) const FORMAT: Format = Format {
    name: "apt, bundler",
    keeps: "packages upgraded, newly installed, removed; sizes; gems; errors",
    commands: &["apt", "apt-get", "bundle", "gem", "dpkg"],
    scope: Scope::Part(&["newly installed,", "Setting up ", "Bundle complete!", "Unpacking "]),
    start: || Box::<Apt>::default(),
};

#[derive(Debug, Default)]
struct Apt {
    set_up: Tops,
    installed: Tops,
    used: u64,
    fetched: u64,
    summary: Option<String>,
}

impl Recognizer for Apt {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.contains(" upgraded, ") && text.contains(" newly installed") {
            self.summary = Some(text.to_owned());
            return Mark::OUTCOME;
        }
        if let Some(package) = text.strip_prefix("Setting up ") {
            self.set_up.add(package.split(' ').next().unwrap_or(package));
            return Mark::Noise;
        }
        if let Some(gem) = text.strip_prefix("Installing ") {
            self.installed.add(gem);
            return Mark::Noise;
        }
        if text.starts_with("Using ") {
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
            () if is_step && !text.starts_with("Fetched") => Mark::Noise,
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

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        let mut said = Vec::new();
        said.extend(self.summary);
        if !self.set_up.is_empty() {
            said.push(format!("{} set up", self.set_up.distinct_said()));
        }
        if !self.installed.is_empty() {
            said.push(format!("{} gems installed", self.installed.distinct_said()));
        }
        if self.used > 0 {
            said.push(format!("{} gems used", self.used));
        }
        if said.is_empty() {
            return None;
        }
        let mut report = Report::of(format!("packages: {}", said.join("; ")), Quotes::Usual);
        if !self.set_up.is_empty() {
            report.add(70, format!("set up: {}", self.set_up.names(14)));
        }
        if !self.installed.is_empty() {
            report.add(70, format!("installed: {}", self.installed.names(end.room / 60)));
        }
        Some(report)
    }
}
