//! Why a server's model did not tell what texts mean.

use forebay_sandbox::web::FetchError;

use super::wire::Nonsense;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("embedder.url is no http:// or https:// address")]
    NoAddress,
    #[error("embedder.model names no model")]
    NoModel,
    #[error("{0}, which embedder.key_env names, is not set")]
    NoKey(String),
    #[error("embedder.dimensions is {0}, and at most {most} can be used", most = super::wire::MOST_DIMENSIONS)]
    TooManyDimensions(u64),
    #[error("it did not answer in {0} ms")]
    TooSlow(u128),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it answered with {status}{said}")]
    Status { status: u16, said: String },
    #[error("its answer is no use: {0}")]
    Nonsense(#[from] Nonsense),
    #[error("it answered as another model, `{0}`, than before")]
    Changed(String),
}

impl Fault {
    pub(super) fn of_fetch(error: FetchError) -> Self {
        match error {
            FetchError::Timeout { timeout, .. } => Self::TooSlow(timeout.as_millis()),
            FetchError::Unresolved(_) => Self::Unreachable("its name does not resolve".to_owned()),
            FetchError::Failed { reason, .. } => Self::Unreachable(in_words(&reason)),
            FetchError::TooLarge { .. } => Self::Unreachable("its answer has no end".to_owned()),
            other => Self::Unreachable(other.to_string()),
        }
    }

    /// Whether it may be the text that the server does not take: too long a one, say.
    pub(super) fn is_of_the_text(&self) -> bool {
        matches!(self, Self::Status { status: 400 | 413 | 422 | 500, .. })
    }
}

/// `Connection refused (os error 111)` without its number, which tells a reader nothing.
fn in_words(what: &str) -> String {
    what.split(" (os error").next().unwrap_or(what).to_owned()
}
