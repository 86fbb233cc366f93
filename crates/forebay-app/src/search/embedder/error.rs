//! Errors of the remote embedder.

use forebay_sandbox::web::FetchError;

use super::wire::BadResponse;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EmbedderError {
    #[error("embedder.url is not an http:// or https:// URL")]
    InvalidUrl,
    #[error("embedder.model is empty")]
    NoModel,
    #[error("environment variable {0} (embedder.key_env) is not set")]
    NoKey(String),
    #[error("embedder.dimensions is {0}; at most {max} are supported", max = super::wire::MAX_DIMENSIONS)]
    TooManyDimensions(u64),
    #[error("no answer within {0} ms")]
    TooSlow(u128),
    #[error("cannot connect: {0}")]
    Unreachable(String),
    #[error("it answered with {status}{message}")]
    Status { status: u16, message: String },
    #[error("invalid response: {0}")]
    BadResponse(#[from] BadResponse),
    #[error("it now answers as another model, `{0}`")]
    Changed(String),
}

impl EmbedderError {
    pub(super) fn from_fetch(error: FetchError) -> Self {
        match error {
            FetchError::Timeout { timeout, .. } => Self::TooSlow(timeout.as_millis()),
            FetchError::Unresolved(_) => {
                Self::Unreachable("its host name does not resolve".to_owned())
            }
            FetchError::Failed { reason, .. } => Self::Unreachable(without_os_code(&reason)),
            FetchError::TooLarge { .. } => {
                Self::Unreachable("its response is too large".to_owned())
            }
            other => Self::Unreachable(other.to_string()),
        }
    }

    /// Whether the server may have rejected the text, for example because it is too long.
    pub(super) fn may_be_the_text(&self) -> bool {
        matches!(self, Self::Status { status: 400 | 413 | 422 | 500, .. })
    }
}

/// Removes the code from `Connection refused (os error 111)`.
fn without_os_code(what: &str) -> String {
    what.split(" (os error").next().unwrap_or(what).to_owned()
}
