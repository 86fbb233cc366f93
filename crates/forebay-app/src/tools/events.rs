//! The list of a session's events for `ctx_history`.

use forebay_domain::event::RecordedEvent;
use forebay_domain::{EventKind, session};
use forebay_store::EventPage;
use forebay_text::cut;
use serde_json::json;

use super::history::{MORE_BYTES, Page, Session};
use crate::next_call::NextCall;
use crate::render::budgeted::BudgetedText;
use crate::render::describe;
use crate::{Answer, App, AppError};

/// Lists all events, those about files, or those of one kind.
pub(super) fn list(
    app: &App,
    requested_session: Option<&str>,
    word: &str,
    page: &Page,
) -> Result<Answer, AppError> {
    let session = choose_session(app, requested_session)?;
    let event_page = EventPage {
        session: session.key.clone(),
        kinds: kinds(word)?,
        before: page.before,
        limit: page.limit + 1,
        ..EventPage::default()
    };
    let mut events = app.stores.own()?.events(&event_page)?;
    let has_more = events.len() > page.limit;
    events.truncate(page.limit);
    Ok(render(app, &session, word, &events, has_more, page.budget))
}

/// Returns the requested session, this one, or the one with the latest event.
///
/// The fallback exists because few hosts give a server the session id that they give their hooks.
fn choose_session(app: &App, requested: Option<&str>) -> Result<Session, AppError> {
    if requested.is_some() {
        return Session::choose(app, requested);
    }
    let latest = |session: Option<String>| {
        let page = EventPage { session, limit: 1, ..EventPage::default() };
        Ok::<_, AppError>(app.stores.own()?.events(&page)?.pop())
    };
    let this = Session { key: Some(app.session.clone()), name: "this session".to_owned() };
    if latest(this.key.clone())?.is_some() {
        return Ok(this);
    }
    Ok(latest(None)?.map_or(this, |event| {
        let key = session::conversation(&event.session);
        Session { name: format!("latest session {key}"), key: Some(key.to_owned()) }
    }))
}

/// How many bytes of a prompt and of an answer are shown.
struct Lengths {
    prompt: usize,
    answer: usize,
}

impl Lengths {
    /// From whole texts down, answers first: the user's words stay longest.
    const STEPS: [Self; 6] = [
        Self { prompt: 8_000, answer: 4_000 },
        Self { prompt: 8_000, answer: 800 },
        Self { prompt: 4_000, answer: 400 },
        Self { prompt: 2_000, answer: 240 },
        Self { prompt: 1_000, answer: 120 },
        Self { prompt: 500, answer: 80 },
    ];

    /// Returns the longest with which what was said fits.
    fn fitting(events: &[RecordedEvent], room: usize) -> Self {
        let bytes = |lengths: &Self| {
            let shown = |one: &RecordedEvent| {
                lengths
                    .for_kind(one.event.kind)
                    .map_or(0, |most| one.event.text.len().min(most) + FRAME_BYTES)
            };
            events.iter().map(shown).sum::<usize>()
        };
        let [.., shortest] = Self::STEPS;
        Self::STEPS.into_iter().find(|lengths| bytes(lengths) <= room).unwrap_or(shortest)
    }

    fn for_kind(&self, kind: EventKind) -> Option<usize> {
        match kind {
            EventKind::Prompt => Some(self.prompt),
            EventKind::Answer => Some(self.answer),
            _ => None,
        }
    }
}

/// Bytes around a text: its kind, its age, and its entry.
const FRAME_BYTES: usize = 40;

fn kinds(word: &str) -> Result<Vec<EventKind>, AppError> {
    match word {
        "all" | "true" => Ok(Vec::new()),
        "conversation" => Ok(vec![EventKind::Prompt, EventKind::Answer]),
        "file" => Ok(vec![EventKind::FileEdited, EventKind::FileWritten, EventKind::FileRead]),
        _ => EventKind::parse(word).map(|kind| vec![kind]).ok_or_else(|| {
            let words: Vec<&str> = EventKind::all().map(EventKind::as_str).collect();
            AppError::bad_input(
                format!("unknown event kind `{}`", cut::one_line(word, 40)),
                format!("one of: all, conversation, file, {}", words.join(", ")),
            )
        }),
    }
}

fn render(
    app: &App,
    session: &Session,
    word: &str,
    events: &[RecordedEvent],
    has_more: bool,
    budget: u64,
) -> Answer {
    let now = app.now();
    let mut text = BudgetedText::new(budget);
    let head = if events.is_empty() { "none" } else { "newest first" };
    text.push_cut(&format!("{} · events: {word} · {head}", session.name));
    text.reserve(MORE_BYTES);
    let lengths = Lengths::fitting(events, text.room());
    let line = |one: &RecordedEvent| match lengths.for_kind(one.event.kind) {
        Some(bytes) => describe::said(one, bytes, now),
        None => describe::event(one, now),
    };
    let mut shown = events.iter().take_while(|event| text.push(&line(event))).count();
    if let (0, Some(first)) = (shown, events.first()) {
        text.push_cut(&line(first));
        shown = 1;
    }
    text.release();
    let last = events[..shown].last().filter(|_| has_more || shown < events.len());
    let cursor = last.map(|event| event.sequence.to_string());
    if let Some(cursor) = &cursor {
        let older = NextCall::new("ctx_history").with("events", word).with("cursor", cursor);
        text.push(&format!("older: {older}"));
    }
    let data = json!({
        "session": session.key,
        "events": events[..shown].iter().map(|one| json!({
            "kind": one.event.kind.as_str(),
            "subject": one.event.subject,
            "text": one.event.text,
            "times": one.times,
            "stands": one.is_active,
            "session": one.session,
            "branch": one.branch,
            "ticket": one.ticket,
            "created": one.created.0,
        })).collect::<Vec<_>>(),
        "cursor": cursor,
    });
    Answer::new(text.into_text(), data)
}
