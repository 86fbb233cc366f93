//! Replays past conversations with the current settings: which results would have been replaced, what later calls used of
//! them, and what that would have cost.
//!
//! - `conversation`: a transcript as requests to the model and what entered its context between them;
//! - `replacement`: what the hooks would have made of a result;
//! - `terms`, `uses`: what later calls took over from a result, and where they would have found it;
//! - `costs`, `tally`: what it cost, and sums of all this;
//! - [`text`], [`data`]: a table for a terminal, and JSON; [`report`]: a document with plots.
//!
//! A transcript contains what the model was shown of a result, maybe cut by the host; nothing beyond that is counted. The
//! method is explained in `docs/concepts/replay.md`.

mod conversation;
mod costs;
pub mod data;
mod replacement;
pub mod report;
mod tally;
mod terms;
pub mod text;
mod uses;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use forebay_domain::billing::{Difference, PriceList};
use forebay_domain::tokens;

use self::conversation::{Content, Conversation, PastCall};
use self::costs::Costs;
use self::replacement::{Outcome, Replacement};
use self::uses::{Use, Uses};
use crate::ingest::import::find::Transcript;
use crate::ingest::import::{TranscriptSelection, find};
use crate::{App, AppError, Call};

pub use self::costs::Gain;
pub use self::replacement::KeptBecause;
pub use self::tally::{NextActions, Tally};
pub use self::uses::Fate;

/// What a replay found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replay {
    /// Tokens of the tool list, which is part of every prompt.
    pub tool_list_tokens: u64,
    /// The settings that decide what is replaced, and by how much.
    pub threshold: u64,
    pub budget: u64,
    pub transcripts: u64,
    /// Transcripts of other projects, which were left out.
    pub elsewhere: u64,
    /// Transcripts that cannot be read, and why.
    pub faults: Vec<String>,
    /// One per context: of an agent, or of a subagent.
    pub conversations: Vec<ConversationRow>,
    pub tools: BTreeMap<String, Tally>,
    pub recognizers: BTreeMap<String, Tally>,
    /// The results that would have been replaced, in order.
    pub replaced: Vec<ReplacedRow>,
    pub hosts: BTreeSet<&'static str>,
}

/// A result that would have been replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedRow {
    /// The index of its conversation.
    pub conversation: usize,
    /// The index of its call there.
    pub call: usize,
    pub tool: String,
    pub recognizer: &'static str,
    pub total: Tally,
}

/// What became of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationRow {
    pub host: &'static str,
    pub requests: u64,
    /// Requests of which the host recorded no usage.
    pub without_usage: u64,
    pub compactions: u64,
    /// Whether the host recorded the usage of its requests.
    pub has_usage: bool,
    /// What its requests were billed for.
    pub billed: Gain,
    /// What the list of Forebay's tools would have cost.
    pub tool_list: Gain,
    pub total: Tally,
}

impl ConversationRow {
    /// What digests would have saved, minus all costs.
    pub fn net(&self) -> Difference {
        let tokens =
            self.total.gross.tokens - self.total.reread_cost.tokens - self.tool_list.tokens;
        let money = self
            .is_priced()
            .then(|| self.total.gross.money - self.total.reread_cost.money - self.tool_list.money);
        Difference { tokens, money }
    }

    pub fn is_priced(&self) -> bool {
        self.billed.priced > 0
    }
}

impl Replay {
    /// Sums over all results.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.tools.values().for_each(|tally| total.merge(tally));
        total
    }

    /// Sums a gain over the conversations.
    pub fn sum(&self, gain: impl Fn(&ConversationRow) -> Gain) -> Gain {
        let mut sum = Gain::default();
        self.conversations.iter().for_each(|row| sum.merge(gain(row)));
        sum
    }

    /// What remains of the savings; each conversation counts as one part.
    pub fn net(&self) -> Gain {
        let mut sum = Gain::default();
        self.conversations.iter().for_each(|row| sum.add(row.net()));
        sum
    }
}

