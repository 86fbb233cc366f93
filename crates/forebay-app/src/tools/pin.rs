//! Pins and unpins a note: a state of the note, not a new version of it.

use forebay_domain::{Entry, Note, Reference};
use forebay_store::Store;
use serde_json::json;

use super::annotate::Older;
use crate::{Answer, App, AppError};

/// Longer chains of replacements are followed no further.
const MAX_REPLACEMENTS: usize = 100;

pub(crate) fn set(app: &App, reference: &str, pinned: bool) -> Result<Answer, AppError> {
    let Older { store, entry } = Older::find(app, reference)?;
    let reference = entry.reference;
    if pinned && let Some(newest) = successor(&*store, &entry)? {
        return Err(AppError::bad_input(
            format!("{reference} was replaced by {newest}"),
            format!("pin {newest} instead"),
        ));
    }
    let is_changed = store.set_pinned(reference, pinned)?;
    let state = match (pinned, is_changed) {
        (true, true) => "pinned",
        (true, false) => "already pinned",
        (false, true) => "unpinned",
        (false, false) => "not pinned",
    };
    let data = json!({ "ref": reference.as_str(), "pinned": pinned, "changed": is_changed });
    Ok(Answer::new(format!("{reference} {state}"), data))
}

/// Returns the note that is in force instead of this one.
fn successor(store: &dyn Store, entry: &Entry) -> Result<Option<Reference>, AppError> {
    let mut newest = entry.note().and_then(|note| note.superseded_by);
    for _ in 0..MAX_REPLACEMENTS {
        let Some(reference) = newest else { break };
        let next = store.entry(reference)?;
        match next.note().and_then(|note: &Note| note.superseded_by) {
            Some(newer) => newest = Some(newer),
            None => break,
        }
    }
    Ok(newest)
}
