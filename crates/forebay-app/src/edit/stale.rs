//! Staleness: a file is not overwritten by somebody who has not seen it as it is.

use crate::edit::diff;
use crate::edit::source_file::{self, Place, SourceFile};
use crate::edit::working_set::{AtWork, kept_text};
use crate::{App, AppError};

/// What a refusal shows of the changes.
const SHOWN_BYTES: usize = 4_000;
/// What it shows of changes that are too many, and must be read anyway.
const SHOWN_OF_MANY: usize = 600;
/// Fewer digits of a hash tell too little.
const FEWEST_DIGITS: usize = 6;

/// Refuses when the file is not the one the caller means.
pub(crate) fn check_expected(
    place: &Place,
    file: &SourceFile,
    expected: Option<&str>,
) -> Result<(), AppError> {
    let Some(expected) = expected else { return Ok(()) };
    let digits = expected.trim().to_lowercase();
    if digits.len() < FEWEST_DIGITS || !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(AppError::bad_input(
            format!("expected_hash is no hash of {FEWEST_DIGITS} hexadecimal digits or more"),
            "take it from the first line of context_read's answer",
        ));
    }
    let hash: String = file.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    if hash.starts_with(&digits) {
        return Ok(());
    }
    Err(AppError::refused(
        format!(
            "{} has hash {} now; nothing is changed",
            place.shown,
            source_file::short(&file.hash)
        ),
        "read it again with context_read",
    ))
}

/// Refuses when the file has changed since the session saw it, and shows how.
///
/// A session that was shown all of the change has seen the file as it is: asked again, it may go on.
pub(crate) fn check_stale(
    app: &App,
    at_work: &AtWork,
    place: &Place,
    file: &SourceFile,
) -> Result<(), AppError> {
    let Some(known) = at_work.seen_before(place, file) else { return Ok(()) };
    let message = format!("{} has changed since you saw it; nothing is written", place.shown);
    let Some(old) = kept_text(&*at_work.store, known) else {
        return Err(AppError::refused(message, "read it again with context_read"));
    };
    // What is kept has passed redaction, so only what has, too, can be compared with it.
    let new = app.redaction.text(file.text()).0;
    let change = diff::between(&old, &new, SHOWN_BYTES);
    let hint = if change.is_whole {
        at_work.has_seen(app, place, file)?;
        "this is all that changed: if the edit still fits, repeat it"
    } else {
        "read it again with context_read"
    };
    let shown = if change.is_whole { SHOWN_BYTES } else { SHOWN_OF_MANY };
    let change = diff::between(&old, &new, shown);
    Err(AppError::refused(format!("{message}\n{}", change.text), hint))
}
