//! `ctx_annotate`: writes a note down, for good.

use std::sync::Arc;

use forebay_domain::conflict::Claim;
use forebay_domain::{Entry, EntryKind, Hit, Note, NoteKind, Reference, Scope};
use forebay_store::{NewDetail, NewNote};
use forebay_text::cut;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nature, Tool};
use crate::ingest::pending;
use crate::ingest::redaction;
use crate::input;
use crate::search::{Limits, Reach};
use crate::stores::registry::SharedStore;
use crate::{Answer, App, AppError, Call};

/// Notes that a new one is compared with, and those it is told of.
const NOTES_COMPARED: u64 = 20;
const NAMED_CONFLICTS: usize = 3;

pub struct Annotate;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    // Without it, that of the note it supersedes; a model that is not told so always gives one.
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

impl Tool for Annotate {
    const NAME: &'static str = "ctx_annotate";
    const DESCRIPTION: &'static str =
        "Write down a decision, finding or preference; kept for good and found by ctx_search.";
    const NATURE: Nature = Nature::Adds;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let older = input.supersedes.as_deref().map(|text| Older::find(app, text)).transpose()?;
        let place = Place::choose(app, input.scope.as_deref(), older.as_ref())?;
        let text = match &older {
            Some(older) if input.text.trim().is_empty() => older.text()?,
            _ => input.text.trim().to_owned(),
        };
        let (text, mut redactions) = app.redaction.text(&text);
        if text.is_empty() {
            return Err(AppError::bad_input("the note is empty", "give its text"));
        }
        let was = older.as_ref().and_then(|older| older.entry.note());
        let topic = input.topic.or_else(|| was.and_then(|was| was.topic.clone())).map(|topic| {
            let (topic, in_topic) = app.redaction.text(&topic.trim().to_lowercase());
            redactions.add(&in_topic);
            topic
        });
        let kind = kind(input.kind.as_deref(), was)?;
        let note = NewNote {
            kind,
            topic: topic.filter(|topic| !topic.is_empty()),
            supersedes: older.as_ref().map(|older| older.entry.reference),
            links: Reference::all_in(&text),
            pinned: input.pinned.unwrap_or_else(|| was.is_some_and(|was| was.pinned)),
            personal: place.personal,
            author: app.author().to_owned(),
        };
        let is_pinned = note.pinned;
        let title = note.topic.clone().unwrap_or_else(|| cut::one_line(&text, 100));
        let mut new = app.new_entry(EntryKind::Note, title);
        new.digest = cut::one_line(&text, 400);
        new.detail = NewDetail::Note(note);
        let entry = pending::put(&*place.store, new, &text)?;

        let replaced = entry.note().and_then(|note| note.supersedes);
        let mut told = format!("{} {} noted", entry.reference, kind.word());
        if is_pinned {
            told.push_str(" and pinned");
        }
        if let Some(older) = replaced {
            told.push_str(&format!(", replaces {older}"));
        }
        let conflicts = conflicting(app, &text, &[Some(entry.reference), replaced])?;
        let data = json!({
            "ref": entry.reference.as_str(),
            "kind": kind.word(),
            "pinned": is_pinned,
            "supersedes": replaced.map(|older| older.as_str().to_owned()),
            "may_conflict_with": names(&conflicts),
            "redacted": redaction::counts(&redactions),
        });
        for other in &conflicts {
            let says = cut::one_line(&other.text, 100);
            told.push_str(&format!("\nmay conflict with {}: {says}", other.reference));
        }
        if !conflicts.is_empty() {
            told.push_str("\nif it replaces one, note it again with supersedes");
        }
        Ok(Answer::new(redaction::told(told, &redactions), data))
    }
}

/// The note to replace. It must be there, or the new one would claim what did not happen.
struct Older {
    store: SharedStore,
    entry: Entry,
}

impl Older {
    fn find(app: &App, text: &str) -> Result<Self, AppError> {
        let (store, entry) = app.places.locate(Reference::parse(text)?, Scope::Project)?;
        if entry.note().is_some() {
            return Ok(Self { store, entry });
        }
        Err(AppError::bad_input(
            format!("{} is a {}, not a note", entry.reference, entry.kind.word()),
            "only a note can be replaced by a note",
        ))
    }

    fn text(&self) -> Result<String, AppError> {
        let mut raw = Vec::new();
        self.store.read(self.entry.reference, 0, &mut |piece| {
            raw.extend_from_slice(piece);
            true
        })?;
        Ok(String::from_utf8_lossy(&raw).into_owned())
    }
}

/// Where a note is kept, and whether it is shared from there.
struct Place {
    store: SharedStore,
    personal: bool,
}

impl Place {
    /// Where the caller wants it, or else where the note is that it replaces.
    fn choose(app: &App, scope: Option<&str>, older: Option<&Older>) -> Result<Self, AppError> {
        let place = match (scope, older) {
            (None, Some(older)) => Self {
                store: Arc::clone(&older.store),
                personal: older.entry.note().is_some_and(|note| note.personal),
            },
            (None | Some("project"), _) => Self { store: app.places.own()?, personal: false },
            (Some("personal"), _) => Self { store: app.places.own()?, personal: true },
            (Some("all"), _) => return Self::of_user(app),
            (Some(other), _) => {
                let words = ["project", "personal", "all"];
                return Err(input::one_of("scope for a note", other, words));
            }
        };
        if place.personal { place.unless_shared(app) } else { Ok(place) }
    }

    fn of_user(app: &App) -> Result<Self, AppError> {
        Self { store: app.places.user()?, personal: true }.unless_shared(app)
    }

    /// What others can read is not personal.
    fn unless_shared(self, app: &App) -> Result<Self, AppError> {
        if !app.is_shared() {
            return Ok(self);
        }
        Err(AppError::refused(
            "a server keeps what is shared",
            "write personal notes on your own machine, with scope personal or all",
        ))
    }
}

/// Notes in force that may say the opposite.
fn conflicting(app: &App, text: &str, besides: &[Option<Reference>]) -> Result<Vec<Hit>, AppError> {
    let limits =
        Limits { limit: Some(NOTES_COMPARED), kinds: vec![EntryKind::Note], ..Limits::default() };
    let claim = Claim::new(text);
    let mut found = Reach::new(app, limits)?.find_notes(&claim.subject())?;
    found.retain(|hit| {
        !besides.contains(&Some(hit.reference)) && claim.may_conflict_with(&Claim::new(&hit.text))
    });
    found.truncate(NAMED_CONFLICTS);
    Ok(found)
}

fn names(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.reference.as_str()).collect()
}

/// The kind that is named, or else that of the note it replaces.
fn kind(word: Option<&str>, was: Option<&Note>) -> Result<NoteKind, AppError> {
    let Some(word) = word else { return Ok(was.map_or(NoteKind::Note, |was| was.kind)) };
    NoteKind::from_word(word)
        .ok_or_else(|| input::one_of("kind", word, NoteKind::ALL.map(NoteKind::word)))
}
