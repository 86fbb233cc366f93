//! Files the session changed, with what was done to them.

use std::collections::BTreeMap;

use forebay_domain::EventKind;
use forebay_text::cut;

use super::facts::Facts;
use super::layout::Section;

/// Files of one line.
const A_LINE: usize = 4;

pub(super) fn section(facts: &Facts) -> Option<Section> {
    let mut done: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for recorded in facts.of_any(&[EventKind::FileWritten, EventKind::FileEdited]) {
        let word = if recorded.event.kind == EventKind::FileWritten { "written" } else { "edited" };
        let times =
            if recorded.times > 1 { format!(" ×{}", recorded.times) } else { String::new() };
        let path = recorded.event.subject.as_str();
        if !done.contains_key(path) {
            order.push(path);
        }
        done.entry(path).or_default().push(format!("{word}{times}"));
    }
    // Stable: of the equally relevant the latest comes first.
    order.sort_by_key(|path| std::cmp::Reverse(facts.relevance(path)));
    let named: Vec<String> = order
        .iter()
        .map(|path| format!("{} ({})", cut::suffix(path, 80), done[path].join(", ")))
        .collect();
    let lines: Vec<String> = named.chunks(A_LINE).map(|files| files.join(", ")).collect();
    let count = facts.told_number(named.len(), EventKind::FileEdited);
    let title = format!("## Files changed ({count})");
    let more = "ctx_history events=file";
    (!lines.is_empty()).then(|| Section::new(title, lines, more).weighing(14))
}
