//! `ctx_annotate`: saves a note permanently.

use std::sync::Arc;

use forebay_domain::conflict::Claim;
use forebay_domain::{Entry, EntryKind, Hit, Note, NoteKind, Reference, Scope};
use forebay_store::{NewDetail, NewNote, Store};
use forebay_text::cut;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool, pin};
use crate::ingest::pending;
use crate::ingest::redaction;
use crate::input;
use crate::search::{SearchOptions, Searcher};
use crate::stores::registry::SharedStore;
use crate::{Answer, App, AppError, Call};

/// Existing notes that a new one is compared with.
const MAX_COMPARED_NOTES: u64 = 20;
/// Conflicting notes that the answer lists.
const MAX_LISTED_CONFLICTS: usize = 3;

pub struct Annotate;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    // Defaults to the text of the superseded note. Undocumented, so that models always give a text.
    #[serde(default)]
    pub text: String,
    /// note, decision, finding, preference, constraint, todo
    pub kind: Option<String>,
    /// A newer note on the same topic replaces the older
    pub topic: Option<String>,
    /// Reference of the note this one replaces
    pub supersedes: Option<String>,
    /// project (default), personal, all
    pub scope: Option<String>,
    pub pinned: Option<bool>,
}

impl Input {
    /// Returns the note and its new state, if only that is to change.
    fn as_pin(&self) -> Option<(&str, bool)> {
        let says_more = !self.text.trim().is_empty()
            || self.kind.is_some()
            || self.topic.is_some()
            || self.scope.is_some();
        self.supersedes.as_deref().zip(self.pinned).filter(|_| !says_more)
    }
}

impl Tool for Annotate {
    const NAME: &'static str = "ctx_annotate";
    const DESCRIPTION: &'static str =
        "Save a decision, finding or preference permanently; ctx_search finds it.";
    const EFFECT: Effect = Effect::Append;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        if let Some((reference, pinned)) = input.as_pin() {
            return pin::set(app, reference, pinned);
        }
        let older = input.supersedes.as_deref().map(|text| Older::find(app, text)).transpose()?;
        let destination = Destination::choose(app, input.scope.as_deref(), older.as_ref())?;
        let text = match &older {
            Some(older) if input.text.trim().is_empty() => older.text()?,
            _ => input.text.trim().to_owned(),
        };
        let (text, mut redactions) = app.redaction.redact(&text);
        if text.is_empty() {
            return Err(AppError::bad_input("the note is empty", "give its text"));
        }
        let previous = older.as_ref().and_then(|older| older.entry.note());
        let topic = input
            .topic
            .or_else(|| previous.and_then(|previous| previous.topic.clone()))
            .map(|topic| {
                let (topic, in_topic) = app.redaction.redact(&topic.trim().to_lowercase());
                redactions.add(&in_topic);
                topic
            });
        let kind = kind(input.kind.as_deref(), previous)?;
        let note = NewNote {
            kind,
            topic: topic.filter(|topic| !topic.is_empty()),
            supersedes: older.as_ref().map(|older| older.entry.reference),
            links: Reference::all_in(&text),
            pinned: input
                .pinned
                .unwrap_or_else(|| previous.is_some_and(|previous| previous.pinned)),
            personal: destination.personal,
            author: app.author().to_owned(),
        };
        let mut is_pinned = note.pinned;
        let title = note.topic.clone().unwrap_or_else(|| cut::one_line(&text, 100));
        let mut new = app.new_entry(EntryKind::Note, title);
        new.digest = cut::one_line(&text, 400);
        new.detail = NewDetail::Note(note);
        let entry = pending::put(&*destination.store, new, &text)?;

        let replaced = entry.note().and_then(|note| note.supersedes);
        if let (None, Some(replaced)) = (input.pinned, replaced) {
            is_pinned |= inherit_pin(&*destination.store, replaced, entry.reference)?;
        }
        let mut answer = format!("{} {} saved", entry.reference, kind.as_str());
        if is_pinned {
            answer.push_str(" and pinned");
        }
        if let Some(older) = replaced {
            answer.push_str(&format!(", replaces {older}"));
        }
        let conflicts = find_conflicts(app, &text, &[Some(entry.reference), replaced])?;
        let data = json!({
            "ref": entry.reference.as_str(),
            "kind": kind.as_str(),
            "pinned": is_pinned,
            "supersedes": replaced.map(|older| older.as_str().to_owned()),
            "may_conflict_with": references(&conflicts),
            "redacted": redaction::counts(&redactions),
        });
        for other in &conflicts {
            let excerpt = cut::one_line(&other.text, 100);
            answer.push_str(&format!("\nmay conflict with {}: {excerpt}", other.reference));
        }
        if !conflicts.is_empty() {
            answer.push_str("\nif it replaces one, save it again with supersedes");
        }
        Ok(Answer::new(redaction::with_remark(answer, &redactions), data))
    }
}

