//! A server's model that tells what texts mean, beside the built-in one.
//!
//! Nothing is asked unless the user's own settings name a server, and no hook, note or run waits for it. What is
//! stored has its built-in meaning at once; `passages` has the model told of it when somebody has time: a server
//! that is idle, `forebay index` before it ends, a search for as long as it may wait. A search asks about its
//! questions once, and where it gets no answer the built-in model's meanings are still there. Vectors are
//! kept under the name of their model and their length, so that those of two models never meet.
//!
//! `wire` speaks to the server, `fault` says why it did not help.

mod backfill;
mod error;
mod wire;

use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use forebay_sandbox::web::{self, HttpRequest};
use forebay_store::REMOTE;
use forebay_text::cut;

pub(crate) use self::backfill::embed;
pub(crate) use self::error::Fault;
use crate::ingest::redaction::Redaction;
use crate::settings;

/// A server that failed is left alone for a while: who searches next must not wait for it again.
const REST: Duration = Duration::from_secs(30);
/// More passages in one request make it long, and no faster.
const MOST_BATCH: u64 = 1024;
/// Asked to see whether a server answers, and with vectors of which length.
const TRIAL: &str = "word";
/// Bytes of what a server says of a refusal.
const MOST_SAID: usize = 160;

pub(crate) struct Embedder {
    settings: settings::Embedder,
    key: Option<String>,
    redaction: Arc<Redaction>,
    /// The name that vectors are kept under, as the last answer told it.
    model: Mutex<Option<String>>,
    resting: Mutex<Option<(Instant, Fault)>>,
    /// Held by who asks about passages; two at once would ask the same.
    at_work: Mutex<()>,
}

/// What texts mean, in their order, and the name of the model that told it.
pub(crate) struct Meant {
    pub(crate) model: String,
    pub(crate) vectors: Vec<Option<Vec<u8>>>,
}

/// The key that the settings name, if the environment has it.
pub(crate) fn key(
    settings: &settings::Embedder,
    environment: &[(String, String)],
) -> Option<String> {
    let named = |(name, value): &&(String, String)| {
        !settings.key_env.is_empty() && *name == settings.key_env && !value.is_empty()
    };
    environment.iter().find(named).map(|(_, value)| value.clone())
}

impl Embedder {
    /// The one that the settings name, if they do.
    pub(crate) fn of(
        settings: &settings::Embedder,
        key: Option<String>,
        redaction: Arc<Redaction>,
    ) -> Option<Self> {
        (!settings.url.trim().is_empty()).then(|| Self {
            settings: settings.clone(),
            key,
            redaction,
            model: Mutex::default(),
            resting: Mutex::default(),
            at_work: Mutex::default(),
        })
    }

    /// The model as the user knows it.
    pub(crate) fn name(&self) -> &str {
        &self.settings.model
    }

