//! Limits how much a search shows: in a conversation with many searches, answers get smaller.
//!
//! This protects the model's context, not the server: every query is answered, and an explicit limit or budget
//! is respected.

use std::time::Duration;

use crate::App;

/// Earlier calls do not count.
const COUNTING_WINDOW: Duration = Duration::from_mins(10);
/// Calls that are answered in full, and calls after which answers are smallest.
const MAX_FULL_CALLS: u64 = 4;
const MAX_HALVED_CALLS: u64 = 10;
const MIN_HITS: u64 = 2;
const MIN_TOKENS: u64 = 300;

/// The limits of one call's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) limit: u64,
    pub(crate) budget: u64,
    /// Whether it is less than the settings say.
    pub(crate) is_reduced: bool,
}

/// Counts a call of this session and returns its limits.
pub(crate) fn count_call(app: &App) -> Allowance {
    let settings = &app.settings.search;
    // Commands and programs have no context to protect.
    let calls = if app.is_conversation() { recent_calls(app) } else { 0 };
    allowance(settings.limit, settings.budget, calls)
}

/// Returns the recent calls of this session, this one included; 0 if they cannot be counted.
fn recent_calls(app: &App) -> u64 {
    let store = app.stores.own();
    let counted =
        store.and_then(|store| Ok(store.count_query(&app.session, app.now(), COUNTING_WINDOW)?));
    counted.unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot count searches");
        0
    })
}

fn allowance(limit: u64, budget: u64, calls: u64) -> Allowance {
    let share = if calls <= MAX_FULL_CALLS {
        1
    } else if calls <= MAX_HALVED_CALLS {
        2
    } else {
        4
    };
    let reduced = |whole: u64, min: u64| (whole / share).max(min).min(whole);
    Allowance {
        limit: reduced(limit, MIN_HITS),
        budget: reduced(budget, MIN_TOKENS),
        is_reduced: share > 1,
    }
}

/// The last line of a reduced answer.
pub(crate) const NOTICE: &str =
    "shortened after many searches: give several queries in one call, or set limit and budget";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_shrink_to_a_minimum() {
        let allowances: Vec<(u64, u64)> = [1, 4, 5, 10, 11, 1_000]
            .map(|calls| allowance(5, 1_200, calls))
            .map(|p| (p.limit, p.budget))
            .to_vec();
        assert_eq!(allowances, [(5, 1_200), (5, 1_200), (2, 600), (2, 600), (2, 300), (2, 300)]);
        assert_eq!(allowance(1, 100, 50).limit, 1, "a small setting is not made larger");
        assert_eq!(allowance(1, 100, 50).budget, 100);
    }
}
