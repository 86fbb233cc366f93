//! npm, pnpm and yarn: packages added and removed, vulnerabilities, errors; deprecations counted.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::Tops;

pub(super) const FORMAT: Format = Format {
    name: "npm, pnpm, yarn",
    keeps: "packages added, removed, changed; vulnerabilities; the error code and its explanation; deprecations",
    commands: &["npm", "pnpm", "yarn", "bun"],
    scope: Scope::Part(&["npm WARN", "npm warn", "npm ERR!", "npm error", "added ", "ERR_PNPM", "YN0000", " vulnerabilities"]),
    start: || Box::<Npm>::default(),
};

#[derive(Debug, Default)]
struct Npm {
    deprecated: Tops,
    outcome: Vec<String>,
    code: Option<String>,
}

impl Recognizer for Npm {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(error) = text.strip_prefix("npm ERR! ").or_else(|| text.strip_prefix("npm error ")) {
            return self.error(error);
        }
        let warning = text.strip_prefix("npm WARN ").or_else(|| text.strip_prefix("npm warn "));
        if let Some(package) = warning.and_then(|warning| warning.strip_prefix("deprecated ")) {
            self.deprecated.add(package.split([' ', ':']).next().unwrap_or(package));
            return Mark::Weight(14);
        }
        let is_outcome = ["added ", "removed ", "changed ", "up to date", "found 0 ", "Done in "].iter().any(|start| text.starts_with(start))
            || text.contains(" vulnerabilit") && text.starts_with(|c: char| c.is_ascii_digit());
        if is_outcome {
            self.outcome.push(text.to_owned());
            return Mark::OUTCOME;
        }
        if text.starts_with("ERR_PNPM") || text.starts_with("error ") { Mark::FAILURE } else { Mark::Plain }
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.deprecated.is_empty() && self.code.is_none() {
            return None;
        }
        let mut report = Report::new(Quotes::Usual);
        if let Some(code) = &self.code {
            report.add(95, format!("npm failed: {code}"));
            report = report.failing(true);
        }
        if !self.deprecated.is_empty() {
            let said = format!("{} deprecated packages: {}", self.deprecated.distinct_said(), self.deprecated.names(12));
            report.add(70, said);
        }
        Some(report)
    }
}

impl Npm {
    fn error(&mut self, error: &str) -> Mark {
        if let Some(code) = error.strip_prefix("code ") {
            self.code = Some(code.to_owned());
        }
        let tells_nothing = error.trim().is_empty() || error.contains("complete log of this run") || error.contains("_logs/");
        if tells_nothing { Mark::Noise } else { Mark::REASON }
    }
}
