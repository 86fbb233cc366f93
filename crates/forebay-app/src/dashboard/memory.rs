//! What is known: notes by topic, and indexed sources with their freshness.

use std::collections::BTreeMap;

use forebay_domain::{Entry, Reference, Scope};
use forebay_store::{NotePage, Store, StoreError};
use serde_json::{Value, json};

use super::{entry, page, shown};
use crate::render::describe;
use crate::{App, AppError};

/// Notes read for the list, of each store; the newest.
const MAX_NOTES: usize = 5_000;
const PAGE_NOTES: usize = 50;
const PAGE_SOURCES: usize = 50;
/// Notes of a chain of replacements.
const MAX_CHAIN: usize = 50;

/// Returns a page of the notes in force, those of a topic together; the topic with the newest note first.
pub fn notes(app: &App, only: &str, number: usize) -> Result<Value, AppError> {
    let pinned = (only == "pinned").then_some(true);
    let mut found = Vec::new();
    for store in app.stores.within(Scope::Project)? {
        let limit = NotePage { pinned, limit: MAX_NOTES, ..NotePage::default() };
        for note in store.notes(&limit)? {
            if only != "conflicts" || note.conflicts.is_some() {
                found.push((store.clone(), note));
            }
        }
    }
    // Stores number their entries apart; only the time compares them.
    found.sort_by_key(|(_, note)| std::cmp::Reverse(note.created));
    let mut ranks: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for (_, one) in &found {
        let next = ranks.len();
        ranks.entry(topic(one)).or_insert(next);
    }
    found.sort_by_key(|(_, one)| ranks[&topic(one)]);
    let places: Vec<Value> = (0..found.len()).map(Value::from).collect();
    let mut page = page(places, number, PAGE_NOTES);
    for item in page["items"].as_array_mut().into_iter().flatten() {
        let (store, note) = &found[item.as_u64().unwrap_or_default() as usize];
        *item = self::note(app, &**store, note)?;
    }
    page["is_bounded"] = json!(found.len() >= MAX_NOTES);
    Ok(shown::data(page))
}

fn topic(entry: &Entry) -> Option<String> {
    entry.note().and_then(|note| note.topic.clone())
}

/// Returns a note with what it replaced, what replaced it, and what may contradict it.
pub(super) fn note(app: &App, store: &dyn Store, found: &Entry) -> Result<Value, AppError> {
    let mut data = brief(app, found);
    let Some(note) = found.note() else { return Ok(data) };
    data["topic"] = json!(note.topic);
    data["pinned"] = json!(note.pinned);
    data["personal"] = json!(note.personal);
    data["replaced_by"] = json!(note.superseded_by.map(|newer| newer.as_str().to_owned()));
    data["replaced"] = Value::Array(replaced(app, store, found.reference)?);
    if let Some(other) = found.conflicts {
        data["conflicts_with"] =
            optional(store.entry(other))?.map_or(Value::Null, |other| brief(app, &other));
    }
    Ok(data)
}

/// Returns the notes that a note replaced, directly or through others, the newest first.
fn replaced(app: &App, store: &dyn Store, newest: Reference) -> Result<Vec<Value>, AppError> {
    let (mut chain, mut open) = (Vec::new(), vec![newest]);
    while let Some(reference) = open.pop() {
        for older in store.notes_superseded_by(reference)? {
            if chain.len() >= MAX_CHAIN {
                return Ok(chain);
            }
            if let Some(entry) = optional(store.entry(older))? {
                chain.push(brief(app, &entry));
                open.push(older);
            }
        }
    }
    Ok(chain)
}

fn brief(app: &App, found: &Entry) -> Value {
    let mut data = entry::summary(app, found);
    data["text"] = json!(forebay_digest::displayed(found.digest.as_bytes()));
    data["author"] = json!(found.note().map(|note| note.author.as_str()));
    data
}

/// An entry that was purged since is none.
fn optional(entry: Result<Entry, StoreError>) -> Result<Option<Entry>, AppError> {
    match entry {
        Ok(entry) => Ok(Some(entry)),
        Err(StoreError::NotFound(_) | StoreError::Gone { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns a page of the indexed sources, by name.
pub fn sources(app: &App, number: usize) -> Result<Value, AppError> {
    let now = app.now();
    let sources = app.stores.own()?.sources()?;
    let items = sources.iter().map(|source| {
        let expires = source.freshness.expires;
        json!({
            "name": source.name,
            "kind": source.kind.as_str(),
            "path": source.path,
            "entries": source.entries,
            "bytes": source.bytes,
            "indexed": describe::age(source.indexed, now),
            "checked": describe::age(source.checked, now),
            "expires": expires.map(|at| at.0),
            "is_expired": expires.is_some_and(|at| at < now),
        })
    });
    Ok(shown::data(page(items.collect(), number, PAGE_SOURCES)))
}
