//! What the texts of a past conversation cost, by what its requests were billed for.

use std::ops::Range;

use forebay_domain::Timestamp;
use forebay_domain::billing::{
    BilledRequest, Context, Cost, Difference, Money, Position, PriceList,
};

use super::conversation::{Content, Conversation};

/// The costs in one context.
pub(super) struct Costs<'a> {
    conversation: &'a Conversation,
    /// The number of requests that an earlier transcript contains, too: what they cost is counted there.
    repeated: usize,
    /// `None` if the host recorded no usage.
    billing: Option<Billing>,
}

struct Billing {
    whole: Context,
    /// The repeated requests alone.
    repeated: Context,
    /// For each request, how many with recorded usage come before it; at the end, their number.
    billed_before: Vec<usize>,
    is_priced: bool,
}

/// Requests with what they were billed for, and the tokens of all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Billed {
    pub(super) requests: u64,
    pub(super) without_usage: u64,
    pub(super) cost: Difference,
}

impl<'a> Costs<'a> {
    pub(super) fn new(conversation: &'a Conversation, repeated: usize, prices: &PriceList) -> Self {
        let has_usage = conversation.requests.iter().any(|request| request.tokens.is_some());
        let billing = has_usage.then(|| Billing::new(conversation, repeated, prices));
        Self { conversation, repeated, billing }
    }

    pub(super) fn has_usage(&self) -> bool {
        self.billing.is_some()
    }

    pub(super) fn billed(&self) -> Billed {
        let requests = &self.conversation.requests[self.repeated..];
        let without_usage = requests.iter().filter(|request| request.tokens.is_none()).count();
        let cost = match &self.billing {
            Some(billing) => billing.without_repeated(Context::billed),
            None => Difference { tokens: 0, money: None },
        };
        let requests = requests.len() as u64;
        Billed { requests, without_usage: without_usage as u64, cost }
    }

    /// What `tokens` tokens cost that entered the context with a step, in all prompts that contained them.
    ///
    /// Without recorded usage, they are counted once for each request until the next compaction.
    pub(super) fn carried(&self, tokens: u64, step: usize) -> Difference {
        self.carried_by(self.conversation.readers(step), tokens)
    }

    /// What `tokens` tokens cost that were fetched for the request that made the call of a step.
    pub(super) fn carried_by_caller(&self, tokens: u64, step: usize) -> Difference {
        let readers = self.conversation.readers(step);
        self.carried_by(readers.start.saturating_sub(1)..readers.end, tokens)
    }

    fn carried_by(&self, readers: Range<usize>, tokens: u64) -> Difference {
        if let Some(billing) = &self.billing {
            return billing.carried(tokens, billing.billed_before[readers.start]);
        }
        let requests = readers.end.saturating_sub(readers.start.max(self.repeated));
        unpriced(tokens * requests as u64)
    }

    /// What a text at the start of every prompt cost.
    pub(super) fn carried_always(&self, tokens: u64) -> Difference {
        match &self.billing {
            Some(billing) => {
                billing.without_repeated(|context| context.carrying_cost(tokens, Position::Start))
            }
            None => unpriced(tokens * (self.conversation.requests.len() - self.repeated) as u64),
        }
    }

    /// What one more request cost before the one that made the call of a step; with the request it would have repeated.
    ///
    /// Without recorded usage it is unknown, and not counted.
    pub(super) fn extra_turn(&self, step: usize) -> Option<(usize, Difference)> {
        // The request that made the call is the last one before the step.
        let caller = self.conversation.steps[step].reader.checked_sub(1)?;
        let billing = self.billing.as_ref().filter(|_| caller >= self.repeated)?;
        let before = billing.billed_before[caller].checked_sub(1)?;
        let cost = billing.whole.extra_turn_cost(before)?;
        Some((before, billing.priced(cost.more_than(Cost::default()))))
    }
}

impl Billing {
    fn new(conversation: &Conversation, repeated: usize, prices: &PriceList) -> Self {
        let mut billed_before = vec![0];
        for request in &conversation.requests {
            let before = billed_before.last().copied().unwrap_or_default();
            billed_before.push(before + usize::from(request.tokens.is_some()));
        }
        let billed = conversation.requests.iter().filter_map(|request| {
            let model = request.model.clone().unwrap_or_default();
            Some((model, request.tokens?))
        });
        // The order tells which request read what: not the clock, by which a result and a request may coincide.
        let requests: Vec<BilledRequest> = (0..)
            .zip(billed)
            .map(|(index, (model, tokens))| BilledRequest { at: at_request(index), model, tokens })
            .collect();
        let is_compaction = |content: &Content| matches!(content, Content::Compaction);
        let compacted = conversation.steps.iter().filter(|step| is_compaction(&step.content));
        let compactions: Vec<Timestamp> =
            compacted.map(|step| before_request(billed_before[step.reader])).collect();
        let first = requests[..billed_before[repeated]].to_vec();
        let whole = Context::new(requests, &compactions, prices);
        let is_priced = whole.unpriced_models().next().is_none();
        let repeated = Context::new(first, &compactions, prices);
        Self { whole, repeated, billed_before, is_priced }
    }

    fn carried(&self, tokens: u64, position: usize) -> Difference {
        self.without_repeated(|context| context.carrying_cost(tokens, Position::From(position)))
    }

    fn without_repeated(&self, cost: impl Fn(&Context) -> Cost) -> Difference {
        self.priced(cost(&self.whole).more_than(cost(&self.repeated)))
    }

    /// Money is stated only if it is known for the whole conversation.
    fn priced(&self, difference: Difference) -> Difference {
        Difference { money: difference.money.filter(|_| self.is_priced), ..difference }
    }
}

fn at_request(index: usize) -> Timestamp {
    Timestamp(2 * index as i64)
}

fn before_request(index: usize) -> Timestamp {
    Timestamp(2 * index as i64 - 1)
}

fn unpriced(tokens: u64) -> Difference {
    Difference { tokens: tokens as i64, money: None }
}

/// A sum of gains, or of losses if negative. Money is summed where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gain {
    pub tokens: i64,
    /// Of the `priced` parts.
    pub money: Money,
    /// The parts whose price is known.
    pub priced: u64,
    /// The parts whose price is unknown.
    pub unpriced: u64,
}

impl Gain {
    /// The money of all parts with a known price; `None` if there are parts, and none has one.
    pub fn known_money(self) -> Option<Money> {
        (self.priced > 0 || self.unpriced == 0).then_some(self.money)
    }

    /// A cost as a loss.
    #[must_use]
    pub(super) fn negated(self) -> Self {
        Self { tokens: -self.tokens, money: -self.money, ..self }
    }

    pub(super) fn add(&mut self, part: Difference) {
        self.tokens += part.tokens;
        match part.money {
            Some(money) => {
                self.money += money;
                self.priced += 1;
            }
            None => self.unpriced += 1,
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.money += other.money;
        self.priced += other.priced;
        self.unpriced += other.unpriced;
    }
}