    /// The server without what an address may have of secrets.
    fn server(&self) -> String {
        let url = self.settings.url.trim();
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = rest[..end].rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}")
    }

    /// The model and where it is.
    pub(crate) fn about(&self) -> String {
        format!("{} at {}", self.name(), self.server())
    }

    /// What is told where it did not help.
    pub(crate) fn excuse(&self, fault: &Fault) -> String {
        format!("{}: {fault}; the built-in model was asked", self.about())
    }

    /// The time for a request when nobody waits.
    pub(crate) fn batch_time(&self) -> Duration {
        Duration::from_millis(self.settings.batch_timeout_ms)
    }

    /// The time that a search waits.
    pub(crate) fn question_time(&self) -> Duration {
        Duration::from_millis(self.settings.timeout_ms)
    }

    /// What questions mean. A server that has failed lately is not asked.
    pub(crate) fn questions(&self, texts: &[&str]) -> Result<Meant, Fault> {
        self.check_rest()?;
        let texts = self.prepared(&self.settings.question_prefix, texts);
        self.ask(&texts, self.question_time()).inspect_err(|fault| self.rest(fault))
    }

    /// What passages mean.
    fn of_passages(&self, texts: &[&str], time: Duration) -> Result<Meant, Fault> {
        self.check_rest()?;
        let texts = self.prepared(&self.settings.passage_prefix, texts);
        self.ask(&texts, time).inspect_err(|fault| {
            // Many texts may take longer than a search waits, and one may be none that the server takes.
            if !matches!(fault, Fault::TooSlow(_)) && !fault.is_of_the_text() {
                self.rest(fault);
            }
        })
    }

    /// Asks about a word: whether there is an answer, and under which name its vectors are kept.
    pub(crate) fn try_out(&self, time: Duration) -> Result<String, Fault> {
        self.ask(&[TRIAL.to_owned()], time).map(|meant| meant.model)
    }

    /// The name that its vectors are kept under; it is asked where no answer has told.
    fn model(&self, time: Duration) -> Result<String, Fault> {
        let known = self.model.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(model) = known {
            return Ok(model);
        }
        self.check_rest()?;
        self.try_out(time).inspect_err(|fault| self.rest(fault))
    }

    fn ask(&self, texts: &[String], time: Duration) -> Result<Meant, Fault> {
        self.check_settings()?;
        let wanted = Some(self.settings.dimensions as usize).filter(|wanted| *wanted > 0);
        let asked = HttpRequest {
            url: wire::address(&self.settings.url),
            bearer: self.key.clone(),
            body: Some((
                "application/json".to_owned(),
                wire::request(&self.settings.model, texts, wanted),
            )),
            max_bytes: wire::most_bytes(texts.len()),
            timeout: time,
        };
        let answer = web::send(&asked).map_err(Fault::of_fetch)?;
        if answer.status != 200 {
            return Err(Fault::Status { status: answer.status, said: self.said(&answer.body) });
        }
        let read = wire::read(&answer.body, texts.len(), wanted)?;
        let model = self.kept_name(read.dimensions);
        *self.model.lock().unwrap_or_else(PoisonError::into_inner) = Some(model.clone());
        Ok(Meant { model, vectors: read.vectors })
    }

    /// What makes two vectors comparable: the model, their length, and what stood before the passages. Where the
    /// server is does not count.
    fn kept_name(&self, dimensions: usize) -> String {
        let settings::Embedder { model, passage_prefix, .. } = &self.settings;
        let prefix =
            if passage_prefix.is_empty() { String::new() } else { format!("/{passage_prefix}") };
        format!("{REMOTE}{model}/{dimensions}{prefix}")
    }

    /// Texts as they are sent. They have been stored without secrets; those that are known by now go, too.
    fn prepared(&self, prefix: &str, texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| format!("{prefix}{}", self.redaction.text(text).0)).collect()
    }

    /// `: model "x" not found`, without the key, of which some servers repeat a part.
    fn said(&self, body: &[u8]) -> String {
        let Some(said) = wire::said(body) else { return String::new() };
        let said = match &self.key {
            Some(key) => said.replace(key.as_str(), "[key]"),
            None => said,
        };
        format!(": {}", cut::one_line(&self.redaction.text(&said).0, MOST_SAID))
    }

    fn check_settings(&self) -> Result<(), Fault> {
        let settings::Embedder { url, model, key_env, dimensions, .. } = &self.settings;
        let scheme = url.trim().split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !scheme.is_some_and(|scheme| scheme == "http" || scheme == "https") {
            return Err(Fault::NoAddress);
        }
        if model.trim().is_empty() {
            return Err(Fault::NoModel);
        }
        if !key_env.is_empty() && self.key.is_none() {
            return Err(Fault::NoKey(key_env.clone()));
        }
        if *dimensions > wire::MOST_DIMENSIONS as u64 {
            return Err(Fault::TooManyDimensions(*dimensions));
        }
        Ok(())
    }

    fn check_rest(&self) -> Result<(), Fault> {
        let resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        match &*resting {
            Some((since, fault)) if since.elapsed() < REST => Err(fault.clone()),
            _ => Ok(()),
        }
    }

    fn rest(&self, fault: &Fault) {
        tracing::warn!(%fault, model = self.name(), "the embedder did not help");
        let mut resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        *resting = Some((Instant::now(), fault.clone()));
    }

    fn batch(&self) -> usize {
        self.settings.batch.clamp(1, MOST_BATCH) as usize
    }

    /// Lets one ask about passages at a time; none for who would be the second.
    fn take_turn(&self) -> Option<std::sync::MutexGuard<'_, ()>> {
        match self.at_work.try_lock() {
            Ok(turn) => Some(turn),
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
        Embedder::of(&settings, key.map(str::to_owned), redaction).unwrap()
    }

    fn settings() -> settings::Embedder {
        let (url, model) = ("http://localhost:1/v1".to_owned(), "m".to_owned());
        settings::Embedder { url, model, ..settings::Embedder::default() }
    }

    #[test]
    fn what_makes_vectors_comparable_is_their_name() {
        let plain = embedder(settings(), None);
        assert_eq!(plain.kept_name(768), "remote:m/768");
        let elsewhere = settings::Embedder { url: "https://b/v1".to_owned(), ..settings() };
        assert_eq!(embedder(elsewhere, None).kept_name(768), plain.kept_name(768));
        let prefixed = settings::Embedder { passage_prefix: "doc: ".to_owned(), ..settings() };
        assert_eq!(embedder(prefixed, None).kept_name(768), "remote:m/768/doc: ");
    }

    #[test]
    fn settings_that_cannot_work_are_told_before_anything_is_sent() {
        let fault = |settings| embedder(settings, None).try_out(Duration::ZERO).unwrap_err();
        assert_eq!(
            fault(settings::Embedder { url: "ftp://a".into(), ..settings() }),
            Fault::NoAddress
        );
        assert_eq!(fault(settings::Embedder { model: " ".into(), ..settings() }), Fault::NoModel);
        let keyed = settings::Embedder { key_env: "K".into(), ..settings() };
        assert_eq!(fault(keyed), Fault::NoKey("K".into()));
        let long = settings::Embedder { dimensions: 5_000, ..settings() };
        assert_eq!(fault(long), Fault::TooManyDimensions(5_000));
    }

    #[test]
    fn neither_address_nor_answer_shows_a_secret() {
        let url = "https://user:pass@host:1/v1?key=x".to_owned();
        let with_key = embedder(settings::Embedder { url, ..settings() }, Some("abc-123"));
        assert_eq!(with_key.server(), "https://host:1");
        assert_eq!(with_key.said(br#"{"error":"bad key abc-123"}"#), ": bad key [key]");
    }
}
