//! A session's events as `ctx_history` lists them.

use forebay_domain::EventKind;
use forebay_domain::event::Recorded;
use forebay_store::EventPage;
use forebay_text::cut;
use serde_json::json;

use super::history::{MORE_BYTES, Page, Session};
use crate::render::budgeted::Budgeted;
use crate::render::describe;
use crate::{Answer, App, AppError};

/// The events of a word: all of them, those about files, or one kind.
pub(super) fn list(
    app: &App,
    asked_session: Option<&str>,
    word: &str,
    page: &Page,
) -> Result<Answer, AppError> {
    let session = session(app, asked_session)?;
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
    Ok(render(app, &session, word, &events, has_more, page.budget))
}

/// The one that was named, this one, or the one in which something happened last.
///
/// Few hosts tell a server the name by which they call the conversation to their hooks.
fn session(app: &App, asked: Option<&str>) -> Result<Session, AppError> {
    if asked.is_some() {
        return Session::choose(app, asked);
    }
    let latest = |session: Option<String>| {
        let page = EventPage { session, limit: 1, ..EventPage::default() };
        Ok::<_, AppError>(app.places.own()?.events(&page)?.pop())
    };
    let this = Session { key: Some(app.session.clone()), name: "this session".to_owned() };
    if latest(this.key.clone())?.is_some() {
        return Ok(this);
    }
    Ok(latest(None)?.map_or(this, |event| Session {
        name: format!("latest session {}", event.session),
        key: Some(event.session),
    }))
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
    let mut shown =
        events.iter().take_while(|event| text.push(&describe::event(event, now))).count();
    if let (0, Some(first)) = (shown, events.first()) {
        text.push_cut(&describe::event(first, now));
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
