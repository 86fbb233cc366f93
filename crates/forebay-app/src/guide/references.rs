//! The most relevant stored outputs: failed, related to the last request, latest.

use forebay_domain::{Entry, EntryKind};

use super::layout::Section;
use super::session_facts::SessionFacts;
use crate::render::describe;

const MAX_OUTPUTS: usize = 5;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let is_output = |entry: &&Entry| {
        matches!(entry.kind, EntryKind::Run | EntryKind::Capture | EntryKind::Page)
            && entry.source != super::SNAPSHOT_SOURCE
    };
    let mut outputs: Vec<&Entry> = facts.entries.iter().filter(is_output).collect();
    let failed = |entry: &Entry| entry.run().is_some_and(|run| !run.ending.is_success());
    outputs.sort_by_key(|entry| {
        std::cmp::Reverse(facts.relevance(&entry.title) + 2 * usize::from(failed(entry)))
    });
    outputs.truncate(MAX_OUTPUTS);
    let lines: Vec<String> =
        outputs.iter().map(|entry| describe::entry(entry, facts.now)).collect();
    let more = "ctx_history, ctx_search";
    (!lines.is_empty()).then(|| Section::new("## Stored outputs", lines, more))
}
