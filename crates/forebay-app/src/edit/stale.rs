//! Staleness checks: an edit is refused if its session has not seen the current content of the file.

use crate::edit::diff;
use crate::edit::source_file::{self, ProjectPath, SourceFile};
use crate::edit::working_set::{SessionFiles, kept_text};
use crate::next_call::NextCall;
use crate::{App, AppError};

/// Size of the diff in a refusal.
const MAX_DIFF_BYTES: usize = 4_000;
/// Size of the diff if it does not fit, as the file must be read again anyway.
const TRUNCATED_DIFF_BYTES: usize = 600;
/// Minimum length of a hash prefix.
const MIN_HASH_DIGITS: usize = 6;

/// Refuses if the file does not have the hash that the caller expects.
pub(crate) fn check_expected(
    location: &ProjectPath,
    file: &SourceFile,
    expected: Option<&str>,
) -> Result<(), AppError> {
    let Some(expected) = expected else { return Ok(()) };
    let digits = expected.trim().to_lowercase();
    if digits.len() < MIN_HASH_DIGITS || !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(AppError::bad_input(
            format!("expected_hash must have {MIN_HASH_DIGITS} or more hexadecimal digits"),
            format!(
                "the first line of the answer of {} has it",
                NextCall::new("context_read").in_error()
            ),
        ));
    }
    let hash: String = file.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    if hash.starts_with(&digits) {
        return Ok(());
    }
    Err(AppError::refused(
        format!(
            "{} now has hash {}; the file is unchanged",
            location.shown,
            source_file::short(&file.hash)
        ),
        read_again(location),
    ))
}

/// Refuses if the file has changed since the session saw it, and shows the diff.
///
/// A session that was shown the whole diff knows the current content, so a repeated call succeeds.
pub(crate) fn check_stale(
    app: &App,
    at_work: &SessionFiles,
    location: &ProjectPath,
    file: &SourceFile,
) -> Result<(), AppError> {
    let Some(known) = at_work.seen_before(location, file) else { return Ok(()) };
    let message = format!("{} has changed since you saw it; nothing was written", location.shown);
    let Some(old) = kept_text(&*at_work.store, known) else {
        return Err(AppError::refused(message, read_again(location)));
    };
    // The stored text is redacted, so the current text must be redacted before the comparison.
    let new = app.redaction.redact(file.text()).0;
    let change = diff::between(&old, &new, MAX_DIFF_BYTES);
    let hint = if change.is_whole {
        at_work.record_seen(app, location, file)?;
        "this is the whole diff: if the edit still applies, repeat it".to_owned()
    } else {
        read_again(location)
    };
    let shown = if change.is_whole { MAX_DIFF_BYTES } else { TRUNCATED_DIFF_BYTES };
    let change = diff::between(&old, &new, shown);
    Err(AppError::refused(format!("{message}\n{}", change.text), hint))
}

/// The hint of a refusal whose reader has to see the file as it is now.
pub(crate) fn read_again(location: &ProjectPath) -> String {
    format!(
        "read it again with {}",
        NextCall::new("context_read").on(location.shown.as_str()).in_error()
    )
}
