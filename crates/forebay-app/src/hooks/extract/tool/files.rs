//! Files that were read, changed or written; reading a file with rules also records a rule.

use forebay_domain::{Event, EventKind};
use forebay_platforms::is_instruction_file;

/// A file with rules that is not specific to agents.
const CONTRIBUTING: &str = "CONTRIBUTING.md";

pub(super) fn read(kind: EventKind, paths: &[String]) -> Vec<Event> {
    paths.iter().filter(|path| !path.is_empty()).flat_map(|path| events(kind, path)).collect()
}

fn events(kind: EventKind, path: &str) -> Vec<Event> {
    let mut events = vec![Event::new(kind, path, kind.as_str())];
    if kind == EventKind::FileRead && has_rules(path) {
        events.push(Event::new(EventKind::Rule, path, &format!("rules stand in {path}")));
    }
    events
}

fn has_rules(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name == CONTRIBUTING || is_instruction_file(path)
}
