//! Valgrind: errors with their first own frame, leaks, the error summary.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::location;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "valgrind",
    keeps: "errors with their first own frame; leaks by kind; error summary",
    commands: &["valgrind"],
    scope: Scope::Whole(claims),
    create: || Box::<Valgrind>::default(),
};

/// Maximum number of errors listed.
const MAX_ERRORS: usize = 60;

fn claims(start: &Start<'_>) -> Option<Claim> {
    start.mostly(50, |line| message(line).is_some()).then_some(Claim::Sure)
}

/// Returns the text after `==123== `.
fn message(line: &str) -> Option<&str> {
    let (pid, text) = line.strip_prefix("==")?.split_once("==")?;
    let is_pid = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
    is_pid.then_some(text.strip_prefix(' ').unwrap_or(text))
}

#[derive(Debug, Default)]
struct Valgrind {
    errors: Vec<(String, Option<String>)>,
    kinds: ValueCounts,
    in_error: bool,
}

impl Recognizer for Valgrind {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some(text) = message(line.text) else { return Mark::Foreign };
        let bare = text.trim();
        if bare.starts_with("at 0x") || bare.starts_with("by 0x") {
            self.frame(bare);
            return Mark::Noise;
        }
        let is_title = !text.starts_with(' ') && !bare.is_empty();
        let is_error = is_title
            && (bare.starts_with("Invalid ")
                || bare.contains("uninitialised")
                || bare.contains(" lost in loss record")
                || bare.starts_with("Mismatched")
                || bare.starts_with("Process terminating")
                || bare.starts_with("Source and destination"));
        if is_error {
            self.kinds.add(bare.split(" of size").next().unwrap_or(bare));
            if self.errors.len() < MAX_ERRORS {
                self.errors.push((bare.to_owned(), None));
            }
        }
        self.in_error = is_error
            || self.in_error
                && !bare.is_empty()
                && !bare.starts_with("Address")
                && !bare.starts_with("Block was");
        match bare {
            _ if is_error => Mark::Weight(20),
            _ if bare.contains(" lost: ") || bare.contains("still reachable: ") => Mark::Weight(45),
            _ if bare.starts_with("ERROR SUMMARY")
                || bare.starts_with("total heap usage")
                || bare.starts_with("in use at exit") =>
            {
                Mark::OUTCOME
            }
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.errors.is_empty() {
            return None;
        }
        let mut report =
            Report::with_summary(format!("valgrind: {}", self.kinds.list(6)), Quotes::Default)
                .failing(true);
        for (index, (error, location)) in self.errors.iter().enumerate() {
            let location =
                location.as_deref().map(|location| format!("  {location}")).unwrap_or_default();
            report.add_item(85 - index.min(60) as u32, format!("{error}{location}"));
        }
        report.add_unlisted(self.kinds.total().saturating_sub(self.errors.len() as u64));
        Some(report)
    }
}

impl Valgrind {
    /// Sets the location of the error to the first frame in a source file.
    fn frame(&mut self, frame: &str) {
        if !self.in_error {
            return;
        }
        if let (Some((_, location)), Some(frame_location)) =
            (self.errors.last_mut(), location::find_first(frame))
            && location.is_none()
        {
            *location = Some(frame_location);
        }
    }
}
