//! Valgrind: each error with its first own frame, leaks, the error summary.

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::place;
use crate::tally::Tops;

pub(super) const FORMAT: Format = Format {
    name: "valgrind",
    keeps: "errors with their first own frame; leaks by kind; the error summary",
    commands: &["valgrind"],
    scope: Scope::Whole(claims),
    start: || Box::<Valgrind>::default(),
};

/// Errors beyond so many are only counted.
const HELD: usize = 60;

fn claims(start: &Start<'_>) -> Option<Claim> {
    start.mostly(50, |line| message(line).is_some()).then_some(Claim::Sure)
}

/// What stands after `==123== `.
fn message(line: &str) -> Option<&str> {
    let (pid, text) = line.strip_prefix("==")?.split_once("==")?;
    pid.bytes().all(|byte| byte.is_ascii_digit()).then_some(text.strip_prefix(' ').unwrap_or(text))
}

#[derive(Debug, Default)]
struct Valgrind {
    errors: Vec<(String, Option<String>)>,
    kinds: Tops,
    in_error: bool,
}

impl Recognizer for Valgrind {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let Some(text) = message(line.text) else { return Mark::Plain };
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
            if self.errors.len() < HELD {
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

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.errors.is_empty() {
            return None;
        }
        let mut report =
            Report::of(format!("valgrind: {}", self.kinds.list(6)), Quotes::Usual).failing(true);
        for (index, (error, place)) in self.errors.iter().enumerate() {
            let place = place.as_deref().map(|place| format!("  {place}")).unwrap_or_default();
            report.add(85 - index.min(60) as u32, format!("{error}{place}"));
        }
        Some(report)
    }
}

impl Valgrind {
    /// The first frame with a place in a source file is where one's own code did it.
    fn frame(&mut self, frame: &str) {
        if !self.in_error {
            return;
        }
        if let (Some((_, place)), Some(found)) = (self.errors.last_mut(), place::first(frame))
            && place.is_none()
        {
            *place = Some(found);
        }
    }
}
