//! Failures that nothing resolved yet; one that comes again and again is called a loop.

use forebay_domain::EventKind;
use forebay_domain::event::Recorded;
use forebay_text::cut;

use super::facts::Facts;
use super::layout::Section;

/// Tried so often without success, another way is needed.
const A_LOOP: u64 = 3;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let mut open: Vec<&Recorded> = facts.of(EventKind::Error).collect();
    open.sort_by_key(|error| {
        std::cmp::Reverse(
            facts.relevance(&error.event.subject) + facts.relevance(&error.event.text),
        )
    });
    let lines: Vec<String> = open.into_iter().map(line).collect();
    let more = "ctx_history events=error";
    (!lines.is_empty()).then(|| Section::new("## Unresolved errors", lines, more).weighing(12))
}

fn line(error: &Recorded) -> String {
    let tried = match error.times {
        1 => String::new(),
        times if times < A_LOOP => format!(" (failed {times} times)"),
        times => format!(" (failed {times} times in a row: try another way)"),
    };
    let (subject, text) = (&error.event.subject, &error.event.text);
    format!("- `{}`: {}{tried}", cut::one_line(subject, 100), cut::one_line(text, 160))
}
