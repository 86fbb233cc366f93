//! make, CMake and Ninja: failed targets, configuration errors.

use forebay_text::number::counted;

use super::{Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "make, cmake, ninja",
    keeps: "failed targets with their errors; CMake errors with location and message; no progress lines",
    commands: &["make", "cmake", "ninja", "gmake"],
    scope: Scope::Embedded(&[
        "*** ",
        "ninja: ",
        "make: Entering",
        "CMake Error",
        "CMake Warning",
        "CMake Deprecation Warning",
    ]),
    create: || Box::<Make>::default(),
};

#[derive(Debug, Default)]
struct Make {
    failed: ValueCounts,
    /// Depth of the deepest make that failed; its callers fail too.
    failed_depth: Option<u32>,
    warnings: u64,
    deprecations: u64,
    errors: u64,
    not_found: ValueCounts,
    /// The last progress marker, such as `[12/40]`.
    last_step: Option<String>,
    /// Within the message of a CMake error.
    in_message: bool,
}

impl Recognizer for Make {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        if let Some((origin, target)) =
            text.split_once("*** ").filter(|(origin, _)| origin.contains("make"))
        {
            return self.target(origin, target);
        }
        if let Some(target) = text.strip_prefix("FAILED: ") {
            self.failed.add(target);
            return Mark::FAILURE;
        }
        if text.starts_with("CMake Deprecation Warning") {
            self.deprecations += 1;
            return Mark::Weight(16);
        }
        if let Some(package) = text.strip_prefix("-- Could NOT find ") {
            self.not_found.add(package.split(' ').next().unwrap_or(package));
            return Mark::Weight(30);
        }
        if text.starts_with("CMake Error") || text.starts_with("CMake Warning") {
            self.in_message = true;
            let is_error = text.starts_with("CMake Error");
            self.warnings += u64::from(!is_error);
            self.errors += u64::from(is_error);
            if is_error {
                self.failed.add(text.trim_end_matches(':'));
            }
            return if is_error { Mark::FAILURE } else { Mark::Weight(20) };
        }
        if text.starts_with("ninja: build stopped") || text.starts_with("-- Configuring incomplete")
        {
            return Mark::OUTCOME;
        }
        if is_progress(text) {
            self.last_step = text.split_once(']').map(|(last_step, _)| format!("{last_step}]"));
            return Mark::Noise;
        }
        self.in_message &= text.is_empty() || text.starts_with("  ");
        match self.in_message {
            true if !text.is_empty() => Mark::REASON,
            _ if text.contains("Entering directory") || text.contains("Leaving directory") => {
                Mark::Noise
            }
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.failed.is_empty() && self.last_step.is_none() && self.warnings == 0 {
            return None;
        }
        let mut report = Report::new(Quotes::Default);
        if !self.failed.is_empty() {
            let targets = self.failed.distinct_with_noun("target");
            let summary = format!("{targets} failed: {}", self.failed.names(5));
            report.add(90, summary);
            report = report.failing(true);
        }
        for (count, what) in [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.deprecations, "deprecation warning"),
        ] {
            if count > 0 {
                report.add(70, counted(count, what));
            }
        }
        if !self.not_found.is_empty() {
            report.add(
                75,
                format!(
                    "{} not found: {}",
                    self.not_found.distinct_label(),
                    self.not_found.names(6)
                ),
            );
        }
        if let Some(last_step) = self.last_step {
            report.add(60, format!("last step {last_step}"));
        }
        Some(report)
    }
}

impl Make {
    /// Adds a failed target, unless only a make that it called failed.
    fn target(&mut self, origin: &str, target: &str) -> Mark {
        if target.starts_with("Waiting for") || target.starts_with("Deleting ") {
            return Mark::Plain;
        }
        let depth = origin
            .split_once('[')
            .and_then(|(_, depth)| depth.split(']').next()?.parse().ok())
            .unwrap_or(0);
        // A make that fails exits with 2, which its callers report in turn.
        let is_caller =
            target.ends_with("Error 2") && self.failed_depth.is_some_and(|deepest| depth < deepest);
        self.failed_depth = self.failed_depth.max(Some(depth));
        if is_caller {
            return Mark::Weight(40);
        }
        self.failed.add(target.trim_end_matches("Stop.").trim_end_matches([' ', '.']));
        Mark::FAILURE
    }
}

/// Returns true for `[ 50%] Building C object` or `[12/40] Linking`.
fn is_progress(text: &str) -> bool {
    let Some((inside, _)) = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
        return false;
    };
    inside.ends_with('%')
        || inside.split_once('/').is_some_and(|(done, all)| {
            done.trim().parse::<u32>().is_ok() && all.parse::<u32>().is_ok()
        })
}
