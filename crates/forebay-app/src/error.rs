//! The error that front ends show: a message, and a hint at what to do.

use std::fmt::Display;

use crate::bounds::{self, MAX_ERROR_CHARS};
use crate::next_call::NextCall;
use forebay_domain::{BadReference, Reference};
use forebay_sandbox::RunError;
use forebay_store::StoreError;
use forebay_store::blob::Damage;
use forebay_text::invisible::visible;

/// A message and a hint, for a model or a person.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct AppError {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

/// The category of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller's input is wrong.
    BadInput,
    /// The requested item does not exist.
    NotFound,
    /// A rule or the user denied the call.
    Refused,
    /// An external resource failed.
    Unavailable,
    /// Too many calls are in progress.
    Busy,
}

impl AppError {
    /// A file that no tool opens; see `forebay_store::own_files`.
    pub(crate) fn own_database(path: impl Display) -> Self {
        let hint = format!("{} finds what is stored in it", NextCall::new("ctx_search").in_error());
        Self::refused(format!("{path} is a database of Forebay"), hint)
    }

    pub fn bad_input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::BadInput, message: bounded(message), hint: Some(bounded(hint)) }
    }

    pub fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, message: bounded(message), hint: Some(bounded(hint)) }
    }

    pub fn unavailable(message: impl Into<String>, hint: Option<&str>) -> Self {
        let hint = hint.map(str::to_owned);
        Self { kind: ErrorKind::Unavailable, message: bounded(message), hint }
    }

    pub fn busy() -> Self {
        Self {
            kind: ErrorKind::Busy,
            message: "too many calls in progress".to_owned(),
            hint: Some("try again in a moment".to_owned()),
        }
    }

    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Refused, message: bounded(message), hint: Some(bounded(hint)) }
    }

    /// Formats message and hint as one text.
    pub fn to_text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A text that repeats words from outside: they may be megabytes long, and hide characters.
fn bounded(text: impl Into<String>) -> String {
    let text = visible(text.into());
    if text.len() <= MAX_ERROR_CHARS { text } else { bounds::cut(&text, MAX_ERROR_CHARS) }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::NotFound(_) | StoreError::Gone { .. } => ErrorKind::NotFound,
            _ => ErrorKind::Unavailable,
        };
        let hint = match error {
            StoreError::NotFound(_) => Some(format!(
                "{} finds entries, {} lists them; entries of other projects need scope `all`.",
                NextCall::new("ctx_search").in_error(),
                NextCall::new("ctx_history").in_error()
            )),
            StoreError::Damaged { reference, damage } => Some(damage_hint(reference, damage)),
            _ => error.hint(),
        };
        Self { kind, message: bounded(error.to_string()), hint }
    }
}

/// Says how to read what is whole.
fn damage_hint(reference: Reference, damage: Damage) -> String {
    let whole = damage.whole_lines();
    let read = if whole.is_empty() {
        String::new()
    } else {
        let call = NextCall::new("ctx_get").on(reference.as_str()).with("lines", whole);
        format!("{} returns what is whole. ", call.in_error())
    };
    format!(
        "{read}Run the command again to store it anew; `forebay doctor --deep` checks all entries."
    )
}

impl From<RunError> for AppError {
    fn from(error: RunError) -> Self {
        Self {
            kind: ErrorKind::BadInput,
            message: bounded(error.to_string()),
            hint: error.hint().map(str::to_owned),
        }
    }
}

impl From<BadReference> for AppError {
    fn from(error: BadReference) -> Self {
        let list = NextCall::new("ctx_history").in_error();
        Self::bad_input(error.to_string(), format!("{list} lists the references of this session."))
    }
}
