//! The session's events, entries and git state, from which the guide's sections are built.

use std::collections::BTreeSet;
use std::path::PathBuf;

use forebay_domain::event::{Priority, RecordedEvent};
use forebay_domain::{Entry, EventKind, Timestamp};
use forebay_store::{EventPage, HistoryPage};
use forebay_text::words;

use super::git::GitState;
use crate::guide::overview;
use crate::{App, AppError};

/// Events read per priority, prompts aside: far more than a guide has room for.
const MAX_EVENTS_PER_PRIORITY: usize = 200;
const MAX_ENTRIES: usize = 100;
const MAX_REQUEST_WORDS: usize = 40;

/// Kinds that no section shows, and prompts, of which only the last is read.
const EXCLUDED_KINDS: &[EventKind] = &[
    EventKind::FileRead,
    EventKind::Mcp,
    EventKind::Skill,
    EventKind::Data,
    EventKind::Intent,
    EventKind::Prompt,
];

pub(super) struct SessionFacts {
    /// Events that still apply, latest first.
    events: Vec<RecordedEvent>,
    /// The user's last request, verbatim.
    pub(super) last_request: Option<String>,
    /// Entries of the session, latest first.
    pub(super) entries: Vec<Entry>,
    /// Pinned notes, one line each.
    pub(super) pinned: Vec<String>,
    pub(super) git: Option<GitState>,
    pub(super) root: PathBuf,
    pub(super) now: Timestamp,
    /// Words of the last request, which rank the rest.
    request_words: BTreeSet<String>,
}

impl SessionFacts {
    pub(super) fn read(app: &App) -> Result<Self, AppError> {
        let store = app.stores.own()?;
        let session = Some(app.session.clone());
        let kinds = EventKind::all().filter(|kind| !EXCLUDED_KINDS.contains(kind)).collect();
        let page = EventPage {
            session: session.clone(),
            kinds,
            active_only: true,
            limit: Priority::ALL.len() * MAX_EVENTS_PER_PRIORITY,
            max_per_priority: Some(MAX_EVENTS_PER_PRIORITY),
            ..EventPage::default()
        };
        let events = store.events(&page)?;
        let prompt =
            EventPage { kinds: vec![EventKind::Prompt], max_per_priority: Some(1), ..page };
        let last_request = store.events(&prompt)?.pop().map(|recorded| recorded.event.text);
        let request_text = last_request.as_deref().unwrap_or_default();
        let request_words =
            words::significant(request_text, MAX_REQUEST_WORDS).into_iter().collect();
        let entries = store.history(&HistoryPage { session, before: None, limit: MAX_ENTRIES })?;
        let mut facts = Self {
            events,
            last_request,
            entries,
            pinned: overview::pinned(app)?.iter().map(|note| overview::line(app, note)).collect(),
            git: None,
            root: app.root().to_owned(),
            now: app.now(),
            request_words,
        };
        facts.git = app.stores.project().and_then(|project| {
            let touched = facts.touched_files();
            GitState::read(project, &touched)
        });
        Ok(facts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.last_request.is_none() && self.entries.is_empty()
    }

    /// Returns the events of a kind that still apply, latest first.
    pub(super) fn events_of(&self, kind: EventKind) -> impl Iterator<Item = &RecordedEvent> {
        self.events.iter().filter(move |recorded| recorded.event.kind == kind)
    }

    /// Returns the events of these kinds that still apply, latest first.
    pub(super) fn events_of_any(
        &self,
        kinds: &'static [EventKind],
    ) -> impl Iterator<Item = &RecordedEvent> {
        self.events.iter().filter(|recorded| kinds.contains(&recorded.event.kind))
    }

    /// Formats a count of events; `or more` if the read limit was reached.
    pub(super) fn count_label(&self, number: usize, kind: EventKind) -> String {
        let is_same = |recorded: &&RecordedEvent| recorded.event.kind.priority() == kind.priority();
        let read = self.events.iter().filter(is_same).count();
        format!("{number}{}", if read < MAX_EVENTS_PER_PRIORITY { "" } else { " or more" })
    }

    /// Counts the words that a text shares with the last request.
    pub(super) fn relevance(&self, text: &str) -> usize {
        words::words(text).filter(|word| self.request_words.contains(word)).count()
    }

    fn touched_files(&self) -> Vec<String> {
        let files = self.events_of_any(&[EventKind::FileEdited, EventKind::FileWritten]);
        files.map(|recorded| recorded.event.subject.clone()).collect()
    }
}
