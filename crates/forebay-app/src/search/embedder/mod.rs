//! The remote embedder: an embedding model on a server, in addition to the built-in one.
//!
//! It is used only if the user's own settings name a server, and no hook, note or run waits for it. Stored chunks
//! get their built-in embedding at once; `backfill` adds the remote one later: in an idle server, before
//! `forebay index` exits, and in a search until its timeout. A search embeds its queries in one request; if that
//! fails it uses the built-in embeddings. Vectors are stored under their model's name and dimensions, so those of
//! different models are never compared.
//!
//! `wire` has the protocol, `error` the errors.

mod backfill;
mod error;
mod wire;

use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use forebay_sandbox::web::{self, HttpRequest};
use forebay_store::{REMOTE_MODEL_PREFIX, Store};
use forebay_text::cut;

pub(crate) use self::backfill::backfill;
pub(crate) use self::error::EmbedderError;
use crate::AppError;
use crate::ingest::redaction::Redaction;
use crate::settings;

/// After a failure, searches skip the server for this long instead of waiting for it again.
const COOLDOWN: Duration = Duration::from_secs(30);
/// Larger requests take longer and are no faster per chunk.
const MAX_BATCH_SIZE: u64 = 1024;
/// Embedded to learn whether a server answers, and the dimensions of its vectors.
const PROBE_TEXT: &str = "word";
/// Bytes of a server's error message that are shown.
const MAX_MESSAGE_BYTES: usize = 160;

pub(crate) struct Embedder {
    settings: settings::Embedder,
    key: Option<String>,
    redaction: Arc<Redaction>,
    /// The name that vectors are stored under, from the last response.
    model: Mutex<Option<String>>,
    last_failure: Mutex<Option<(Instant, EmbedderError)>>,
    /// Held during a backfill: two at once would embed the same chunks.
    backfill_lock: Mutex<()>,
}

/// Vectors in the order of their texts, and the name of their model.
pub(crate) struct Embedded {
    pub(crate) model: String,
    pub(crate) vectors: Vec<Option<Vec<u8>>>,
}

/// Returns the API key from the configured environment variable, if it is set.
pub(crate) fn api_key(
    settings: &settings::Embedder,
    environment: &[(String, String)],
) -> Option<String> {
    let is_key = |(name, value): &&(String, String)| {
        !settings.key_env.is_empty() && *name == settings.key_env && !value.is_empty()
    };
    environment.iter().find(is_key).map(|(_, value)| value.clone())
}

impl Embedder {
    /// Returns the configured embedder; `None` without a URL.
    pub(crate) fn new(
        settings: &settings::Embedder,
        key: Option<String>,
        redaction: Arc<Redaction>,
    ) -> Option<Self> {
        (!settings.url.trim().is_empty()).then(|| Self {
            settings: settings.clone(),
            key,
            redaction,
            model: Mutex::default(),
            last_failure: Mutex::default(),
            backfill_lock: Mutex::default(),
        })
    }

    /// Returns the model's name in the settings.
    pub(crate) fn name(&self) -> &str {
        &self.settings.model
    }