/// What a replay assumes beside the settings.
#[derive(Debug, Clone, Copy)]
pub struct Assumptions {
    /// Tokens of the list of Forebay's tools, as a host shows it to its model.
    pub tool_list_tokens: u64,
}

/// Reads the selected transcripts and stores nothing; `progress` receives the bytes read and their total.
pub fn replay(
    app: &App,
    wanted: &TranscriptSelection,
    assumptions: Assumptions,
    call: &Call,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Replay, AppError> {
    let found = find::transcripts(app, wanted, call)?;
    let mut replayer = Replayer {
        app,
        prices: app.settings.prices.list(),
        seen_calls: HashSet::new(),
        seen_requests: HashSet::new(),
        replay: Replay {
            tool_list_tokens: assumptions.tool_list_tokens,
            threshold: app.settings.hooks.threshold,
            budget: app.settings.digest.budget,
            elsewhere: found.elsewhere,
            faults: found.faults,
            ..Replay::default()
        },
    };
    let total = found.transcripts.iter().map(|transcript| transcript.bytes).sum();
    let mut before = 0;
    for transcript in &found.transcripts {
        replayer.read(transcript);
        before += transcript.bytes;
        progress(before, total);
    }
    Ok(replayer.replay)
}

/// Replays transcripts one by one.
struct Replayer<'a> {
    app: &'a App,
    prices: PriceList,
    /// Calls and requests of the transcripts before: a host that continues a conversation in a new file copies them.
    seen_calls: HashSet<u64>,
    seen_requests: HashSet<u64>,
    replay: Replay,
}

impl Replayer<'_> {
    fn read(&mut self, transcript: &Transcript) {
        match conversation::read_all(transcript) {
            Ok(conversations) => {
                self.replay.transcripts += 1;
                self.replay.hosts.insert(transcript.platform.name);
                for conversation in &conversations {
                    self.replay_one(conversation);
                }
            }
            Err(error) => {
                self.replay.faults.push(format!("{}: {}", transcript.name(), error.message));
            }
        }
    }

    fn replay_one(&mut self, conversation: &Conversation) {
        let outcomes = outcomes(self.app, conversation);
        let uses = uses::find(conversation, &outcomes);
        let costs = Costs::new(conversation, self.repeated_requests(conversation), &self.prices);
        let billed = costs.billed();
        let mut row = ConversationRow {
            host: conversation.platform.name,
            requests: billed.requests,
            without_usage: billed.without_usage,
            compactions: compactions(conversation),
            has_usage: costs.has_usage(),
            ..ConversationRow::default()
        };
        row.billed.add(billed.cost);
        row.tool_list.add(costs.carried_always(self.replay.tool_list_tokens));
        let rereads = rereads(conversation, &costs, &uses);
        for (index, call) in conversation.calls.iter().enumerate() {
            let Some(outcome) = &outcomes[index] else { continue };
            let is_new = self.seen_calls.insert(identity(conversation, call));
            let result = PastResultCosts { costs: &costs, reread: rereads.get(&index).copied() };
            let tally = result.tally(call, outcome, &uses, index, is_new);
            let tool = self.app.redaction.name(&call.tool);
            row.total.merge(&tally);
            self.replay.tools.entry(tool.clone()).or_default().merge(&tally);
            if let Outcome::Replaced(Replacement { recognizer, .. }) = outcome {
                let of_recognizer = self.replay.recognizers.entry((*recognizer).to_owned());
                of_recognizer.or_default().merge(&tally);
                let conversation = self.replay.conversations.len();
                let total = tally;
                let row = ReplacedRow { conversation, call: index, tool, recognizer, total };
                self.replay.replaced.extend(is_new.then_some(row));
            }
        }
        self.replay.conversations.push(row);
    }

    /// The number of requests at the start that an earlier transcript contains, too.
    fn repeated_requests(&mut self, conversation: &Conversation) -> usize {
        let known = |request: &conversation::Request| {
            // Without an id, equal requests of two conversations cannot be told apart.
            let id = request.id.as_ref()?;
            Some(hash(&(conversation.platform.id, id, request.at, &request.model)))
        };
        let hashes: Vec<Option<u64>> = conversation.requests.iter().map(known).collect();
        let is_seen =
            |hash: &&Option<u64>| hash.is_some_and(|hash| self.seen_requests.contains(&hash));
        let repeated = hashes.iter().take_while(is_seen).count();
        self.seen_requests.extend(hashes.into_iter().flatten());
        repeated
    }
}

