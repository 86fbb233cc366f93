//! Conversations: their list, and what happened in one.

use std::collections::BTreeMap;

use forebay_domain::event::RecordedEvent;
use forebay_domain::{EventKind, Reference, session, tokens};
use forebay_store::{EventPage, HistoryPage, MAX_EVENTS_PER_SESSION, SessionSummary};
use forebay_text::cut;
use forebay_text::invisible::visible;
use serde_json::{Value, json};

use super::guide_sources::Texts;
use super::{entry, page, shown};
use crate::guide::{self, CONVERSATION_SOURCE, SNAPSHOT_SOURCE};
use crate::hooks::SUMMARY_SOURCE;
use crate::render::describe;
use crate::{App, AppError};

/// Sessions read for the list.
const MAX_SESSIONS: usize = 5_000;
const PAGE_SESSIONS: usize = 25;
const PAGE_EVENTS: usize = 100;
const PAGE_ENTRIES: usize = 50;
/// Entries of a session that the sources of its guide are looked for in.
const MAX_SOURCE_ENTRIES: usize = 200;
const MAX_TITLE_BYTES: usize = 160;

/// Returns a page of the conversations, the last used first, each with its subagents.
pub fn sessions(app: &App, number: usize) -> Result<Value, AppError> {
    let conversations = conversations(app.stores.own()?.sessions(MAX_SESSIONS)?);
    let items = conversations.iter().map(|one| describe_conversation(app, one)).collect();
    let mut page = page(items, number, PAGE_SESSIONS);
    // Only those that are shown are looked into.
    for item in page["items"].as_array_mut().into_iter().flatten() {
        let key = item["key"].as_str().unwrap_or_default().to_owned();
        item["last_request"] = json!(last_request(app, &key)?);
    }
    Ok(shown::data(page))
}

/// A conversation and the sessions of its subagents.
struct Conversation {
    key: String,
    main: Option<SessionSummary>,
    subagents: Vec<SessionSummary>,
}

/// Groups sessions by conversation, in the order of the first of each.
fn conversations(sessions: Vec<SessionSummary>) -> Vec<Conversation> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut conversations: Vec<Conversation> = Vec::new();
    for summary in sessions {
        let key = session::conversation(&summary.key).to_owned();
        let place = *places.entry(key.clone()).or_insert_with(|| {
            conversations.push(Conversation { key, main: None, subagents: Vec::new() });
            conversations.len() - 1
        });
        if session::is_subagent(&summary.key) {
            conversations[place].subagents.push(summary);
        } else {
            conversations[place].main = Some(summary);
        }
    }
    conversations
}

fn describe_conversation(app: &App, conversation: &Conversation) -> Value {
    let Conversation { key, main, subagents } = conversation;
    let all = || main.iter().chain(subagents);
    let last_used = all().map(|one| one.last_used).max().unwrap_or_default();
    json!({
        "key": key,
        "client": main.as_ref().map(|one| one.client.as_str()),
        "started": all().map(|one| one.started).min().unwrap_or_default().0,
        "last_used": last_used.0,
        "age": describe::age(last_used, app.now()),
        "entries": main.as_ref().map_or(0, |one| one.entries),
        "subagents": subagents.iter().map(|one| json!({
            "key": one.key,
            "name": one.key.strip_prefix(&session::subagent_prefix(key)),
            "entries": one.entries,
            "age": describe::age(one.last_used, app.now()),
        })).collect::<Vec<_>>(),
    })
}

fn last_request(app: &App, key: &str) -> Result<Option<String>, AppError> {
    let kinds =
        if session::is_subagent(key) { vec![EventKind::Goal] } else { vec![EventKind::Prompt] };
    let page = EventPage { session: Some(key.to_owned()), kinds, limit: 1, ..EventPage::default() };
    let event = app.stores.own()?.events(&page)?.pop();
    Ok(event.map(|one| cut::one_line(&one.event.text, MAX_TITLE_BYTES)))
}

