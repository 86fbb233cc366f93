//! A replay as JSON.

use forebay_domain::billing::{Difference, Money};
use serde_json::{Map, Value, json};

use super::{ConversationRow, Fate, Gain, KeptBecause, NextActions, ReplacedRow, Replay, Tally};

/// Renders a replay. Money is in US dollars, `null` where it is unknown.
pub fn data(replay: &Replay) -> Value {
    let total = replay.total();
    json!({
        "conversations": replay.conversations.len(),
        "transcripts": replay.transcripts,
        "of_other_projects": replay.elsewhere,
        "not_read": replay.faults,
        "hosts": replay.hosts,
        "threshold_tokens": replay.threshold,
        "digest_tokens": replay.budget,
        "tool_list_tokens": replay.tool_list_tokens,
        "tools": tallies(replay.tools.iter()),
        "recognizers": tallies(replay.recognizers.iter()),
        "all": tally(&total),
        "replaced": replay.replaced.iter().map(replaced).collect::<Vec<_>>(),
        "requests": replay.conversations.iter().map(|row| row.requests).sum::<u64>(),
        "costs": {
            "billed": gain(replay.sum(|row| row.billed)),
            "gross": gain(replay.sum(|row| row.total.gross)),
            "tool_list": gain(replay.sum(|row| row.tool_list)),
            "rereads": gain(replay.sum(|row| row.total.reread_cost)),
            "net": gain(replay.net()),
        },
        "by_conversation": replay.conversations.iter().map(conversation).collect::<Vec<_>>(),
    })
}

fn tallies<'a>(rows: impl Iterator<Item = (&'a String, &'a Tally)>) -> Map<String, Value> {
    rows.map(|(name, one)| (name.clone(), tally(one))).collect()
}

fn tally(tally: &Tally) -> Value {
    let kept = |reason| tally.kept.get(&reason).copied().unwrap_or_default();
    json!({
        "calls": tally.calls,
        "replaced": tally.replaced,
        "shown_tokens": tally.shown,
        "with_digests_tokens": tally.with_digests(),
        "saved_tokens": tally.saved(),
        "kept": {
            "short": kept(KeptBecause::Short),
            "tool": kept(KeptBecause::Tool),
            "host": kept(KeptBecause::Host),
            "no_gain": kept(KeptBecause::NoGain),
        },
        "named_later": {
            "of_kept": tally.used(Fate::Kept),
            "of_replaced": tally.used_of_replaced(),
            "visible": tally.used(Fate::Visible),
            "shown_again": tally.used(Fate::ShownAgain),
            "one_call_away": tally.used(Fate::OneCallAway),
            "lost": tally.used(Fate::Lost),
        },
        "next_action": next_actions(tally.next_actions),
        "gross": gain(tally.gross),
        "reread_results": tally.rereads,
        "rereads": gain(tally.reread_cost),
    })
}

fn replaced(row: &ReplacedRow) -> Value {
    let ReplacedRow { conversation, call, tool, recognizer, total } = row;
    json!({
        "conversation": conversation,
        "call": call,
        "tool": tool,
        "recognizer": recognizer,
        "shown_tokens": total.shown,
        "digest_tokens": total.digest_tokens,
        "visible": total.used(Fate::Visible),
        "shown_again": total.used(Fate::ShownAgain),
        "one_call_away": total.used(Fate::OneCallAway),
        "lost": total.used(Fate::Lost),
        "next_action": next_actions(total.next_actions),
        "gross": gain(total.gross),
        "rereads": gain(total.reread_cost),
    })
}

fn next_actions(actions: NextActions) -> Value {
    json!({
        "results": actions.followed,
        "results_named": actions.named,
        "results_wholly_visible": actions.whole,
        "things": actions.things,
        "things_visible": actions.visible_things,
    })
}

fn gain(gain: Gain) -> Value {
    json!({
        "tokens": gain.tokens,
        "dollars": gain.known_money().map(Money::dollars),
        "priced": gain.priced,
        "unpriced": gain.unpriced,
    })
}

fn conversation(row: &ConversationRow) -> Value {
    let Difference { tokens, money } = row.net();
    json!({
        "host": row.host,
        "requests": row.requests,
        "requests_without_usage": row.without_usage,
        "compactions": row.compactions,
        "usage_recorded": row.has_usage,
        "calls": row.total.calls,
        "replaced": row.total.replaced,
        "saved_tokens": row.total.saved(),
        "billed": gain(row.billed),
        "gross": gain(row.total.gross),
        "tool_list": gain(row.tool_list),
        "rereads": gain(row.total.reread_cost),
        "net": { "tokens": tokens, "dollars": money.map(Money::dollars) },
    })
}
