//! How often the texts in a model's context were paid for.
//!
//! A text that enters a context is part of the prompt of each later request until a compaction. Whether a request paid
//! the full price for it or that of the cache is not modelled from the clock: it follows from what the provider billed.

use super::cost::Cost;
use super::prices::{PriceList, Rates};
use crate::Timestamp;
use crate::usage::BilledTokens;

/// A request of one context: of the main conversation or of one subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BilledRequest {
    /// When it started or its answer began: after all that its prompt contains, and before the results of its calls.
    pub at: Timestamp,
    pub model: String,
    pub tokens: BilledTokens,
}

/// The requests of one context in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    requests: Vec<Request>,
    /// Requests at other times cost nothing here.
    span: Span,
}

/// A part of time: from `since`, before `until`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

impl Span {
    pub const fn since(since: Option<Timestamp>) -> Self {
        Self { since, until: None }
    }

    pub fn contains(self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Request {
    at: Timestamp,
    model: String,
    tokens: BilledTokens,
    rates: Option<Rates>,
    /// Equal for requests in a row at equal prices.
    price_run: usize,
    /// The first of the context, or after a compaction.
    is_first: bool,
    /// The last compaction since the request before.
    compacted: Option<Timestamp>,
    /// Tokens of the prompt in front of what is new in this request.
    before: u64,
}

/// Where a text stands in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// At the start of every prompt, whatever is compacted: the list of tools.
    Start,
    /// In the prompts from the request with this index to the next compaction.
    From(usize),
}

impl Context {
    /// Sorts `requests` by time. What was in the context at one of the `compactions` is not in later prompts.
    pub fn new(
        mut requests: Vec<BilledRequest>,
        compactions: &[Timestamp],
        prices: &PriceList,
    ) -> Self {
        requests.sort_by_key(|request| request.at);
        let mut context =
            Self { requests: Vec::with_capacity(requests.len()), span: Span::default() };
        for BilledRequest { at, model, tokens } in requests {
            let previous = context.requests.last();
            let is_between = |compacted: &Timestamp| {
                *compacted <= at && previous.is_none_or(|previous| previous.at < *compacted)
            };
            let compacted = compactions.iter().copied().filter(is_between).max();
            let is_first = previous.is_none() || compacted.is_some();
            let before = before(previous.filter(|_| !is_first), tokens);
            let rates = prices.price(&model).map(|price| *price.rates_of(tokens));
            let price_run = previous
                .map_or(0, |previous| previous.price_run + usize::from(previous.rates != rates));
            context.requests.push(Request {
                at,
                model,
                tokens,
                rates,
                price_run,
                is_first,
                compacted,
                before,
            });
        }
        context
    }

    /// The same context, of which only what requests cost in a span of time is counted.
    #[must_use]
    pub fn within(mut self, span: Span) -> Self {
        self.limit_to(span);
        self
    }

    /// From now on, counts only what requests cost in a span of time.
    pub fn limit_to(&mut self, span: Span) {
        self.span = span;
    }

    /// Whether what happened at a time is counted.
    pub fn counts(&self, at: Timestamp) -> bool {
        self.span.contains(at)
    }

    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Where a text stands that entered the context at a time; `None` if no request has contained it: none yet, or none
    /// before the context was compacted.
    pub fn entered(&self, at: Timestamp) -> Option<Position> {
        let index = self.requests.partition_point(|request| request.at <= at);
        let request = self.requests.get(index)?;
        let is_summarized = request.compacted.is_some_and(|compacted| at < compacted);
        (!is_summarized).then_some(Position::From(index))
    }

    /// What all requests were billed for.
    pub fn billed(&self) -> Cost {
        let mut sum = Cost::default();
        for request in self.requests.iter().filter(|request| self.counts(request.at)) {
            sum.add(request.cost(request.tokens));
        }
        sum
    }

    /// How many requests there were.
    pub fn request_count(&self) -> u64 {
        self.requests.iter().filter(|request| self.counts(request.at)).count() as u64
    }

    /// The models whose prices are unknown.
    pub fn unpriced_models(&self) -> impl Iterator<Item = &str> {
        self.requests
            .iter()
            .filter(|request| request.rates.is_none() && self.counts(request.at))
            .map(|request| request.model.as_str())
    }