/// What the hooks would have made of each call's result; `None` without one.
fn outcomes(app: &App, conversation: &Conversation) -> Vec<Option<Outcome>> {
    let mut outcomes: Vec<Option<Outcome>> = Vec::new();
    outcomes.resize_with(conversation.calls.len(), || None);
    let mut request = None;
    for step in &conversation.steps {
        match &step.content {
            Content::Asked(text) if replacement::tells_intent(text) => {
                request = Some(text.as_str());
            }
            Content::Result(index) => {
                let call = &conversation.calls[*index];
                outcomes[*index] = call.result.as_ref().map(|result| {
                    replacement::outcome(app, conversation.platform, call, result, request)
                });
            }
            _ => {}
        }
    }
    outcomes
}

/// Results that would have been read again, by call: where a call first names something that the digest does not show.
/// Several that one call needs are one more turn.
fn rereads(
    conversation: &Conversation,
    costs: &Costs<'_>,
    uses: &Uses,
) -> BTreeMap<usize, Difference> {
    let mut turns = BTreeSet::new();
    let mut found = BTreeMap::new();
    let is_missing = |used: &&Use| matches!(used.fate, Fate::OneCallAway | Fate::Lost);
    for used in uses.uses.iter().filter(is_missing) {
        let Some(result) = &conversation.calls[used.source].result else { continue };
        found.entry(used.source).or_insert_with(|| {
            let step = conversation.calls[used.by].step;
            let mut cost = costs.carried_by_caller(tokens::estimate(&result.text), step);
            if let Some((turn, extra)) = costs.extra_turn(step)
                && turns.insert(turn)
            {
                cost.add(extra);
            }
            cost
        });
    }
    found
}

/// What the result of one call cost, and would have cost.
struct PastResultCosts<'a> {
    costs: &'a Costs<'a>,
    reread: Option<Difference>,
}

impl PastResultCosts<'_> {
    /// The sums over this one result. A repeated one is only carried on.
    fn tally(
        &self,
        call: &PastCall,
        outcome: &Outcome,
        uses: &Uses,
        index: usize,
        is_new: bool,
    ) -> Tally {
        let mut tally = Tally::default();
        let Some(result) = &call.result else { return tally };
        let shown = tokens::estimate(&result.text);
        if let Outcome::Replaced(replacement) = outcome {
            let kept_out = shown.saturating_sub(replacement.tokens());
            tally.gross.add(self.costs.carried(kept_out, result.step));
            if let Some(cost) = self.reread {
                tally.rereads = 1;
                tally.reread_cost.add(cost);
            }
        }
        if !is_new {
            return tally;
        }
        tally.calls = 1;
        tally.shown = shown;
        match outcome {
            Outcome::Kept(reason) => drop(tally.kept.insert(*reason, 1)),
            Outcome::Replaced(replacement) => {
                tally.replaced = 1;
                tally.replaced_tokens = shown;
                tally.digest_tokens = replacement.tokens().min(shown);
            }
        }
        for used in uses.uses.iter().filter(|used| used.source == index) {
            *tally.uses.entry(used.fate).or_default() += 1;
        }
        let actions = uses.next_actions.iter().filter(|action| action.source == index);
        actions.for_each(|action| tally.next_actions.add(*action));
        tally
    }
}

fn compactions(conversation: &Conversation) -> u64 {
    let steps = conversation.steps.iter();
    steps.filter(|step| matches!(step.content, Content::Compaction)).count() as u64
}

/// Tells a call from all others, also of other transcripts.
fn identity(conversation: &Conversation, call: &PastCall) -> u64 {
    let result = call.result.as_ref().map(|result| &result.text);
    hash(&(conversation.platform.id, &call.id, &call.texts, result))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
