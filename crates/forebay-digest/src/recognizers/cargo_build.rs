//! cargo's own lines: crates compiled, how the build ended.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "cargo",
    keeps: "crates compiled, downloaded, updated and added; how the build ended",
    commands: &["cargo"],
    scope: Scope::Part(&["   Compiling ", "    Checking ", "    Updating crates.io", "  Downloaded "]),
    start: || Box::<CargoBuild>::default(),
};

#[derive(Debug, Default)]
struct CargoBuild {
    compiled: u64,
    checked: u64,
    downloaded: u64,
    adding: u64,
    updating: u64,
    removing: u64,
    finished: Option<String>,
}

impl Recognizer for CargoBuild {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let indented = line.text.len() - line.text.trim_start().len();
        let Some((verb, rest)) = line.text.trim_start().split_once(' ') else { return Mark::Plain };
        if indented + verb.len() != 12 {
            return Mark::Plain;
        }
        let count = match verb {
            "Compiling" => &mut self.compiled,
            "Checking" => &mut self.checked,
            "Downloaded" => &mut self.downloaded,
            "Adding" => &mut self.adding,
            "Updating" if rest.contains("->") => &mut self.updating,
            "Removing" => &mut self.removing,
            "Finished" => {
                self.finished = Some(rest.to_owned());
                return Mark::Weight(40);
            }
            "Downloading" | "Fresh" | "Locking" | "Blocking" => return Mark::Noise,
            _ => return Mark::Plain,
        };
        *count += 1;
        Mark::Noise
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        let counts = [
            (self.compiled, "compiled"), (self.checked, "checked"), (self.downloaded, "downloaded"),
            (self.adding, "added"), (self.updating, "updated"), (self.removing, "removed"),
        ];
        let said: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let mut report = Report::new(Quotes::Usual);
        if !said.is_empty() {
            report.add(55, format!("crates: {}", said.join(", ")));
        }
        report.add(50, self.finished.map(|finished| format!("finished {finished}")).unwrap_or_default());
        (!report.facts.is_empty()).then_some(report)
    }
}
