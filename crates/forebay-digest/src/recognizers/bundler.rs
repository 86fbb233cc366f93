//! webpack, Vite and Next.js: errors with their modules, what was built and how large.

use super::{End, Format, Mark, Quotes, Recognizer, Report, Scope};
use crate::lines::Line;
use crate::tally::Tops;

pub(super) const FORMAT: Format = Format {
    name: "webpack, vite, next",
    keeps: "errors with module and reason; the emitted files and sizes; how the build ended",
    commands: &["webpack", "vite build", "vite", "next build", "rollup", "esbuild"],
    scope: Scope::Part(&["ERROR in ", "webpack ", "modules transformed", "Failed to compile", "error during build", "First Load JS"]),
    start: || Box::<Bundler>::default(),
};

#[derive(Debug, Default)]
struct Bundler {
    errors: Tops,
    assets: u64,
    ending: Option<String>,
    reason_lines: u32,
}

impl Recognizer for Bundler {
    fn take(&mut self, line: Line<'_>) -> Mark {
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
        let is_ending = text.starts_with("✓ built in") || (text.starts_with("webpack ") && text.contains(" compiled "));
        if is_ending {
            self.ending = Some(text.to_owned());
            return Mark::OUTCOME;
        }
        if text.starts_with("asset ") || (text.starts_with("dist/") && text.contains(" kB")) {
            self.assets += 1;
            return Mark::Weight(16);
        }
        if text.ends_with("modules transformed.") || text.contains("Compiled successfully") {
            return Mark::Weight(25);
        }
        if self.reason_lines > 0 && !text.is_empty() {
            self.reason_lines -= 1;
            return Mark::REASON;
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.errors.is_empty() && self.assets == 0 {
            return None;
        }
        let mut said = vec![format!("build: {} errors", self.errors.total())];
        if self.assets > 0 {
            said.push(format!("{} emitted files", self.assets));
        }
        said.extend(self.ending);
        Some(Report::of(said.join(", "), Quotes::Usual).failing(!self.errors.is_empty()))
    }
}
