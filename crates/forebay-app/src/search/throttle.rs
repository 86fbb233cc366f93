//! How much a search may show: a conversation that asks again and again gets less each time.
//!
//! It protects the context, not the server: every new question is answered, and whoever names a limit or a
//! budget gets it.

use std::time::Duration;

use crate::App;

/// Questions longer ago than this are forgotten.
const REMEMBERED: Duration = Duration::from_mins(10);
/// Calls that are answered in full, and those after which little is shown.
const FULL: u64 = 4;
const SHORTENED: u64 = 10;
const FEWEST_HITS: u64 = 2;
const LEAST_TOKENS: u64 = 300;

/// What one call may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) limit: u64,
    pub(crate) budget: u64,
    /// It is less than the settings say.
    pub(crate) is_shortened: bool,
}

/// Counts a call of this session and says what it may show.
pub(crate) fn of_call(app: &App) -> Pace {
    let settings = &app.settings.search;
    // Whoever types commands, or asks from a program, has no context to protect.
    let calls = if app.is_conversation() { counted(app) } else { 0 };
    pace(settings.limit, settings.budget, calls)
}

/// The calls of this session lately, this one included; none where they cannot be counted.
fn counted(app: &App) -> u64 {
    let store = app.places.own();
    let counted =
        store.and_then(|store| Ok(store.count_query(&app.session, app.now(), REMEMBERED)?));
    counted.unwrap_or_else(|error| {
        tracing::warn!(%error, "searches are not counted");
        0
    })
}

fn pace(limit: u64, budget: u64, calls: u64) -> Pace {
    let share = if calls <= FULL {
        1
    } else if calls <= SHORTENED {
        2
    } else {
        4
    };
    let least = |whole: u64, least: u64| (whole / share).max(least).min(whole);
    Pace {
        limit: least(limit, FEWEST_HITS),
        budget: least(budget, LEAST_TOKENS),
        is_shortened: share > 1,
    }
}

/// What a shortened answer says of itself.
pub(crate) const WORD_ON_BATCHING: &str =
    "shortened after many searches: ask several queries in one call, or set limit and budget";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_shrink_and_never_vanish() {
        let paces: Vec<(u64, u64)> = [1, 4, 5, 10, 11, 1_000]
            .map(|calls| pace(5, 1_200, calls))
            .map(|p| (p.limit, p.budget))
            .to_vec();
        assert_eq!(paces, [(5, 1_200), (5, 1_200), (2, 600), (2, 600), (2, 300), (2, 300)]);
        assert_eq!(pace(1, 100, 50).limit, 1, "a small setting is not made larger");
        assert_eq!(pace(1, 100, 50).budget, 100);
    }
}