/// Returns the key of the session that a page names: one with hidden characters is shown, and named, with escapes.
fn stored_key(app: &App, named: &str) -> Result<String, AppError> {
    if !named.contains("\\u{") {
        return Ok(named.to_owned());
    }
    let sessions = app.stores.own()?.sessions(MAX_SESSIONS)?;
    let found = sessions.into_iter().find(|one| shown::text_of(&one.key) == named);
    Ok(found.map_or_else(|| named.to_owned(), |one| one.key))
}

/// Returns what is known of one session, a conversation or a subagent's.
pub fn session(app: &App, key: &str) -> Result<Value, AppError> {
    let key = &*stored_key(app, key)?;
    let conversations = conversations(app.stores.own()?.sessions(MAX_SESSIONS)?);
    let found = conversations.iter().find(|one| one.key == session::conversation(key));
    let found =
        found.filter(|one| one.key == key || one.subagents.iter().any(|agent| agent.key == key));
    let found = found.ok_or_else(|| {
        AppError::not_found("there is no such session", "the list of sessions has all")
    })?;
    let mut data = describe_conversation(app, found);
    data["shown"] = json!(key);
    data["last_request"] = json!(last_request(app, key)?);
    Ok(shown::data(data))
}

/// Returns a page of a session's events, the latest first.
pub fn timeline(
    app: &App,
    key: &str,
    filter: &str,
    before: Option<i64>,
) -> Result<Value, AppError> {
    let key = &*stored_key(app, key)?;
    let events = app.stores.own()?.events(&EventPage {
        session: Some(key.to_owned()),
        kinds: kinds(filter)?,
        before,
        limit: PAGE_EVENTS + 1,
        ..EventPage::default()
    })?;
    let has_more = events.len() > PAGE_EVENTS;
    let shown: Vec<&RecordedEvent> = events.iter().take(PAGE_EVENTS).collect();
    let next = shown.last().filter(|_| has_more).map(|one| one.sequence);
    let items: Vec<Value> = shown.iter().map(|one| event(app, one)).collect();
    Ok(shown::data(json!({ "items": items, "next": next })))
}

/// The kinds of events behind a word of the page.
fn kinds(filter: &str) -> Result<Vec<EventKind>, AppError> {
    use EventKind::{
        Answer, Blocker, Constraint, Decision, Error, FileEdited, FileRead, FileWritten, Git, Goal,
        Plan, Prompt, Rejected, Rule, Subagent, Task, Topic,
    };
    Ok(match filter {
        "" | "all" => Vec::new(),
        "conversation" => vec![Prompt, Answer, Goal, Topic],
        "decisions" => vec![Decision, Rule, Constraint, Rejected, Blocker],
        "tasks" => vec![Task, Plan],
        "files" => vec![FileEdited, FileWritten, FileRead],
        "errors" => vec![Error],
        "git" => vec![Git],
        "subagents" => vec![Subagent],
        _ => {
            return Err(AppError::bad_input(
                "unknown filter",
                "all, conversation, decisions, tasks, files, errors, git, subagents",
            ));
        }
    })
}

/// Returns what a list shows of an event.
pub(super) fn event(app: &App, recorded: &RecordedEvent) -> Value {
    let event = &recorded.event;
    json!({
        "sequence": recorded.sequence,
        "kind": event.kind.as_str(),
        "subject": event.subject,
        "text": forebay_digest::displayed(event.text.as_bytes()),
        "ref": Reference::all_in(&event.subject).first().map(|found| found.as_str().to_owned()),
        "times": recorded.times,
        "stands": recorded.is_active,
        "session": recorded.session,
        "branch": recorded.branch,
        "created": recorded.created.0,
        "age": describe::age(recorded.created, app.now()),
    })
}

