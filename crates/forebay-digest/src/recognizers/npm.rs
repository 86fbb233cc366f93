//! npm, pnpm and yarn: packages added and removed, vulnerabilities, errors, deprecations.

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "npm, pnpm, yarn",
    keeps: "packages added, removed, changed; vulnerabilities; error code with explanation; deprecations",
    commands: &["npm", "pnpm", "yarn", "bun"],
    scope: Scope::Embedded(&[
        "npm WARN",
        "npm warn",
        "npm ERR!",
        "npm error",
        "added ",
        "ERR_PNPM",
        "YN0000",
        " vulnerabilities",
    ]),
    create: || Box::<Npm>::default(),
};

#[derive(Debug, Default)]
struct Npm {
    deprecated: ValueCounts,
    outcome: Vec<String>,
    code: Option<String>,
    requests: u64,
    statuses: ValueCounts,
    hosts: ValueCounts,
    misses: u64,
    slowest: (u64, String),
}

impl Recognizer for Npm {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(error) =
            text.strip_prefix("npm ERR! ").or_else(|| text.strip_prefix("npm error "))
        {
            return self.error(error);
        }
        let warning = text.strip_prefix("npm WARN ").or_else(|| text.strip_prefix("npm warn "));
        if let Some(package) = warning.and_then(|warning| warning.strip_prefix("deprecated ")) {
            self.deprecated.add(package.split([' ', ':']).next().unwrap_or(package));
            return Mark::Weight(14);
        }
        if let Some(request) = text.strip_prefix("npm http fetch ") {
            return self.request(request);
        }
        let is_outcome = ["added ", "removed ", "changed ", "up to date", "found 0 ", "Done in "]
            .iter()
            .any(|start| text.starts_with(start))
            || text.contains(" vulnerabilit") && text.starts_with(|c: char| c.is_ascii_digit());
        if is_outcome {
            self.outcome.push(text.to_owned());
            return Mark::OUTCOME;
        }
        if text.starts_with("ERR_PNPM") || text.starts_with("error ") {
            Mark::FAILURE
        } else {
            Mark::Plain
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.deprecated.is_empty() && self.code.is_none() && self.requests == 0 {
            return None;
        }
        let mut report = Report::new(Quotes::Default);
        if let Some(code) = &self.code {
            report.add(95, format!("npm failed: {code}"));
            report = report.failing(true);
        }
        if self.requests > 0 {
            let (statuses, hosts) = (self.statuses.list(4), self.hosts.list(3));
            report.add(
                80,
                format!(
                    "{} requests, {} cache misses; status {statuses}; hosts {hosts}",
                    self.requests, self.misses
                ),
            );
            report.add(75, format!("slowest: {}", self.slowest.1));
        }
        if !self.deprecated.is_empty() {
            let summary = format!(
                "{} deprecated packages: {}",
                self.deprecated.distinct_label(),
                self.deprecated.names(12)
            );
            report.add(70, summary);
        }
        Some(report)
    }
}

impl Npm {
    /// Handles `GET 200 https://registry/name 547ms (cache miss)`.
    fn request(&mut self, request: &str) -> Mark {
        let mut words = request.split(' ').skip(1);
        let (status, url) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        self.requests += 1;
        self.statuses.add(status);
        self.hosts.add(url.split('/').nth(2).unwrap_or(url));
        self.misses += u64::from(request.contains("(cache miss)"));
        let took = words.next().and_then(|took| took.strip_suffix("ms")?.parse().ok()).unwrap_or(0);
        if took > self.slowest.0 {
            self.slowest = (took, format!("{url} {took}ms"));
        }
        if status.starts_with(['4', '5']) { Mark::REASON } else { Mark::Noise }
    }

    fn error(&mut self, error: &str) -> Mark {
        if let Some(code) = error.strip_prefix("code ") {
            self.code = Some(code.to_owned());
        }
        let tells_nothing = error.trim().is_empty()
            || error.contains("complete log of this run")
            || error.contains("_logs/");
        if tells_nothing { Mark::Noise } else { Mark::REASON }
    }
}
