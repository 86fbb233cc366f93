//! `ctx_annotate`: writes a note down, for good.

use forebay_domain::text::cut;
use forebay_domain::{EntryKind, Hit, NoteKind, Reference, Scope, conflict};
use forebay_store::{NewDetail, NewNote};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nature, Tool, input};
use crate::finding::{Limits, Reach};
use crate::places::SharedStore;
use crate::{Answer, App, AppError, Call, indexing, redaction};

/// Notes that a new one is compared with, and those it is told of.
const NOTES_COMPARED: u64 = 20;
const NAMED_CONFLICTS: usize = 3;

pub struct Annotate;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub text: String,
    /// note, decision, finding, preference, constraint, todo
    pub kind: Option<String>,
    /// A newer note on the same topic replaces the older
    pub topic: Option<String>,
    /// Reference of the note this one replaces
    pub supersedes: Option<String>,
    /// project (default) or all
    pub scope: Option<String>,
}

impl Tool for Annotate {
    const NAME: &'static str = "ctx_annotate";
    const DESCRIPTION: &'static str =
        "Write down a decision, finding or preference; kept for good and found by ctx_search.";
    const NATURE: Nature = Nature::Adds;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let (text, mut redactions) = app.redaction.text(input.text.trim());
        if text.is_empty() {
            return Err(AppError::bad_input("the note is empty", "give its text"));
        }
        let topic = input.topic.map(|topic| {
            let (topic, in_topic) = app.redaction.text(&topic.trim().to_lowercase());
            redactions.add(&in_topic);
            topic
        });
        let store = store_of(app, input.scope.as_deref())?;
        let kind = kind(input.kind.as_deref())?;
        let note = NewNote {
            kind,
            topic: topic.filter(|topic| !topic.is_empty()),
            supersedes: input
                .supersedes
                .as_deref()
                .map(|older| existing(&store, older))
                .transpose()?,
            links: references_in(&text),
        };
        let title = note.topic.clone().unwrap_or_else(|| cut::one_line(&text, 100));
        let mut new = app.new_entry(EntryKind::Note, title);
        new.digest = cut::one_line(&text, 400);
        new.detail = NewDetail::Note(note);
        let entry = indexing::put_searchable(&*store, new, &text)?;

        let replaced = entry.note().and_then(|note| note.supersedes);
        let remark = replaced.map(|older| format!(", replaces {older}")).unwrap_or_default();
        let conflicts = conflicting(app, &text, entry.reference)?;
        let data = json!({
            "ref": entry.reference.as_str(),
            "kind": kind.word(),
            "supersedes": replaced.map(|older| older.as_str().to_owned()),
            "may_conflict_with": names(&conflicts),
            "redacted": redaction::counts(&redactions),
        });
        let mut told = format!("{} {} noted{remark}", entry.reference, kind.word());
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

fn store_of(app: &App, scope: Option<&str>) -> Result<SharedStore, AppError> {
    match input::scope(scope)? {
        Scope::Project => app.places.own(),
        Scope::All => app.places.user(),
        other => Err(input::one_of("scope for a note", other.word(), ["project", "all"])),
    }
}

/// Notes in force that may say the opposite.
fn conflicting(app: &App, text: &str, own: Reference) -> Result<Vec<Hit>, AppError> {
    let limits =
        Limits { limit: Some(NOTES_COMPARED), kinds: vec![EntryKind::Note], ..Limits::default() };
    let mut found = Reach::new(app, limits)?.find_notes(text)?;
    found.retain(|hit| hit.reference != own && conflict::may_conflict(text, &hit.text));
    found.truncate(NAMED_CONFLICTS);
    Ok(found)
}

fn names(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.reference.as_str()).collect()
}

fn kind(word: Option<&str>) -> Result<NoteKind, AppError> {
    let Some(word) = word else { return Ok(NoteKind::Note) };
    NoteKind::from_word(word)
        .ok_or_else(|| input::one_of("kind", word, NoteKind::ALL.map(NoteKind::word)))
}

/// The note to replace must be there, or the new one would claim what did not happen.
fn existing(store: &SharedStore, text: &str) -> Result<Reference, AppError> {
    let entry = store.entry(Reference::parse(text)?)?;
    match entry.note() {
        Some(_) => Ok(entry.reference),
        None => Err(AppError::bad_input(
            format!("{} is a {}, not a note", entry.reference, entry.kind.word()),
            "only a note can be replaced by a note",
        )),
    }
}

fn references_in(text: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = text
        .match_indices("[ctx:")
        .filter_map(|(at, _)| text[at..].split_inclusive(']').next())
        .filter_map(|written| Reference::parse(written).ok())
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_in_a_note_is_seen_once() {
        let text = "see [ctx:aaaaaaaaaa], [CTX] and [ctx:bbbbbbbbbb] [ctx:aaaaaaaaaa] [ctx:broken";
        let found: Vec<String> = references_in(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["[ctx:aaaaaaaaaa]", "[ctx:bbbbbbbbbb]"]);
    }
}
