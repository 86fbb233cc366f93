//! What each treated result cost, and what it led to: re-reads and repeated commands.

use std::collections::{BTreeMap, BTreeSet};

use forebay_domain::billing::{Context, Cost, Difference, PriceList, Span};
use forebay_domain::treatment::{Shown, Treatment};
use forebay_domain::usage::Answered;
use forebay_domain::{Reference, Timestamp};
use forebay_store::SessionLedger;

use super::account::REREAD;

pub(crate) type Ledgers = BTreeMap<String, SessionLedger>;
pub(crate) type Contexts<'a> = BTreeMap<&'a str, Context>;

/// A treated result with all that it caused. Nothing is counted for two results.
#[derive(Debug)]
pub(super) struct Use<'a> {
    pub(super) treatment: &'a Treatment,
    /// Whether a known request carried it.
    pub(super) is_billed: bool,
    /// What the shown text cost in all requests that carried it.
    pub(super) carried: Cost,
    /// What the raw result would have cost there, less that.
    pub(super) gross: Difference,
    pub(super) rereads: u64,
    /// Tokens of the text that was read again, and what carrying it cost.
    pub(super) reread_tokens: u64,
    pub(super) reread: Cost,
    pub(super) is_repeated: bool,
    /// What the raw results of the repeated command would cost: without the digest it might not have run again, so what
    /// their digests saved is no gain.
    pub(super) repeat_tokens: u64,
    pub(super) repeat: Cost,
    /// The requests that only read the result again or ran the command again.
    pub(super) extra_turns: Cost,
}

/// The contexts of sessions, of which requests in a span of time count.
pub(crate) fn contexts<'a>(
    ledgers: impl IntoIterator<Item = (&'a String, &'a SessionLedger)>,
    prices: &PriceList,
    span: Span,
) -> Contexts<'a> {
    let context = |ledger: &SessionLedger| {
        Context::new(ledger.requests.clone(), &ledger.compactions, prices).within(span)
    };
    ledgers.into_iter().map(|(session, ledger)| (&**session, context(ledger))).collect()
}

/// Limits contexts to another span of time.
pub(crate) fn limit_to(contexts: &mut Contexts<'_>, span: Span) {
    for context in contexts.values_mut() {
        context.limit_to(span);
    }
}

/// The treated results since a time, the earliest first.
pub(super) fn uses<'a>(
    ledgers: &'a Ledgers,
    contexts: &'a Contexts<'a>,
    since: Option<Timestamp>,
) -> Vec<Use<'a>> {
    let mut treatments: Vec<&Treatment> = ledgers
        .values()
        .flat_map(|ledger| &ledger.treatments)
        .filter(|one| since.is_none_or(|since| one.at >= since))
        .collect();
    treatments.sort_by_key(|one| one.at);
    let mut consequences = Consequences::new(ledgers, &treatments, contexts);
    treatments.into_iter().map(|treatment| consequences.assign_to(treatment)).collect()
}

/// What followed results, by the result.
struct Consequences<'a> {
    contexts: &'a Contexts<'a>,
    rereads: BTreeMap<Reference, Vec<(&'a str, u64, Timestamp)>>,
    repeats: BTreeMap<Reference, Vec<&'a Treatment>>,
    /// The extra turns that are counted already, by session and number.
    counted_turns: BTreeSet<(&'a str, usize)>,
}

impl<'a> Consequences<'a> {
    fn new(ledgers: &'a Ledgers, treatments: &[&'a Treatment], contexts: &'a Contexts<'a>) -> Self {
        let mut rereads: BTreeMap<Reference, Vec<_>> = BTreeMap::new();
        let is_reread = |answered: &Answered| answered.tool == REREAD;
        for (session, ledger) in ledgers {
            for (answered, at) in ledger.answers.iter().filter(|(one, _)| is_reread(one)) {
                let Some(entry) = answered.entry else { continue };
                rereads.entry(entry).or_default().push((
                    &**session,
                    answered.delivered_tokens,
                    *at,
                ));
            }
        }
        let mut repeats: BTreeMap<Reference, Vec<&Treatment>> = BTreeMap::new();
        for treatment in treatments {
            if let Some(earlier) = treatment.repeats {
                repeats.entry(earlier).or_default().push(treatment);
            }
        }
        Self { contexts, rereads, repeats, counted_turns: BTreeSet::new() }
    }

    fn assign_to(&mut self, treatment: &'a Treatment) -> Use<'a> {
        let raw = self.carried(&treatment.session, treatment.at, treatment.host_tokens);
        let shown = self.carried(&treatment.session, treatment.at, treatment.shown_tokens());
        let mut found = Use {
            treatment,
            is_billed: raw.tokens.total() > 0,
            carried: shown,
            gross: raw.more_than(shown),
            rereads: 0,
            reread_tokens: 0,
            reread: Cost::default(),
            is_repeated: false,
            repeat_tokens: 0,
            repeat: Cost::default(),
            extra_turns: Cost::default(),
        };
        for (session, tokens, at) in self.rereads.remove(&treatment.reference).unwrap_or_default() {
            found.rereads += 1;
            found.reread_tokens += tokens;
            found.reread.add(self.carried(session, at, tokens));
            found.extra_turns.add(self.extra_turn(session, at));
        }
        for again in self.repeats.remove(&treatment.reference).unwrap_or_default() {
            found.is_repeated = true;
            found.repeat_tokens += again.host_tokens;
            found.repeat.add(self.carried(&again.session, again.at, again.host_tokens));
            found.extra_turns.add(self.extra_turn(&again.session, again.at));
        }
        found
    }

    /// What carrying `tokens` tokens cost that entered a session's context at a time.
    fn carried(&self, session: &str, at: Timestamp, tokens: u64) -> Cost {
        let context = self.contexts.get(session);
        let place = context.and_then(|context| Some((context, context.entered(at)?)));
        place.map_or_else(Cost::default, |(context, at)| context.carrying_cost(tokens, at))
    }

    /// What the request cost that made the call which was answered at a time, unless it is counted already.
    fn extra_turn(&mut self, session: &'a str, at: Timestamp) -> Cost {
        let context = self.contexts.get(session);
        let turn = context.and_then(|context| Some((context, context.caller(at)?)));
        let turn = turn.filter(|(_, index)| self.counted_turns.insert((session, *index)));
        turn.and_then(|(context, index)| context.extra_turn_cost(index)).unwrap_or_default()
    }
}

impl Use<'_> {
    /// What the digest saved, less what it led to.
    pub(super) fn net(&self) -> Difference {
        let mut cost = self.caused();
        cost.add(self.repeat);
        self.gross.minus(cost.more_than(Cost::default()))
    }

    /// What re-reads and repetitions cost beside the result itself.
    pub(super) fn caused(&self) -> Cost {
        let mut cost = self.reread;
        cost.add(self.extra_turns);
        cost
    }

    /// Tokens that stayed out of the context, each counted once.
    pub(super) fn kept_out(&self) -> i64 {
        let saved = self.treatment.host_tokens as i64 - self.treatment.shown_tokens() as i64;
        saved - self.reread_tokens as i64 - self.repeat_tokens as i64
    }

    pub(super) fn is_digest(&self) -> bool {
        self.treatment.shown == Shown::Digest
    }
}
