//! The facts a guide is made of: this session's events and entries.

use std::collections::BTreeSet;
use std::path::PathBuf;

use forebay_domain::event::{Priority, Recorded};
use forebay_domain::{Entry, EventKind, Timestamp};
use forebay_store::{EventPage, HistoryPage};
use forebay_text::words;

use super::git::GitState;
use crate::guide::overview;
use crate::{App, AppError};

/// Events of each priority that are looked at, prompts aside: far more than a guide has room for.
const MOST_EVENTS: usize = 200;
const MOST_ENTRIES: usize = 100;
const MOST_REQUEST_WORDS: usize = 40;

/// Kinds that no section tells of, and prompts, of which the last is told.
const UNTOLD: &[EventKind] = &[
    EventKind::FileRead,
    EventKind::Mcp,
    EventKind::Skill,
    EventKind::Data,
    EventKind::Intent,
    EventKind::Prompt,
];

pub(super) struct Facts {
    /// What still stands, the latest first.
    events: Vec<Recorded>,
    /// What the user asked last, in the user's words.
    pub(super) last_request: Option<String>,
    /// Entries of the session, the latest first.
    pub(super) entries: Vec<Entry>,
    /// Pinned notes, a line each.
    pub(super) pinned: Vec<String>,
    pub(super) git: Option<GitState>,
    pub(super) root: PathBuf,
    pub(super) now: Timestamp,
    /// Words of the last request, by which the rest is weighed.
    request: BTreeSet<String>,
}

impl Facts {
    pub(super) fn gather(app: &App) -> Result<Self, AppError> {
        let store = app.places.own()?;
        let session = Some(app.session.clone());
        let kinds = EventKind::all().filter(|kind| !UNTOLD.contains(kind)).collect();
        let page = EventPage {
            session: session.clone(),
            kinds,
            active_only: true,
            limit: Priority::ALL.len() * MOST_EVENTS,
            max_per_priority: Some(MOST_EVENTS),
            ..EventPage::default()
        };
        let events = store.events(&page)?;
        let prompt =
            EventPage { kinds: vec![EventKind::Prompt], max_per_priority: Some(1), ..page };
        let last_request = store.events(&prompt)?.pop().map(|recorded| recorded.event.text);
        let request = last_request.as_deref().unwrap_or_default();
        let request = words::significant(request, MOST_REQUEST_WORDS).into_iter().collect();
        let entries = store.history(&HistoryPage { session, before: None, limit: MOST_ENTRIES })?;
        let mut facts = Self {
            events,
            last_request,
            entries,
            pinned: overview::pinned(app)?.iter().map(|note| overview::line(app, note)).collect(),
            git: None,
            root: app.root().to_owned(),
            now: app.now(),
            request,
        };
        facts.git = app.places.project().and_then(|project| {
            let touched = facts.touched_files();
            GitState::read(project, &touched)
        });
        Ok(facts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.last_request.is_none() && self.entries.is_empty()
    }

    /// What stands of a kind, the latest first.
    pub(super) fn of(&self, kind: EventKind) -> impl Iterator<Item = &Recorded> {
        self.events.iter().filter(move |recorded| recorded.event.kind == kind)
    }

    /// What stands of these kinds, the latest first.
    pub(super) fn of_any(&self, kinds: &'static [EventKind]) -> impl Iterator<Item = &Recorded> {
        self.events.iter().filter(|recorded| kinds.contains(&recorded.event.kind))
    }

    /// A number of events of a kind, as far as they were looked at.
    pub(super) fn told_number(&self, number: usize, kind: EventKind) -> String {
        let is_same = |recorded: &&Recorded| recorded.event.kind.priority() == kind.priority();
        let looked_at = self.events.iter().filter(is_same).count();
        format!("{number}{}", if looked_at < MOST_EVENTS { "" } else { " or more" })
    }

    /// How many words a text shares with the last request.
    pub(super) fn relevance(&self, text: &str) -> usize {
        words::words(text).filter(|word| self.request.contains(word)).count()
    }

    fn touched_files(&self) -> Vec<String> {
        let files = self.of_any(&[EventKind::FileEdited, EventKind::FileWritten]);
        files.map(|recorded| recorded.event.subject.clone()).collect()
    }
}