    /// What `tokens` tokens of a text cost that stood in the context: the first time as new input, then at the price of
    /// the cache, and again in full where the provider had to read them anew.
    pub fn carrying_cost(&self, tokens: u64, position: Position) -> Cost {
        let mut sum = Cost::default();
        // Priced together while the prices are equal: a long session has tens of thousands of texts times requests.
        let mut run: Option<(&Request, BilledTokens)> = None;
        let counted = self.requests_with(position).filter(|(request, _)| self.counts(request.at));
        for (request, before) in counted {
            let billed = request.kind(before).count(tokens);
            match &mut run {
                Some((first, total)) if first.price_run == request.price_run => total.add(billed),
                _ => {
                    let ended = run.replace((request, billed));
                    sum.add(ended.map_or_else(Cost::default, |(first, total)| first.cost(total)));
                }
            }
        }
        sum.add(run.map_or_else(Cost::default, |(first, total)| first.cost(total)));
        sum
    }

    /// What a request cost that the agent made only because of a call: its output, and its prompt once more in the next
    /// request, as that was billed. `None` if there is no such request.
    pub fn extra_turn_cost(&self, index: usize) -> Option<Cost> {
        let request = self.requests.get(index).filter(|request| self.counts(request.at))?;
        let output = BilledTokens { output: request.tokens.output, ..BilledTokens::default() };
        let mut cost = request.cost(output);
        if let Some(next) = self.requests.get(index + 1).filter(|next| !next.is_first) {
            let prompt = request.tokens.prompt();
            let cached = prompt.min(next.tokens.cache_read);
            cost.add(next.cost(Kind::CacheRead.count(cached)));
            cost.add(next.cost(next.uncached().count(prompt - cached)));
        }
        Some(cost)
    }

    /// The index of the last request before a time: the one that made a call which was answered then.
    pub fn caller(&self, at: Timestamp) -> Option<usize> {
        self.requests.partition_point(|request| request.at <= at).checked_sub(1)
    }

    /// How many requests were made after a time and before another one.
    pub fn requests_between(&self, from: Timestamp, to: Option<Timestamp>) -> u64 {
        let is_between =
            |request: &&Request| request.at > from && to.is_none_or(|to| request.at < to);
        self.requests.iter().filter(is_between).count() as u64
    }

    /// The requests whose prompt contains a text, each with the tokens before it; `None` where the text is new.
    fn requests_with(&self, position: Position) -> impl Iterator<Item = (&Request, Option<u64>)> {
        let (start, before) = match position {
            Position::Start => (0, 0),
            Position::From(index) => {
                (index, self.requests.get(index).map_or(0, |request| request.before))
            }
        };
        let is_start = position == Position::Start;
        // A prompt that ends where the text began cannot contain it: it left the context without a report of it.
        let contains = move |(index, request): &(usize, &Request)| {
            is_start || *index == start || !request.is_first && request.tokens.prompt() > before
        };
        let is_new = move |index: usize| !is_start && index == start;
        self.requests
            .iter()
            .enumerate()
            .skip(start)
            .take_while(contains)
            .map(move |(index, request)| (request, (!is_new(index)).then_some(before)))
    }
}

/// The tokens in front of what is new in a request.
fn before(previous: Option<&Request>, tokens: BilledTokens) -> u64 {
    match previous.map(|previous| previous.tokens.prompt()) {
        Some(prompt) if prompt <= tokens.prompt() => prompt,
        // What the provider had cached before the first request belongs to the host; the rest is new.
        _ => tokens.cache_read,
    }
}

impl Request {
    fn cost(&self, tokens: BilledTokens) -> Cost {
        Cost::new(tokens, self.rates.as_ref())
    }

    /// As what the provider billed a text with `before` tokens in front of it; `None` for a new text.
    fn kind(&self, before: Option<u64>) -> Kind {
        match before {
            Some(before) if self.tokens.cache_read > before => Kind::CacheRead,
            _ => self.uncached(),
        }
    }

    /// As what the provider billed most of the tokens that it did not read from the cache.
    fn uncached(&self) -> Kind {
        let BilledTokens { input, cache_write, cache_write_1h, .. } = self.tokens;
        if cache_write > 0 && cache_write >= input.max(cache_write_1h) {
            Kind::CacheWrite
        } else if cache_write_1h > 0 && cache_write_1h >= input {
            Kind::CacheWrite1h
        } else {
            Kind::Input
        }
    }
}

/// The kinds of prompt tokens, by price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Input,
    CacheRead,
    CacheWrite,
    CacheWrite1h,
}

impl Kind {
    fn count(self, tokens: u64) -> BilledTokens {
        let none = BilledTokens::default();
        match self {
            Self::Input => BilledTokens { input: tokens, ..none },
            Self::CacheRead => BilledTokens { cache_read: tokens, ..none },
            Self::CacheWrite => BilledTokens { cache_write: tokens, ..none },
            Self::CacheWrite1h => BilledTokens { cache_write_1h: tokens, ..none },
        }
    }
}

#[cfg(test)]
mod tests;
