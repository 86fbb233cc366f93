//! What Forebay saved in a context, and what it cost there itself.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Context, Position};
use super::cost::{Cost, Difference};
use crate::Timestamp;

/// A text that Forebay put into a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    pub at: Timestamp,
    pub source: Source,
    /// Tokens that the host would have shown instead.
    pub host_tokens: u64,
    pub delivered_tokens: u64,
}

/// Why a text is in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The output of a command or of another tool, or its digest.
    Output,
    /// The tools that are listed to the model; they are in every prompt.
    ToolList,
    /// The guide and other text of hooks.
    Hook,
    /// Part of a stored output that was fetched again.
    Reread,
    /// Any other answer of a tool.
    Answer,
}

/// Savings and costs in one context or in several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Balance {
    /// Tokens that did not enter a context, minus those that entered because of Forebay; each counted once.
    pub kept_out: i64,
    /// What outputs would have cost, minus what was delivered of them.
    pub gross: Difference,
    /// What other texts cost, by source.
    pub costs: BTreeMap<Source, Cost>,
    /// What requests cost that only fetched an output again.
    pub extra_turns: Cost,
    pub extra_turn_count: u64,
}

impl Balance {
    /// The balance of a context with these deliveries.
    pub fn new(context: &Context, deliveries: &[Delivery]) -> Self {
        let mut balance = Self::default();
        let mut extra_turns = BTreeSet::new();
        for delivery in deliveries {
            if context.counts(delivery.at) {
                balance.kept_out += delivery.host_tokens as i64 - delivery.delivered_tokens as i64;
            }
            balance.count(context, delivery);
            if delivery.source == Source::Reread {
                extra_turns.extend(context.caller(delivery.at));
            }
        }
        // A turn belongs to the time of its request, also if the call was answered later.
        for cost in extra_turns.into_iter().filter_map(|turn| context.extra_turn_cost(turn)) {
            balance.extra_turn_count += 1;
            balance.extra_turns.add(cost);
        }
        balance
    }

