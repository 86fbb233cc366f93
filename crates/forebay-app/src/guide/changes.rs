//! The branch, and the files that the session changed and that exist.

use std::collections::BTreeMap;
use std::path::Path;

use forebay_domain::EventKind;
use forebay_text::cut;

use super::layout::Section;
use super::session_facts::SessionFacts;

/// Files per line.
const FILES_PER_LINE: usize = 4;

pub(super) fn section(facts: &SessionFacts) -> Option<Section> {
    let mut lines: Vec<String> =
        facts.branch.iter().map(|branch| format!("branch: {branch}")).collect();
    let files = files(facts);
    if !files.is_empty() {
        let count = facts.count_label(files.len(), EventKind::FileEdited);
        let mut shown = files.chunks(FILES_PER_LINE).map(|files| files.join(", "));
        let first = shown.next().unwrap_or_default();
        lines.push(format!("files changed ({count}): {first}"));
        lines.extend(shown.map(|files| format!("  {files}")));
    }
    (!lines.is_empty()).then(|| Section::new("## Work tree", lines, "").with_percent(6))
}

/// Returns the changed files that exist, those named like the last request first, then the latest.
fn files(facts: &SessionFacts) -> Vec<String> {
    let mut times: BTreeMap<&str, u64> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for recorded in facts.events_of_any(&[EventKind::FileWritten, EventKind::FileEdited]) {
        let path = recorded.event.subject.as_str();
        if !exists(&facts.root, path) {
            continue;
        }
        if !times.contains_key(path) {
            order.push(path);
        }
        *times.entry(path).or_default() += recorded.times;
    }
    // Stable: of equally relevant files the latest comes first.
    order.sort_by_key(|path| std::cmp::Reverse(facts.relevance(path)));
    let name = |path: &&str| match times[*path] {
        1 => cut::suffix(path, 80).to_owned(),
        times => format!("{} (×{times})", cut::suffix(path, 80)),
    };
    order.iter().map(name).collect()
}

fn exists(root: &Path, path: &str) -> bool {
    root.join(path).exists()
}
