//! Status lines of cargo: crates compiled, result of the build.

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "cargo",
    keeps: "crates compiled, downloaded, updated and added; build result",
    commands: &["cargo"],
    scope: Scope::Embedded(&[
        "   Compiling ",
        "    Checking ",
        "    Updating crates.io",
        "  Downloaded ",
    ]),
    create: || Box::<CargoBuild>::default(),
};

#[derive(Debug, Default)]
struct CargoBuild {
    compiled: u64,
    checked: u64,
    downloaded: u64,
    /// Names of downloaded crates, listed if nothing was compiled.
    downloaded_names: ValueCounts,
    adding: u64,
    updating: u64,
    removing: u64,
    finished: Option<String>,
    /// Dependencies added by `cargo add`.
    required: ValueCounts,
    /// Number of packages with a newer version available.
    outdated: u64,
}

impl Recognizer for CargoBuild {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let indented = line.text.len() - line.text.trim_start().len();
        let Some((verb, rest)) = line.text.trim_start().split_once(' ') else { return Mark::Plain };
        if indented == 13 && matches!(verb, "+" | "-") {
            // A feature of the package above.
            return Mark::Noise;
        }
        if indented + verb.len() != 12 {
            return Mark::Plain;
        }
        let count = match verb {
            "Compiling" => &mut self.compiled,
            "Checking" => &mut self.checked,
            "Downloaded" => {
                self.downloaded_names.add(rest);
                &mut self.downloaded
            }
            "Adding" if rest.contains(" to ") => {
                self.required.add(rest.split_once(" to ").map_or(rest, |(name, _)| name));
                return Mark::Weight(40);
            }
            "Adding" => {
                self.outdated += u64::from(rest.contains("(available:"));
                self.adding += 1;
                return if rest.contains("(available:") { Mark::Weight(30) } else { Mark::Noise };
            }
            "Locking" => return Mark::Weight(35),
            "Updating" if rest.contains("->") => &mut self.updating,
            "Removing" => &mut self.removing,
            "Finished" => {
                self.finished = Some(rest.to_owned());
                return Mark::Weight(40);
            }
            "Running" | "Starting" => {
                // A build that runs something has finished.
                self.finished = None;
                return Mark::Noise;
            }
            "Downloading" | "Fresh" | "Blocking" => return Mark::Noise,
            _ => return Mark::Plain,
        };
        *count += 1;
        Mark::Noise
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let counts = [
            (self.compiled, "compiled"),
            (self.checked, "checked"),
            (self.downloaded, "downloaded"),
            (self.adding, "added"),
            (self.updating, "updated"),
            (self.removing, "removed"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let mut report = Report::new(Quotes::Default);
        if !self.required.is_empty() {
            report.add(
                70,
                format!(
                    "{} dependencies: {}",
                    self.required.distinct_label(),
                    self.required.names(12)
                ),
            );
        }
        if self.downloaded_names.distinct() > 0 && self.compiled + self.checked == 0 {
            report.add(
                40,
                format!("downloaded: {}", self.downloaded_names.names(context.max_bytes / 60)),
            );
        }
        if self.outdated > 0 {
            report.add(60, format!("{} with a newer version available", self.outdated));
        }
        if !parts.is_empty() {
            report.add(55, format!("crates: {}", parts.join(", ")));
        }
        report.add(
            50,
            self.finished.map(|finished| format!("finished {finished}")).unwrap_or_default(),
        );
        (!report.facts.is_empty()).then_some(report)
    }
}
