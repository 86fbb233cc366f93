//! Decides what the model gets of a long result, and records each decision.
//!
//! It gets the digest; or the raw result, because digests of its recognizer cost more than they saved in this project, or
//! because the result was held out for the comparison of both.

use forebay_domain::hook::ToolCall;
use forebay_domain::treatment::{Shown, Treatment};
use forebay_domain::usage::host_tokens;
use forebay_domain::{Entry, EventKind, Reference, tokens};
use forebay_store::{CommandRunPage, EventPage, NewCommandRun};

use crate::{Answer, App, AppError};

/// The recognizer of a digest whose lines were all chosen by the line ranker.
pub(crate) const NO_RECOGNIZER: &str = "none";

/// Marks a call whose result stays raw, for the next event about it.
const RAW: &str = "raw";
/// Characters of a call's hash in its mark.
const HASH_CHARS: usize = 16;

/// A call whose result can be replaced.
pub(crate) struct TreatedCall<'a> {
    pub(crate) call: &'a ToolCall,
    /// The call with its arguments.
    pub(crate) line: &'a str,
}

/// Its stored result, of which there is a digest.
pub(crate) struct TreatedResult {
    reference: Reference,
    sequence: i64,
    title: String,
    recognizer: &'static str,
    command: Option<NewCommandRun>,
}

impl TreatedResult {
    pub(crate) fn new(
        entry: &Entry,
        recognizers: &[&'static str],
        command: Option<&NewCommandRun>,
    ) -> Self {
        Self {
            reference: entry.reference,
            sequence: entry.sequence,
            title: entry.title.clone(),
            recognizer: recognizers.first().copied().unwrap_or(NO_RECOGNIZER),
            command: command.cloned(),
        }
    }
}

impl TreatedCall<'_> {
    /// Whether the event before left the result of this call raw: it is not decided about again.
    pub(crate) fn was_kept_raw(&self, agent: &App) -> Result<bool, AppError> {
        let Some(mark) = self.mark(agent) else { return Ok(false) };
        Ok(agent.stores.own()?.unmark(&agent.session, &mark)?)
    }

    /// Decides what the model of `agent` gets instead of `answer`, which has the digest.
    ///
    /// A decision that cannot be recorded is for the digest: nothing is held out uncounted.
    pub(crate) fn treat(&self, agent: &App, result: &TreatedResult, answer: &Answer) -> Shown {
        self.decide(agent, result, answer).unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot record what the model gets of a result");
            Shown::Digest
        })
    }

    fn decide(
        &self,
        agent: &App,
        result: &TreatedResult,
        answer: &Answer,
    ) -> Result<Shown, AppError> {
        let store = agent.stores.own()?;
        let shown = self.shown(agent, result.recognizer)?;
        store.record_treatment(&Treatment {
            at: agent.now(),
            session: agent.session.clone(),
            reference: result.reference,
            tool: agent.redaction.name(&self.call.name),
            recognizer: result.recognizer.to_owned(),
            shown,
            host_tokens: host_tokens(answer.cost.host_bytes),
            digest_tokens: tokens::estimate(&answer.text),
            repeats: repeated(agent, result)?,
        })?;
        if let Some(mark) = self.mark(agent).filter(|_| shown != Shown::Digest) {
            store.mark(&agent.session, &mark)?;
        }
        Ok(shown)
    }

    fn shown(&self, agent: &App, recognizer: &str) -> Result<Shown, AppError> {
        let is_kept = agent.settings.hooks.keeps_digests_of(recognizer);
        let switched_off = if is_kept { Vec::new() } else { agent.stores.own()?.switched_off()? };
        Ok(if switched_off.iter().any(|off| off.recognizer == recognizer) {
            Shown::Raw
        } else if agent.settings.experiment.holdout.includes(self.hash(agent).as_bytes()) {
            Shown::HeldOut
        } else {
            Shown::Digest
        })
    }

    /// `None` if the host does not name its calls.
    fn mark(&self, agent: &App) -> Option<String> {
        let is_named = self.call.id.as_deref().is_some_and(|id| !id.is_empty());
        is_named.then(|| format!("{RAW} {}", &self.hash(agent).to_hex()[..HASH_CHARS]))
    }

    /// The same for each event about a call. The line is part of it, because some model servers name the first call of every
    /// answer `call_0`.
    fn hash(&self, agent: &App) -> blake3::Hash {
        let id = self.call.id.as_deref().unwrap_or_default();
        let mut hash = blake3::Hasher::new();
        for part in [&*agent.session, id, &self.call.name, self.line] {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hash.finalize()
    }
}

/// The result of the same command that the model had before, if nothing was edited or said since: why run it again?
fn repeated(agent: &App, result: &TreatedResult) -> Result<Option<Reference>, AppError> {
    let Some(command) = &result.command else { return Ok(None) };
    let store = agent.stores.own()?;
    let page = CommandRunPage {
        command: command.command,
        before: result.sequence,
        session: command.session.clone(),
        succeeded_only: false,
        branch: None,
        limit: 1,
    };
    let earlier = store.command_runs(&page)?.pop();
    let Some(earlier) = earlier.filter(|run| run.is_in_context && run.title == result.title) else {
        return Ok(None);
    };
    let changes = EventPage {
        session: Some(agent.session.clone()),
        kinds: vec![EventKind::FileEdited, EventKind::FileWritten, EventKind::Prompt],
        limit: 1,
        ..EventPage::default()
    };
    let last = store.events(&changes)?.pop();
    Ok(last.is_none_or(|event| event.created < earlier.created).then_some(earlier.reference))
}