    fn count(&mut self, context: &Context, delivery: &Delivery) {
        let position = match delivery.source {
            Source::ToolList => Some(Position::Start),
            _ => context.entered(delivery.at),
        };
        // Prices are exact, so what a token costs tells what all of them do.
        let one = position.map(|position| context.carrying_cost(1, position));
        let cost = |tokens| one.map_or_else(Cost::default, |one| one.times(tokens));
        let delivered = cost(delivery.delivered_tokens);
        if delivery.source == Source::Output {
            self.gross.add(cost(delivery.host_tokens).more_than(delivered));
        } else {
            self.costs.entry(delivery.source).or_default().add(delivered);
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.kept_out += other.kept_out;
        self.gross.add(other.gross);
        for (source, cost) in &other.costs {
            self.costs.entry(*source).or_default().add(*cost);
        }
        self.extra_turns.add(other.extra_turns);
        self.extra_turn_count += other.extra_turn_count;
    }

    /// All that Forebay cost.
    pub fn cost(&self) -> Cost {
        let mut sum = self.extra_turns;
        for cost in self.costs.values() {
            sum.add(*cost);
        }
        sum
    }

    /// What remains of the savings; negative if Forebay cost more than it saved.
    pub fn net(&self) -> Difference {
        self.gross.minus(self.cost().more_than(Cost::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::billing::{BilledRequest, Money, PriceList};
    use crate::usage::BilledTokens;

    const DAY: i64 = 24 * 60;

    /// A context of a model with these prices of a million tokens in dollars: 3 input, 0.3 cache read, 3.75 cache
    /// write, 15 output. A request has its minute, its cache reads and its cache writes, and 50 tokens of output.
    fn context(requests: &[(i64, u64, u64)]) -> Context {
        let request = |(minute, cache_read, cache_write): &(i64, u64, u64)| BilledRequest {
            at: minutes(*minute),
            model: "claude-sonnet-4-5".to_owned(),
            tokens: BilledTokens {
                cache_read: *cache_read,
                cache_write: *cache_write,
                output: 50,
                ..BilledTokens::default()
            },
        };
        let requests = requests.iter().map(request).collect();
        Context::new(requests, &[], &PriceList::default())
    }

    fn minutes(minute: i64) -> Timestamp {
        Timestamp(minute * 60_000)
    }

    fn delivery(minute: i64, source: Source, host_tokens: u64, delivered_tokens: u64) -> Delivery {
        Delivery { at: minutes(minute), source, host_tokens, delivered_tokens }
    }

    fn millionths(dollars: i64) -> Money {
        Money::from_picodollars(dollars * 1_000_000)
    }

    #[test]
    fn tools_that_are_not_called_are_a_loss() {
        let context = context(&[(0, 0, 10_000), (1, 10_000, 100), (2, 10_100, 100)]);
        let balance = Balance::new(&context, &[delivery(0, Source::ToolList, 0, 1_700)]);
        assert_eq!(balance.kept_out, -1_700);
        assert_eq!(balance.gross, Difference::default());
        // 1,700 * (3.75 + 0.3 + 0.3) = 7,395.
        assert_eq!(balance.net(), Difference { tokens: -5_100, money: Some(millionths(-7_395)) });
    }

    #[test]
    fn a_digest_is_credited_and_the_guide_debited() {
        let context = context(&[(0, 0, 10_000), (1, 10_000, 2_500), (2, 12_500, 100)]);
        let deliveries =
            [delivery(-1, Source::Hook, 0, 400), delivery(0, Source::Output, 5_000, 200)];
        let balance = Balance::new(&context, &deliveries);
        // 4,800 * (3.75 + 0.3) = 19,440.
        assert_eq!(balance.gross, Difference { tokens: 9_600, money: Some(millionths(19_440)) });
        // 400 * (3.75 + 0.3 + 0.3) = 1,740.
        assert_eq!(balance.costs[&Source::Hook].money, Some(millionths(1_740)));
        assert_eq!(balance.net(), Difference { tokens: 8_400, money: Some(millionths(17_700)) });
        assert_eq!(balance.kept_out, 4_400);
    }

    #[test]
    fn a_reread_after_a_day_costs_its_text_and_a_turn_with_a_cold_cache() {
        let context = context(&[
            (0, 0, 10_000),
            (1, 10_000, 500),
            (DAY, 0, 10_600),
            (DAY + 1, 10_600, 1_000),
            (DAY + 2, 11_600, 100),
        ]);
        let deliveries =
            [delivery(0, Source::Output, 5_000, 200), delivery(DAY, Source::Reread, 0, 900)];
        let balance = Balance::new(&context, &deliveries);
        // The output stands in 4 requests, of which the first two write it: 4,800 * (3.75 + 3.75 + 0.3 + 0.3).
        assert_eq!(balance.gross, Difference { tokens: 19_200, money: Some(millionths(38_880)) });
        // 900 * (3.75 + 0.3) = 3,645.
        assert_eq!(balance.costs[&Source::Reread].money, Some(millionths(3_645)));
        // The request of that day: 50 * 15 of output, and its prompt of 10,600 * 0.3 in the next one.
        assert_eq!(balance.extra_turns.money, Some(millionths(3_930)));
        assert_eq!(balance.extra_turn_count, 1);
        let net = Difference { tokens: 19_200 - 1_800 - 10_650, money: Some(millionths(31_305)) };
        assert_eq!(balance.net(), net);
    }

    #[test]
    fn rereads_of_one_request_are_one_turn() {
        let context = context(&[(0, 0, 10_000), (1, 10_000, 500), (2, 10_500, 2_000)]);
        let reread = delivery(1, Source::Reread, 0, 900);
        let balance = Balance::new(&context, &[reread, reread]);
        assert_eq!(balance.extra_turn_count, 1);
        assert_eq!(balance.costs[&Source::Reread].tokens.cache_write, 1_800);
    }

    #[test]
    fn a_reread_can_cost_more_than_its_digest_saved() {
        let context = context(&[(0, 0, 50_000), (1, 50_000, 300), (2, 50_300, 2_100)]);
        let deliveries =
            [delivery(0, Source::Output, 2_100, 200), delivery(1, Source::Reread, 0, 2_000)];
        let net = Balance::new(&context, &deliveries).net();
        assert!(net.tokens < 0 && net.money.unwrap().is_negative(), "{net:?}");
    }

    /// A subagent has its own context, which pays for the list of tools too.
    #[test]
    fn contexts_add_up() {
        let list = delivery(0, Source::ToolList, 0, 1_000);
        let output = delivery(1, Source::Output, 3_000, 100);
        let main = context(&[(0, 0, 10_000), (5, 10_000, 500)]);
        let agent = context(&[(1, 0, 9_000), (2, 9_000, 200), (3, 9_200, 100)]);
        let mut sum = Balance::new(&main, &[list]);
        sum.add(&Balance::new(&agent, &[list, output]));
        // 1,000 * (3.75 + 0.3) and 1,000 * (3.75 + 0.3 + 0.3).
        assert_eq!(sum.costs[&Source::ToolList].money, Some(millionths(8_400)));
        // 2,900 * (3.75 + 0.3), of the subagent alone.
        assert_eq!(sum.gross, Difference { tokens: 5_800, money: Some(millionths(11_745)) });
    }

    #[test]
    fn what_entered_after_the_last_request_is_not_credited_yet() {
        let context = context(&[(0, 0, 10_000)]);
        let balance = Balance::new(&context, &[delivery(1, Source::Output, 5_000, 200)]);
        assert_eq!(balance.gross, Difference::default());
        assert_eq!(balance.kept_out, 4_800);
    }
}