    /// Returns the server's URL without credentials, path and query.
    fn server(&self) -> String {
        let url = self.settings.url.trim();
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = rest[..end].rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}")
    }

    /// Returns the model's name and its server.
    pub(crate) fn about(&self) -> String {
        format!("{} at {}", self.name(), self.server())
    }

    /// Returns the remark for a search that fell back to the built-in model.
    pub(crate) fn fallback_remark(&self, error: &EmbedderError) -> String {
        format!("{}: {error}; used the built-in model", self.about())
    }

    /// Returns the timeout of a request in the background.
    pub(crate) fn batch_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.batch_timeout_ms)
    }

    /// Returns the timeout of a request in a search.
    pub(crate) fn query_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.timeout_ms)
    }

    /// Embeds queries; fails at once during the cooldown after a failure.
    pub(crate) fn embed_queries(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        self.check_cooldown()?;
        let texts = self.prepare(&self.settings.question_prefix, texts);
        self.request(&texts, self.query_timeout()).inspect_err(|error| self.start_cooldown(error))
    }

    /// Embeds chunks.
    fn embed_chunks(&self, texts: &[&str], timeout: Duration) -> Result<Embedded, EmbedderError> {
        self.check_cooldown()?;
        let texts = self.prepare(&self.settings.passage_prefix, texts);
        self.request(&texts, timeout).inspect_err(|error| {
            // A large batch may exceed a search's timeout, and one text may be invalid: the server still works.
            if !matches!(error, EmbedderError::TooSlow(_)) && !error.may_be_the_text() {
                self.start_cooldown(error);
            }
        })
    }

    /// Embeds one word; returns the name that vectors are stored under.
    pub(crate) fn probe(&self, timeout: Duration) -> Result<String, EmbedderError> {
        self.request(&[PROBE_TEXT.to_owned()], timeout).map(|embedded| embedded.model)
    }

    /// Returns the name that vectors are stored under; probes the server before the first response.
    /// Counts the chunks that are not embedded yet; None while the server cannot be reached.
    pub(crate) fn count_pending(&self, store: &dyn Store) -> Result<Option<u64>, AppError> {
        let Ok(model) = self.model(self.batch_timeout()) else { return Ok(None) };
        Ok(Some(store.embedding_progress(&model)?.pending))
    }

    fn model(&self, timeout: Duration) -> Result<String, EmbedderError> {
        let known = self.model.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(model) = known {
            return Ok(model);
        }
        self.check_cooldown()?;
        self.probe(timeout).inspect_err(|error| self.start_cooldown(error))
    }

    fn request(&self, texts: &[String], timeout: Duration) -> Result<Embedded, EmbedderError> {
        self.check_settings()?;
        let dimensions = Some(self.settings.dimensions as usize).filter(|count| *count > 0);
        let request = HttpRequest {
            url: wire::endpoint(&self.settings.url),
            bearer: self.key.clone(),
            body: Some((
                "application/json".to_owned(),
                wire::request_body(&self.settings.model, texts, dimensions),
            )),
            max_bytes: wire::max_response_bytes(texts.len()),
            timeout,
        };
        let answer = web::send(&request).map_err(EmbedderError::from_fetch)?;
        if answer.status != 200 {
            return Err(EmbedderError::Status {
                status: answer.status,
                message: self.error_message(&answer.body),
            });
        }
        let response = wire::parse_response(&answer.body, texts.len(), dimensions)?;
        let model = self.vector_name(response.dimensions);
        *self.model.lock().unwrap_or_else(PoisonError::into_inner) = Some(model.clone());
        Ok(Embedded { model, vectors: response.vectors })
    }

    /// Returns the name that vectors are stored under: what makes them comparable, which is the model, the
    /// dimensions and the chunk prefix, but not the server.
    fn vector_name(&self, dimensions: usize) -> String {
        let settings::Embedder { model, passage_prefix, .. } = &self.settings;
        let prefix =
            if passage_prefix.is_empty() { String::new() } else { format!("/{passage_prefix}") };
        format!("{REMOTE_MODEL_PREFIX}{model}/{dimensions}{prefix}")
    }

    /// Adds the prefix and redacts again: stored text is redacted, but more secrets may be known by now.
    fn prepare(&self, prefix: &str, texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| format!("{prefix}{}", self.redaction.redact(text).0)).collect()
    }

    /// Formats the server's error, `: model "x" not found`, without the API key, which some servers repeat.
    fn error_message(&self, body: &[u8]) -> String {
        let Some(message) = wire::error_message(body) else { return String::new() };
        let message = match &self.key {
            Some(key) => message.replace(key.as_str(), "[key]"),
            None => message,
        };
        format!(": {}", cut::one_line(&self.redaction.redact(&message).0, MAX_MESSAGE_BYTES))
    }

    fn check_settings(&self) -> Result<(), EmbedderError> {
        let settings::Embedder { url, model, key_env, dimensions, .. } = &self.settings;
        let scheme = url.trim().split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !scheme.is_some_and(|scheme| scheme == "http" || scheme == "https") {
            return Err(EmbedderError::InvalidUrl);
        }
        if model.trim().is_empty() {
            return Err(EmbedderError::NoModel);
        }
        if !key_env.is_empty() && self.key.is_none() {
            return Err(EmbedderError::NoKey(key_env.clone()));
        }
        if *dimensions > wire::MAX_DIMENSIONS as u64 {
            return Err(EmbedderError::TooManyDimensions(*dimensions));
        }
        Ok(())
    }

    fn check_cooldown(&self) -> Result<(), EmbedderError> {
        let last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last_failure {
            Some((at, error)) if at.elapsed() < COOLDOWN => Err(error.clone()),
            _ => Ok(()),
        }
    }

    fn start_cooldown(&self, error: &EmbedderError) {
        tracing::warn!(%error, model = self.name(), "the remote embedder failed");
        let mut last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        *last_failure = Some((Instant::now(), error.clone()));
    }

    fn batch_size(&self) -> usize {
        self.settings.batch.clamp(1, MAX_BATCH_SIZE) as usize
    }

    /// Locks the backfill; `None` if another one runs.
    fn try_lock_backfill(&self) -> Option<std::sync::MutexGuard<'_, ()>> {
        match self.backfill_lock.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedder(settings: settings::Embedder, key: Option<&str>) -> Embedder {
        let redaction = Arc::new(Redaction::new(true, Vec::new()));
        Embedder::new(&settings, key.map(str::to_owned), redaction).unwrap()
    }

    fn settings() -> settings::Embedder {
        let (url, model) = ("http://localhost:1/v1".to_owned(), "m".to_owned());
        settings::Embedder { url, model, ..settings::Embedder::default() }
    }

    #[test]
    fn comparable_vectors_share_a_name() {
        let plain = embedder(settings(), None);
        assert_eq!(plain.vector_name(768), "remote:m/768");
        let elsewhere = settings::Embedder { url: "https://b/v1".to_owned(), ..settings() };
        assert_eq!(embedder(elsewhere, None).vector_name(768), plain.vector_name(768));
        let prefixed = settings::Embedder { passage_prefix: "doc: ".to_owned(), ..settings() };
        assert_eq!(embedder(prefixed, None).vector_name(768), "remote:m/768/doc: ");
    }

    #[test]
    fn rejects_invalid_settings_before_sending() {
        let error = |settings| embedder(settings, None).probe(Duration::ZERO).unwrap_err();
        assert_eq!(
            error(settings::Embedder { url: "ftp://a".into(), ..settings() }),
            EmbedderError::InvalidUrl
        );
        assert_eq!(
            error(settings::Embedder { model: " ".into(), ..settings() }),
            EmbedderError::NoModel
        );
        let keyed = settings::Embedder { key_env: "K".into(), ..settings() };
        assert_eq!(error(keyed), EmbedderError::NoKey("K".into()));
        let long = settings::Embedder { dimensions: 5_000, ..settings() };
        assert_eq!(error(long), EmbedderError::TooManyDimensions(5_000));
    }

    #[test]
    fn hides_secrets_in_url_and_errors() {
        let url = "https://user:pass@host:1/v1?key=x".to_owned();
        let with_key = embedder(settings::Embedder { url, ..settings() }, Some("abc-123"));
        assert_eq!(with_key.server(), "https://host:1");
        assert_eq!(with_key.error_message(br#"{"error":"bad key abc-123"}"#), ": bad key [key]");
    }
}
