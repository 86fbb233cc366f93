//! A session's events as `ctx_history` lists them.

use forebay_domain::event::Recorded;
use forebay_domain::text::cut;
use forebay_domain::{EventKind, Timestamp};
use forebay_store::EventPage;
use serde_json::json;

use super::history::{MORE_BYTES, Page, Session};
use crate::render::budgeted::Budgeted;
use crate::render::describe;
use crate::{Answer, App, AppError};

/// A request is shown longer than what tools did.
const MOST_BYTES: usize = 300;

/// The events of a word: all of them, those about files, or one kind.
pub(super) fn list(
    app: &App,
    session: &Session,
    word: &str,
    page: &Page,
) -> Result<Answer, AppError> {
    let asked = EventPage {
        session: session.key.clone(),
        kinds: kinds(word)?,
        before: page.before,
        limit: page.limit + 1,
        ..EventPage::default()
    };
    let mut events = app.places.own()?.events(&asked)?;
    let has_more = events.len() > page.limit;
    events.truncate(page.limit);
    Ok(render(app, session, word, &events, has_more, page.budget))
}

fn kinds(word: &str) -> Result<Vec<EventKind>, AppError> {
    match word {
        "all" | "true" => Ok(Vec::new()),
        "file" => Ok(vec![EventKind::FileEdited, EventKind::FileWritten, EventKind::FileRead]),
        _ => EventKind::from_word(word).map(|kind| vec![kind]).ok_or_else(|| {
            let words: Vec<&str> = EventKind::all().map(EventKind::word).collect();
            AppError::bad_input(
                format!("unknown kind of events `{}`", cut::one_line(word, 40)),
                format!("one of: all, file, {}", words.join(", ")),
            )
        }),
    }
}

fn render(
    app: &App,
    session: &Session,
    word: &str,
    events: &[Recorded],
    has_more: bool,
    budget: u64,
) -> Answer {
    let now = app.now();
    let mut text = Budgeted::new(budget);
    let head = if events.is_empty() { "no such events" } else { "newest first" };
    text.push_cut(&format!("{} · events: {word} · {head}", session.name));
    text.keep_back(MORE_BYTES);
    let mut shown = events.iter().take_while(|event| text.push(&line(event, now))).count();
    if let (0, Some(first)) = (shown, events.first()) {
        text.push_cut(&line(first, now));
        shown = 1;
    }
    text.release();
    let last = events[..shown].last().filter(|_| has_more || shown < events.len());
    let cursor = last.map(|event| event.sequence.to_string());
    if let Some(cursor) = &cursor {
        text.push(&format!("older: ctx_history events={word} cursor={cursor}"));
    }
    let data = json!({
        "session": session.key,
        "events": events[..shown].iter().map(|one| json!({
            "kind": one.event.kind.word(),
            "subject": one.event.subject,
            "text": one.event.text,
            "times": one.times,
            "stands": one.stands,
            "session": one.session,
            "branch": one.branch,
            "ticket": one.ticket,
            "created": one.created.0,
        })).collect::<Vec<_>>(),
        "cursor": cursor,
    });
    Answer::new(text.into_text(), data)
}

/// `error · cargo test: error[E0308] · 2 times · resolved · 3 min ago`
fn line(recorded: &Recorded, now: Timestamp) -> String {
    let event = &recorded.event;
    let is_said = event.text == event.subject || event.kind == EventKind::Prompt;
    let text =
        if is_said { event.text.clone() } else { format!("{}: {}", event.subject, event.text) };
    let mut parts = vec![event.kind.word().to_owned(), cut::one_line(&text, MOST_BYTES)];
    if recorded.times > 1 {
        parts.push(format!("{} times", recorded.times));
    }
    if !recorded.stands {
        let word = if event.kind == EventKind::Error { "resolved" } else { "no longer stands" };
        parts.push(word.to_owned());
    }
    parts.push(describe::age(recorded.created, now));
    parts.join(" · ")
}