/// Pins the successor of a pinned note, so that a newer note on its topic takes its place.
fn inherit_pin(store: &dyn Store, older: Reference, newer: Reference) -> Result<bool, AppError> {
    let is_inherited = store.entry(older)?.note().is_some_and(|note| note.pinned);
    if is_inherited {
        store.set_pinned(newer, true)?;
    }
    Ok(is_inherited)
}

/// The note to replace, which must exist.
pub(crate) struct Older {
    pub(crate) store: SharedStore,
    pub(crate) entry: Entry,
}

impl Older {
    pub(crate) fn find(app: &App, text: &str) -> Result<Self, AppError> {
        let (store, entry) = app.stores.locate(Reference::parse(text)?, Scope::Project)?;
        if entry.note().is_some() {
            return Ok(Self { store, entry });
        }
        Err(AppError::bad_input(
            format!("{} is a {}, not a note", entry.reference, entry.kind.as_str()),
            "only a note can be replaced or pinned",
        ))
    }

    pub(crate) fn text(&self) -> Result<String, AppError> {
        let mut raw = Vec::new();
        self.store.read(self.entry.reference, 0, &mut |piece| {
            raw.extend_from_slice(piece);
            true
        })?;
        Ok(String::from_utf8_lossy(&raw).into_owned())
    }
}

/// The store that a note goes to, and whether the note is personal.
struct Destination {
    store: SharedStore,
    personal: bool,
}

impl Destination {
    /// Uses the given scope, or else the store of the note that is replaced.
    fn choose(app: &App, scope: Option<&str>, older: Option<&Older>) -> Result<Self, AppError> {
        let destination = match (scope, older) {
            (None, Some(older)) => Self {
                store: Arc::clone(&older.store),
                personal: older.entry.note().is_some_and(|note| note.personal),
            },
            (None | Some("project"), _) => Self { store: app.stores.own()?, personal: false },
            (Some("personal"), _) => Self { store: app.stores.own()?, personal: true },
            (Some("all"), _) => return Self::user_store(app),
            (Some(other), _) => {
                let words = ["project", "personal", "all"];
                return Err(input::one_of("scope for a note", other, words));
            }
        };
        if destination.personal { destination.unless_shared(app) } else { Ok(destination) }
    }

    fn user_store(app: &App) -> Result<Self, AppError> {
        Self { store: app.stores.user()?, personal: true }.unless_shared(app)
    }

    /// Refuses personal notes where the store is shared.
    fn unless_shared(self, app: &App) -> Result<Self, AppError> {
        if !app.is_shared() {
            return Ok(self);
        }
        Err(AppError::refused(
            "a shared server does not store personal notes",
            "save personal notes on your own machine, with scope personal or all",
        ))
    }
}

/// Finds current notes that may contradict `text`.
fn find_conflicts(
    app: &App,
    text: &str,
    except: &[Option<Reference>],
) -> Result<Vec<Hit>, AppError> {
    let options = SearchOptions {
        limit: Some(MAX_COMPARED_NOTES),
        kinds: vec![EntryKind::Note],
        ..SearchOptions::default()
    };
    let claim = Claim::new(text);
    let mut hits = Searcher::new(app, options)?.find_notes(&claim.subject())?;
    hits.retain(|hit| {
        !except.contains(&Some(hit.reference)) && claim.may_conflict_with(&Claim::new(&hit.text))
    });
    hits.truncate(MAX_LISTED_CONFLICTS);
    Ok(hits)
}

fn references(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.reference.as_str()).collect()
}

/// Parses the kind; defaults to that of the note that is replaced.
fn kind(word: Option<&str>, previous: Option<&Note>) -> Result<NoteKind, AppError> {
    let Some(word) = word else {
        return Ok(previous.map_or(NoteKind::Note, |previous| previous.kind));
    };
    NoteKind::parse(word)
        .ok_or_else(|| input::one_of("kind", word, NoteKind::ALL.map(NoteKind::as_str)))
}
