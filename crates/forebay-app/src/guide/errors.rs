//! What fails now; repeated failures come with advice to try another way.

use forebay_domain::EventKind;
use forebay_domain::event::RecordedEvent;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// Failures in a row that count as a loop.
const LOOP_FAILURES: u64 = 3;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let mut open: Vec<&RecordedEvent> = facts.events_of(EventKind::Error).collect();
    open.sort_by_key(|error| {
        std::cmp::Reverse(
            facts.relevance(&error.event.subject) + facts.relevance(&error.event.text),
        )
    });
    let lines: Vec<String> = open.into_iter().map(line).collect();
    (!lines.is_empty()).then(|| Section::new("## What fails now", lines, "").with_percent(8))
}

fn line(error: &RecordedEvent) -> String {
    let tried = match error.times {
        1 => String::new(),
        times if times < LOOP_FAILURES => format!(" (failed {times} times)"),
        times => format!(" (failed {times} times in a row: try another way)"),
    };
    let (subject, text) = (&error.event.subject, &error.event.text);
    format!("- `{}`: {}{tried}", cut::one_line(subject, 100), cut::one_line(text, 240))
}
