//! Usage: what answers cost and saved, summed over time.

use std::time::Duration;

use forebay_domain::time::days;
use forebay_domain::usage::Answered;
use forebay_domain::{Ending, Timestamp};
use forebay_store::PeriodGrowth;

use crate::engine::{NOW, for_each_engine, put_run};

fn later(span: Duration) -> Timestamp {
    NOW.plus(span)
}

#[test]
fn usage_is_summed_by_period_and_tool() {
    for_each_engine(|store| {
        let record = |session: &str, tool: &str, at: Timestamp| {
            let answered = Answered {
                tool: tool.to_owned(),
                session: session.to_owned(),
                entry: None,
                raw_tokens: 9,
                host_tokens: 8,
                delivered_tokens: 2,
                millis: 1,
            };
            store.record_usage(&[(answered, at)]).unwrap();
        };
        record("s", "a", NOW.minus(Duration::from_millis(1)));
        record("s", "b", NOW);
        record("t", "a", later(Duration::from_hours(23)));
        record("t", "b", later(Duration::from_hours(1)));
        record("t", "a", later(days(2)));
        record("cli", "a", NOW);
        let found = store.usage_by_period(NOW, days(1), "cli").unwrap();
        let shown: Vec<(u64, &str, u64)> =
            found.iter().map(|one| (one.period, one.tool.as_str(), one.totals.answers)).collect();
        assert_eq!(shown, [(0, "a", 1), (0, "b", 2), (2, "a", 1)]);
        assert_eq!(found[1].totals.host_tokens, 16);
    });
}

#[test]
fn what_was_stored_is_summed_by_period() {
    for_each_engine(|store| {
        assert_eq!(store.growth(NOW, days(1)).unwrap(), []);
        let first = put_run(store, "make", b"four", Ending::Exited(0));
        // The same bytes are stored once, and were still put in by both.
        put_run(store, "make", b"four", Ending::Exited(0));
        let from = first.created.minus(days(3));
        let found = store.growth(from, days(1)).unwrap();
        assert_eq!(found, [PeriodGrowth { period: 3, entries: 2, raw_bytes: 8 }]);
        assert_eq!(store.growth(first.created.plus(days(1)), days(1)).unwrap(), []);
    });
}