/// Returns a page of a session's entries, the latest first; those of compactions only, if wanted.
pub fn stored(
    app: &App,
    key: &str,
    only_compactions: bool,
    before: Option<i64>,
) -> Result<Value, AppError> {
    let key = &*stored_key(app, key)?;
    let store = app.stores.own()?;
    let (mut items, mut next) = (Vec::new(), before);
    loop {
        let entries = store.history(&HistoryPage {
            session: Some(key.to_owned()),
            before: next,
            except_source: Some(CONVERSATION_SOURCE.to_owned()),
            limit: PAGE_ENTRIES + 1,
        })?;
        let has_more = entries.len() > PAGE_ENTRIES;
        let read = &entries[..entries.len().min(PAGE_ENTRIES)];
        next = read.last().filter(|_| has_more).map(|entry| entry.sequence);
        let is_wanted = |source: &str| !only_compactions || is_of_compaction(source);
        let wanted = read.iter().filter(|entry| is_wanted(&entry.source));
        items.extend(wanted.map(|one| entry::summary(app, one)));
        if next.is_none() || !items.is_empty() {
            break;
        }
    }
    Ok(shown::data(json!({ "items": items, "next": next })))
}

/// Whether an entry is a snapshot taken before a compaction, or the host's summary after one.
pub(super) fn is_of_compaction(source: &str) -> bool {
    source == SNAPSHOT_SOURCE || source == SUMMARY_SOURCE
}

/// Returns the guide that a resume of the session would get now, line by line with sources.
pub fn guide(app: &App, key: &str) -> Result<Value, AppError> {
    let key = &*stored_key(app, key)?;
    let store = app.stores.own()?;
    let sessions = store.sessions(MAX_SESSIONS)?;
    let client = sessions.iter().find(|one| one.key == key).map_or("", |one| one.client.as_str());
    let bytes = guide_bytes(app, client);
    let text = guide::for_session(&app.on_behalf_of(client, Some(key)), bytes)?.map(visible);
    let events = store.events(&EventPage {
        session: Some(key.to_owned()),
        limit: MAX_EVENTS_PER_SESSION,
        ..EventPage::default()
    })?;
    let entries = store.history(&HistoryPage {
        session: Some(key.to_owned()),
        except_source: Some(CONVERSATION_SOURCE.to_owned()),
        limit: MAX_SOURCE_ENTRIES,
        ..HistoryPage::default()
    })?;
    let lines = text.as_ref().map(|text| Texts::new(&events, &entries).explain(text));
    Ok(shown::data(json!({
        "lines": lines,
        "bytes": text.as_ref().map(String::len),
        "max_bytes": bytes,
        "tokens": text.as_deref().map(tokens::estimate),
        "client": client,
        "is_host_known": forebay_platforms::find(client).is_some(),
    })))
}

/// What the guide of a session may take: the setting, or less if its host shows less.
fn guide_bytes(app: &App, client: &str) -> usize {
    let bytes = tokens::to_bytes(app.settings.hooks.compact_budget);
    let limit =
        forebay_platforms::find(client).and_then(forebay_platforms::Platform::context_bytes);
    limit.map_or(bytes, |most| bytes.min(most))
}

#[cfg(test)]
mod tests {
    use forebay_domain::Timestamp;

    use super::*;

    fn summary(key: &str) -> SessionSummary {
        SessionSummary {
            key: key.to_owned(),
            client: "test".to_owned(),
            started: Timestamp(0),
            last_used: Timestamp(0),
            entries: 1,
        }
    }

    #[test]
    fn subagents_belong_to_their_conversation() {
        let agent = session::of_subagent("one", "a1");
        let sessions = vec![summary("two"), summary(&agent), summary("one")];
        let conversations = conversations(sessions);
        let keys: Vec<&str> = conversations.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["two", "one"]);
        assert_eq!(conversations[1].subagents[0].key, agent);
        assert!(conversations[1].main.is_some());
    }

    #[test]
    fn every_filter_names_kinds() {
        for word in ["conversation", "decisions", "tasks", "files", "errors", "git", "subagents"] {
            assert!(!kinds(word).unwrap().is_empty(), "{word}");
        }
        assert!(kinds("").unwrap().is_empty() && kinds("other").is_err());
    }
}
