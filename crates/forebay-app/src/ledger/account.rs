//! The accounts of sessions: what their requests cost, and what Forebay saved and cost of that.

use std::collections::{BTreeMap, BTreeSet};

use forebay_domain::Timestamp;
use forebay_domain::billing::{Balance, Context, Cost, Delivery, PriceList, Source, Span};
use forebay_domain::session::conversation;
use forebay_domain::usage::{Answered, HOOK_CONTEXT, RequestTotals, TOOL_LIST, Totals};
use forebay_store::SessionLedger;

use super::uses::{Contexts, contexts};

/// The tool that fetches parts of stored outputs.
pub const REREAD: &str = "ctx_get";

/// What sessions cost and saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    pub tools: BTreeMap<String, ToolAccount>,
    pub requests: RequestTotals,
    /// What all requests were billed for.
    pub billed: Cost,
    /// Answers that were shorter than what the host would have shown.
    pub digests: u64,
    /// Answers in contexts without reported requests: what carrying them cost is unknown.
    pub unplaced: u64,
    /// Models of requests whose prices are unknown.
    pub unpriced: BTreeSet<String>,
    /// When tokens were kept out of a context or added to it, and how many.
    pub timeline: Vec<(Timestamp, i64)>,
}

/// What the answers of one tool cost and saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolAccount {
    pub totals: Totals,
    pub balance: Balance,
}

impl Account {
    /// The account of these ledgers, of what happened in a span of time.
    pub fn from_ledgers<'a>(
        ledgers: impl IntoIterator<Item = (&'a String, &'a SessionLedger)>,
        prices: &PriceList,
        span: Span,
    ) -> Self {
        let ledgers: Vec<(&String, &SessionLedger)> = ledgers.into_iter().collect();
        let contexts = contexts(ledgers.iter().copied(), prices, span);
        Self::from_contexts(ledgers, &contexts)
    }

    /// Like [`Self::from_ledgers`], with the contexts of the ledgers, and in the span that these are limited to.
    pub(crate) fn from_contexts<'a>(
        ledgers: impl IntoIterator<Item = (&'a String, &'a SessionLedger)>,
        contexts: &Contexts<'_>,
    ) -> Self {
        let ledgers: Vec<(&String, &SessionLedger)> = ledgers.into_iter().collect();
        let lists = tool_lists(&ledgers);
        let mut account = Self::default();
        for (session, ledger) in ledgers {
            let Some(context) = contexts.get(&**session) else { continue };
            account.add_requests(context);
            account.add_answers(ledger, context);
            if let Some(list) = lists.get(conversation(session)) {
                let balance = Balance::new(context, &[*list]);
                account.tools.entry(TOOL_LIST.to_owned()).or_default().balance.add(&balance);
            }
        }
        account
    }

    fn add_requests(&mut self, context: &Context) {
        let billed = context.billed();
        self.requests.requests += context.request_count();
        self.requests.tokens.add(billed.tokens);
        self.billed.add(billed);
        self.unpriced.extend(context.unpriced_models().map(str::to_owned));
    }

    fn add_answers(&mut self, ledger: &SessionLedger, context: &Context) {
        let mut deliveries: BTreeMap<&str, Vec<Delivery>> = BTreeMap::new();
        for (answered, at) in &ledger.answers {
            if context.counts(*at) {
                self.add_totals(answered, *at);
                self.unplaced += u64::from(context.is_empty());
            }
            if answered.tool != TOOL_LIST {
                deliveries.entry(&answered.tool).or_default().push(delivery(answered, *at));
            }
        }
        for (tool, deliveries) in deliveries {
            let balance = Balance::new(context, &deliveries);
            if self.tools.contains_key(tool) || balance != Balance::default() {
                self.tools.entry(tool.to_owned()).or_default().balance.add(&balance);
            }
        }
    }

    fn add_totals(&mut self, answered: &Answered, at: Timestamp) {
        let totals = answered.totals();
        self.digests += u64::from(answered.host_tokens > answered.delivered_tokens);
        self.tools.entry(answered.tool.clone()).or_default().totals.add(totals);
        self.timeline.push((at, totals.saved()));
    }

    /// The sums over all answers.
    pub fn totals(&self) -> Totals {
        let mut sum = Totals::default();
        self.tools.values().for_each(|tool| sum.add(tool.totals));
        sum
    }

    /// The balance over all answers.
    pub fn balance(&self) -> Balance {
        let mut sum = Balance::default();
        self.tools.values().for_each(|tool| sum.add(&tool.balance));
        sum
    }

    /// How often a part of a stored output was fetched.
    pub fn rereads(&self) -> u64 {
        self.tools.get(REREAD).map_or(0, |tool| tool.totals.answers)
    }
}

