//! The session's conversation, events and entries, from which the guide's sections are built.

use std::collections::BTreeSet;
use std::path::PathBuf;

use forebay_domain::event::{Priority, RecordedEvent};
use forebay_domain::{Entry, EventKind, session};
use forebay_store::{EventPage, HistoryPage, MAX_EVENTS_PER_SESSION};
use forebay_text::words;

use super::words::{Message, Talk};
use crate::guide::{CONVERSATION_SOURCE, overview};
use crate::{App, AppError};

/// Events read per priority, the conversation aside: far more than a guide has room for.
const MAX_EVENTS_PER_PRIORITY: usize = 200;
const MAX_ENTRIES: usize = 100;
const MAX_REQUEST_WORDS: usize = 40;

/// Kinds that sections show; the conversation is read apart.
const KINDS: &[EventKind] = &[
    EventKind::Task,
    EventKind::Plan,
    EventKind::Error,
    EventKind::Subagent,
    EventKind::FileEdited,
    EventKind::FileWritten,
];

pub(super) struct SessionFacts {
    /// Events of the current topic that still apply, latest first.
    events: Vec<RecordedEvent>,
    /// What was said since the topic began.
    pub(super) talk: Talk,
    /// Entries of the session, latest first.
    pub(super) entries: Vec<Entry>,
    /// Pinned notes, one line each.
    pub(super) pinned: Vec<String>,
    pub(super) branch: Option<String>,
    pub(super) root: PathBuf,
    pub(super) is_subagent: bool,
    /// Words of the last request, which rank the rest.
    request_words: BTreeSet<String>,
}

impl SessionFacts {
    /// Reads what a guide of `bytes` has room for.
    pub(super) fn read(app: &App, bytes: usize) -> Result<Self, AppError> {
        let store = app.stores.own()?;
        let is_subagent = session::is_subagent(&app.session);
        let of_session = EventPage { session: Some(app.session.clone()), ..EventPage::default() };
        let conversation = store.events(&EventPage {
            // A subagent's order is that of the main agent, not of the user.
            kinds: vec![EventKind::Prompt, EventKind::Goal, EventKind::Answer, EventKind::Topic],
            limit: MAX_EVENTS_PER_SESSION,
            ..of_session.clone()
        })?;
        let is_topic = |one: &&RecordedEvent| one.event.kind == EventKind::Topic;
        let start = conversation.iter().find(is_topic).map_or(0, |topic| topic.sequence);
        let mut events = store.events(&EventPage {
            kinds: KINDS.to_vec(),
            active_only: true,
            limit: Priority::ALL.len() * MAX_EVENTS_PER_PRIORITY,
            max_per_priority: Some(MAX_EVENTS_PER_PRIORITY),
            ..of_session
        })?;
        events.retain(|one| one.sequence > start);
        let said: Vec<&RecordedEvent> =
            conversation.iter().filter(|one| one.sequence > start).collect();
        let last_request = said.iter().find(|one| one.event.kind == EventKind::Prompt);
        let request = last_request.map(|one| one.event.text.as_str()).unwrap_or_default();
        let entries = store.history(&HistoryPage {
            session: Some(app.session.clone()),
            except_source: Some(CONVERSATION_SOURCE.to_owned()),
            limit: MAX_ENTRIES,
            ..HistoryPage::default()
        })?;
        Ok(Self {
            events,
            request_words: words::significant(request, MAX_REQUEST_WORDS).into_iter().collect(),
            talk: Talk::new(messages(&said, is_subagent), bytes),
            entries,
            pinned: overview::pinned(app)?.iter().map(|note| overview::line(app, note)).collect(),
            branch: app.branch(),
            root: app.root().to_owned(),
            is_subagent,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.talk.is_empty() && self.entries.is_empty()
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
}

/// Returns the messages of a conversation, given latest first, in order.
fn messages(said: &[&RecordedEvent], is_subagent: bool) -> Vec<Message> {
    let asked = if is_subagent { EventKind::Goal } else { EventKind::Prompt };
    let message = |one: &&RecordedEvent| match one.event.kind {
        kind if kind == asked => Some(Message::Prompt(one.event.text.clone())),
        EventKind::Answer => Some(Message::Answer(one.event.text.clone())),
        _ => None,
    };
    said.iter().rev().filter_map(message).collect()
}
