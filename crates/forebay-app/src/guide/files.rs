//! Files that the session changed, with the kind of change.

use std::collections::BTreeMap;

use forebay_domain::EventKind;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// Files per line.
const FILES_PER_LINE: usize = 4;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let mut changes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for recorded in facts.events_of_any(&[EventKind::FileWritten, EventKind::FileEdited]) {
        let word = if recorded.event.kind == EventKind::FileWritten { "written" } else { "edited" };
        let times =
            if recorded.times > 1 { format!(" ×{}", recorded.times) } else { String::new() };
        let path = recorded.event.subject.as_str();
        if !changes.contains_key(path) {
            order.push(path);
        }
        changes.entry(path).or_default().push(format!("{word}{times}"));
    }
    // Stable: of equally relevant files the latest comes first.
    order.sort_by_key(|path| std::cmp::Reverse(facts.relevance(path)));
    let files: Vec<String> = order
        .iter()
        .map(|path| format!("{} ({})", cut::suffix(path, 80), changes[path].join(", ")))
        .collect();
    let lines: Vec<String> = files.chunks(FILES_PER_LINE).map(|files| files.join(", ")).collect();
    let count = facts.count_label(files.len(), EventKind::FileEdited);
    let title = format!("## Files changed ({count})");
    let more = "ctx_history events=file";
    (!lines.is_empty()).then(|| Section::new(title, lines, more).with_percent(14))
}
