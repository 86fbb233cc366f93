//! webpack, Vite and Next.js: errors with their modules; emitted files and sizes.

use forebay_text::number::bytes;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "webpack, vite, next",
    keeps: "errors with module and reason; emitted files and sizes; build result",
    commands: &["webpack", "vite build", "vite", "next build", "rollup", "esbuild"],
    scope: Scope::Embedded(&[
        "ERROR in ",
        "webpack ",
        "modules transformed",
        "Failed to compile",
        "error during build",
        "First Load JS",
    ]),
    create: || Box::<Bundler>::default(),
};

#[derive(Debug, Default)]
struct Bundler {
    errors: ValueCounts,
    assets: u64,
    kinds: ValueCounts,
    bytes: f64,
    /// Number of modules built.
    modules: u64,
    result: Option<String>,
    reason_lines: u32,
}

impl Recognizer for Bundler {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(module) = text.strip_prefix("ERROR in ") {
            self.errors.add(module);
            self.reason_lines = 3;
            return Mark::FAILURE;
        }
        if text.starts_with("Failed to compile") || text.starts_with("error during build") {
            self.errors.add(text);
            self.reason_lines = 6;
            return Mark::FAILURE;
        }
        let is_result = text.starts_with("✓ built in")
            || (text.starts_with("webpack ") && text.contains(" compiled "));
        if is_result {
            self.result = Some(text.to_owned());
            return Mark::OUTCOME;
        }
        if text.starts_with("asset ") || (text.starts_with("dist/") && text.contains(" kB")) {
            self.add_asset(text);
            return Mark::Weight(16);
        }
        if text.ends_with("modules transformed.") || text.contains("Compiled successfully") {
            return Mark::Weight(25);
        }
        if text.starts_with("WARNING in ") || text.starts_with("(!) ") {
            self.reason_lines = 1;
            return Mark::REASON;
        }
        if text.starts_with("./") && text.contains("[built]") {
            self.modules += 1;
            return Mark::Noise;
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            return Mark::REASON;
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.errors.is_empty() && self.assets == 0 {
            return None;
        }
        let mut parts = vec![format!("build: {} errors", self.errors.total())];
        if self.assets > 0 {
            parts.push(format!(
                "{} files ({}), {} in total",
                self.assets,
                self.kinds.list(4),
                bytes(self.bytes as u64)
            ));
        }
        if self.modules > 0 {
            parts.push(format!("{} modules", self.modules));
        }
        parts.extend(self.result);
        Some(
            Report::with_summary(parts.join(", "), Quotes::Default)
                .failing(!self.errors.is_empty()),
        )
    }
}

impl Bundler {
    /// Adds `dist/assets/index.js   606.16 kB │ gzip: 3.66 kB` or `asset main.js 159 KiB`.
    fn add_asset(&mut self, text: &str) {
        self.assets += 1;
        let mut words = text.trim_start_matches("asset ").split_ascii_whitespace();
        let (name, size, unit) = (words.next(), words.next(), words.next());
        if let Some((_, kind)) = name.and_then(|name| name.rsplit_once('.')) {
            self.kinds.add(kind);
        }
        let factor = match unit {
            Some("kB" | "KiB") => 1e3,
            Some("MB" | "MiB") => 1e6,
            _ => 1.0,
        };
        self.bytes +=
            factor * size.and_then(|size| size.replace(',', "").parse::<f64>().ok()).unwrap_or(0.0);
    }
}
