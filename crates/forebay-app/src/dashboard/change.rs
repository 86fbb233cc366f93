//! Changes to the memory: each is previewed first, and then made if what it affects is still the same.

use forebay_domain::Reference;
use forebay_text::invisible::escape;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{entry, shown};
use crate::digest_samples::{Report, Samples};
use crate::tools::annotate::{Annotate, Input as NoteInput, Older};
use crate::tools::purge::{self, Purge};
use crate::tools::{Tool, pin};
use crate::{App, AppError, Call};

/// A change that a user asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// Pins or unpins a note.
    Pin { reference: String, pinned: bool },
    /// Marks a note as superseded by one that contradicts it.
    Keep { reference: String, instead_of: String },
    /// Writes a note anew; the one before stays readable.
    Edit { reference: String, text: String },
    /// Deletes an entry for good.
    Purge { reference: String },
    /// Stores an entry's text as a sample, with lines that its digest has to show.
    Report { reference: String, text: String },
    /// Deletes that sample.
    Unreport { reference: String },
}

/// Returns what a change would do, and the number of entries that it affects, which confirms it.
pub fn preview(app: &App, change: &Change) -> Result<Value, AppError> {
    let (text, count) = match change {
        Change::Pin { reference, pinned } => {
            in_force(app, reference)?;
            let effect = if *pinned {
                "is shown first in every new session"
            } else {
                "is no longer shown first in every new session"
            };
            (format!("[ctx:{reference}] {effect}"), 1)
        }
        Change::Keep { reference, instead_of } => {
            Pair::find(app, reference, instead_of)?;
            let effect =
                "is found no more and shown in no session; it stays readable by its reference";
            (format!("[ctx:{instead_of}] {effect}"), 1)
        }
        Change::Edit { reference, text } => {
            in_force(app, reference)?;
            let (stored, redactions) = app.redaction.redact(text.trim());
            if stored.is_empty() {
                return Err(AppError::bad_input("the note is empty", "give its text"));
            }
            let remark = if redactions.is_empty() { "" } else { " Secrets in it are redacted." };
            (format!("a new note replaces [ctx:{reference}], which stays readable.{remark}"), 1)
        }
        Change::Report { reference, text } => (report(app, reference, text)?.describe(), 1),
        Change::Unreport { reference } => (
            "the sample is deleted; the entry stays".to_owned(),
            u64::from(is_reported(app, reference)?),
        ),
        Change::Purge { reference } => {
            let (answer, count) = purge::dry_run(app, &purge_input(reference), "the button below")?;
            (answer.text, count)
        }
    };
    Ok(shown::data(json!({ "text": text, "confirm": count })))
}

/// Makes a change that was previewed.
pub fn apply(app: &App, change: Change, confirm: u64) -> Result<Value, AppError> {
    if confirm != 1 && !matches!(change, Change::Purge { .. }) {
        return Err(AppError::bad_input("the change was not previewed", "reload the page"));
    }
    let answer = match change {
        Change::Pin { reference, pinned } => pin::set(app, &reference, pinned)?,
        Change::Keep { reference, instead_of } => {
            return Pair::find(app, &reference, &instead_of)?.supersede();
        }
        Change::Edit { reference, text } => {
            in_force(app, &reference)?;
            let note = NoteInput { text, supersedes: Some(reference), ..NoteInput::default() };
            Annotate::call(app, note, &Call::default())?
        }
        Change::Report { reference, text } => {
            Samples::for_app(app).add(&report(app, &reference, &text)?)?;
            return Ok(json!({ "text": "stored; forebay digest --check checks it" }));
        }
        Change::Unreport { reference } => {
            Samples::for_app(app).delete(&reference)?;
            return Ok(json!({ "text": "the sample is deleted" }));
        }
        Change::Purge { reference } => {
            let input = purge::Input { confirm: Some(confirm), ..purge_input(&reference) };
            Purge::call(app, input, &Call::default())?
        }
    };
    Ok(shown::data(json!({ "text": answer.text, "data": answer.data })))
}

/// Returns the text of a note as a user can edit it.
pub fn note_text(app: &App, reference: &str) -> Result<Value, AppError> {
    let text = in_force(app, reference)?.text()?;
    // What is shown in place of a hidden character would be stored in its place.
    if text.len() > shown::MAX_TEXT_BYTES || escape(&text) != text {
        return Err(AppError::bad_input(
            "the note is too long for a form, or has hidden characters",
            format!("forebay note --supersedes {reference} -"),
        ));
    }
    Ok(json!({ "text": text }))
}

fn report(app: &App, reference: &str, text: &str) -> Result<Report, AppError> {
    let (store, found) = entry::find(app, reference)?;
    Report::new(app, &*store, &found, text)
}

fn is_reported(app: &App, reference: &str) -> Result<bool, AppError> {
    Ok(Samples::for_app(app).case(Reference::parse(reference)?)?.is_some())
}

fn purge_input(reference: &str) -> purge::Input {
    purge::Input { refs: vec![reference.to_owned()], ..purge::Input::default() }
}

/// Finds a note that nothing has replaced.
fn in_force(app: &App, reference: &str) -> Result<Older, AppError> {
    let found = Older::find(app, reference)?;
    match found.entry.note().and_then(|note| note.superseded_by) {
        None => Ok(found),
        Some(newer) => Err(AppError::bad_input(
            format!("[ctx:{reference}] was replaced by [ctx:{newer}]"),
            "reload the page",
        )),
    }
}

/// A note to keep and one to give up for it.
struct Pair {
    kept: Older,
    given_up: Older,
}

impl Pair {
    fn find(app: &App, kept: &str, given_up: &str) -> Result<Self, AppError> {
        let pair = Self { kept: in_force(app, kept)?, given_up: in_force(app, given_up)? };
        let kept = pair.kept.entry.reference;
        if kept == pair.given_up.entry.reference {
            return Err(AppError::bad_input("a note does not replace itself", "name another one"));
        }
        // A store knows nothing of the notes of another one.
        if pair.given_up.store.entry(kept).is_err() {
            return Err(AppError::bad_input(
                "one of these notes is the user's, the other one the project's",
                "purge the one that is wrong",
            ));
        }
        Ok(pair)
    }

    fn supersede(&self) -> Result<Value, AppError> {
        let (kept, given_up) = (self.kept.entry.reference, self.given_up.entry.reference);
        if !self.given_up.store.supersede(given_up, kept)? {
            return Err(AppError::bad_input("one of the notes was replaced", "reload the page"));
        }
        Ok(shown::data(json!({ "text": format!("{given_up} is replaced by {kept}") })))
    }
}
