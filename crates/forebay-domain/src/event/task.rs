//! Tasks: how their state stands in an event's text.

use super::Event;

/// How a task stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task<'a> {
    pub state: &'a str,
    pub words: &'a str,
}

const STATES: &[&str] = &["open", "in progress", "done", "dropped"];

impl<'a> Task<'a> {
    /// Reads a task event: the words stand behind the state, or are its subject.
    pub fn from_event(event: &'a Event) -> Self {
        let text = event.text.as_str();
        let state =
            STATES.iter().find(|state| text.starts_with(**state)).copied().unwrap_or("open");
        let words = text.strip_prefix(state).and_then(|rest| rest.strip_prefix(": "));
        Self { state, words: words.unwrap_or(&event.subject) }
    }

    pub fn is_open(&self) -> bool {
        matches!(self.state, "open" | "in progress")
    }
}

/// The text of a task of which only the new state was told.
pub(super) fn with_words_of(newer: &str, older: &str) -> Option<String> {
    let state = STATES.iter().find(|state| newer == **state)?;
    let (_, words) = older.split_once(": ")?;
    STATES
        .iter()
        .any(|old| older.starts_with(&format!("{old}: ")))
        .then(|| format!("{state}: {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind;

    #[test]
    fn a_new_state_keeps_the_words() {
        let merged = |newer, older| with_words_of(newer, older);
        assert_eq!(merged("done", "open: write docs").as_deref(), Some("done: write docs"));
        assert_eq!(merged("done: write more", "open: write docs"), None);
        assert_eq!(merged("done", "open"), None);
        let event = Event::new(EventKind::Task, "#3", "in progress: write docs");
        let task = Task::from_event(&event);
        assert_eq!((task.state, task.words, task.is_open()), ("in progress", "write docs", true));
        let event = Event::new(EventKind::Task, "write docs", "done");
        assert_eq!(Task::from_event(&event), Task { state: "done", words: "write docs" });
    }
}