/// The largest tool list of each conversation. A host asks for the list whenever it starts, and shows it to the main
/// agent and to each subagent in every request.
fn tool_lists<'a>(ledgers: &[(&'a String, &SessionLedger)]) -> BTreeMap<&'a str, Delivery> {
    let mut lists: BTreeMap<&str, Delivery> = BTreeMap::new();
    for (session, ledger) in ledgers {
        for (answered, at) in ledger.answers.iter().filter(|(one, _)| one.tool == TOOL_LIST) {
            let list =
                lists.entry(conversation(session)).or_insert_with(|| delivery(answered, *at));
            list.delivered_tokens = list.delivered_tokens.max(answered.delivered_tokens);
        }
    }
    lists
}

fn delivery(answered: &Answered, at: Timestamp) -> Delivery {
    let source = match answered.tool.as_str() {
        TOOL_LIST => Source::ToolList,
        HOOK_CONTEXT => Source::Hook,
        REREAD => Source::Reread,
        _ if answered.host_tokens > 0 => Source::Output,
        _ => Source::Answer,
    };
    Delivery {
        at,
        source,
        host_tokens: answered.host_tokens,
        delivered_tokens: answered.delivered_tokens,
    }
}

#[cfg(test)]
mod tests {
    use forebay_domain::billing::{BilledRequest, Money};
    use forebay_domain::usage::BilledTokens;

    use super::*;

    fn request(at: i64, cache_read: u64, cache_write: u64) -> BilledRequest {
        let tokens = BilledTokens { cache_read, cache_write, ..BilledTokens::default() };
        BilledRequest { at: Timestamp(at), model: "claude-sonnet-4-5".to_owned(), tokens }
    }

    fn answer(at: i64, tool: &str, host: u64, delivered: u64) -> (Answered, Timestamp) {
        let answered = Answered {
            tool: tool.to_owned(),
            session: String::new(),
            entry: None,
            raw_tokens: host,
            host_tokens: host,
            delivered_tokens: delivered,
            millis: 1,
        };
        (answered, Timestamp(at))
    }

    fn account(ledgers: &[(&str, SessionLedger)], since: Option<i64>) -> Account {
        let ledgers: BTreeMap<String, SessionLedger> =
            ledgers.iter().map(|(key, ledger)| ((*key).to_owned(), ledger.clone())).collect();
        Account::from_ledgers(&ledgers, &PriceList::default(), Span::since(since.map(Timestamp)))
    }

    fn millionths(dollars: i64) -> Money {
        Money::from_picodollars(dollars * 1_000_000)
    }

    #[test]
    fn a_tool_list_is_paid_by_each_context_and_counted_once() {
        let main = SessionLedger {
            requests: vec![request(10, 0, 9_000), request(20, 9_000, 100)],
            // The host has started the server twice.
            answers: vec![answer(1, TOOL_LIST, 0, 1_000), answer(2, TOOL_LIST, 0, 1_000)],
            ..SessionLedger::default()
        };
        let agent =
            SessionLedger { requests: vec![request(15, 0, 8_000)], ..SessionLedger::default() };
        let account = account(&[("s", main), ("s/agent:a", agent)], None);
        assert_eq!(account.requests.requests, 3);
        // 1,000 * (3.75 + 0.3) and 1,000 * 3.75.
        assert_eq!(account.balance().net().money, Some(millionths(-7_800)));
        assert_eq!(account.balance().net().tokens, -3_000);
        assert_eq!(account.unplaced, 0);
    }

    #[test]
    fn answers_without_requests_are_counted_but_not_placed() {
        let ledger = SessionLedger {
            answers: vec![answer(1, "capture", 5_000, 200)],
            ..SessionLedger::default()
        };
        let account = account(&[("s", ledger)], None);
        assert_eq!(account.totals().saved(), 4_800);
        assert_eq!((account.unplaced, account.requests.requests), (1, 0));
        assert_eq!(account.balance().gross.tokens, 0);
    }

    #[test]
    fn what_was_delivered_before_is_still_carried() {
        let ledger = SessionLedger {
            requests: vec![request(10, 0, 9_000), request(20, 9_000, 300), request(30, 9_300, 10)],
            answers: vec![answer(15, "capture", 5_000, 200), answer(25, REREAD, 0, 100)],
            ..SessionLedger::default()
        };
        let all = account(&[("s", ledger.clone())], None);
        assert_eq!(all.balance().gross.tokens, 9_600);
        assert_eq!((all.rereads(), all.digests), (1, 1));
        let late = account(&[("s", ledger)], Some(30));
        assert_eq!(late.totals().answers, 0);
        assert_eq!(late.balance().gross.tokens, 4_800);
        assert_eq!(late.requests.requests, 1);
    }
}
