//! The account of a project by day, by week or by month.

use forebay_domain::Timestamp;
use forebay_domain::billing::Span;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Unit, Zoned};

use super::account::Account;
use super::uses::{Contexts, Ledgers, limit_to};

/// A longer time is divided into weeks, and one longer than that into months.
const MAX_DAYS: i64 = 31;
const MAX_WEEKS: i64 = 26;
/// Earlier months are one period.
const MAX_PERIODS: usize = 36;

/// A part of the time, and what happened in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// Its first day, or its month: `2026-01-31`, `2026-01`.
    pub name: String,
    pub account: Account,
}

/// The periods from the first event of the ledgers, or from `since`, until now; what requests cost belongs to the period in
/// which they were made.
pub(super) fn periods(
    ledgers: &Ledgers,
    contexts: &mut Contexts<'_>,
    since: Option<Timestamp>,
    now: Timestamp,
    zone: &TimeZone,
) -> Vec<Period> {
    let Some(first) = first_event(ledgers) else { return Vec::new() };
    let first = since.map_or(first, |since| since.max(first)).min(now);
    let (Some(first), Some(last)) = (day(first, zone), day(now, zone)) else { return Vec::new() };
    let length = Length::for_days(first, last);
    let mut starts = vec![length.start(first)];
    while let Some(next) =
        starts.last().and_then(|start| length.next(*start)).filter(|next| *next <= last)
    {
        starts.push(next);
    }
    let surplus = starts.len().saturating_sub(MAX_PERIODS);
    starts.drain(..surplus);
    let mut account = |span| {
        limit_to(contexts, span);
        Account::from_contexts(ledgers, contexts)
    };
    let earlier = starts.first().filter(|_| surplus > 0).map(|start| Period {
        name: format!("before {}", length.name(*start)),
        account: account(Span { since, until: midnight(*start, zone) }),
    });
    let mut periods: Vec<Period> = earlier.into_iter().collect();
    for start in starts {
        let Some(begin) = midnight(start, zone) else { continue };
        let span = Span {
            since: Some(since.map_or(begin, |since| since.max(begin))),
            until: length.next(start).and_then(|next| midnight(next, zone)),
        };
        periods.push(Period { name: length.name(start), account: account(span) });
    }
    periods
}

/// The length of periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Day,
    Week,
    Month,
}

impl Length {
    fn for_days(first: Date, last: Date) -> Self {
        let days = first.until((Unit::Day, last)).map_or(0, |span| i64::from(span.get_days()));
        match days {
            ..MAX_DAYS => Self::Day,
            _ if days < MAX_WEEKS * 7 => Self::Week,
            _ => Self::Month,
        }
    }

    /// The first day of the period that contains a day.
    fn start(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => {
                let since_monday = day.weekday().since(Weekday::Monday);
                day.checked_sub(i64::from(since_monday).days()).unwrap_or(day)
            }
            Self::Month => day.first_of_month(),
        }
    }

    fn next(self, start: Date) -> Option<Date> {
        let span = match self {
            Self::Day => 1.day(),
            Self::Week => 1.week(),
            Self::Month => 1.month(),
        };
        start.checked_add(span).ok()
    }

    fn name(self, start: Date) -> String {
        match self {
            Self::Day => start.to_string(),
            Self::Week => format!("week of {start}"),
            Self::Month => start.strftime("%Y-%m").to_string(),
        }
    }
}

/// When the first request was made, or the first answer given.
fn first_event(ledgers: &Ledgers) -> Option<Timestamp> {
    let times = ledgers.values().flat_map(|ledger| {
        let requests = ledger.requests.iter().map(|request| request.at);
        requests.chain(ledger.answers.iter().map(|(_, at)| *at))
    });
    times.min()
}

/// The day of a time in a time zone.
pub(super) fn day(at: Timestamp, zone: &TimeZone) -> Option<Date> {
    let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
    Some(at.to_zoned(zone.clone()).date())
}

fn midnight(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    let start: Zoned = day.to_zoned(zone.clone()).ok()?.start_of_day().ok()?;
    Some(Timestamp(start.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use forebay_domain::billing::{BilledRequest, PriceList};
    use forebay_domain::usage::{Answered, BilledTokens};
    use forebay_store::SessionLedger;

    use super::super::uses::contexts;
    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;

    fn request(at: i64, cache_read: u64, cache_write: u64) -> BilledRequest {
        let tokens = BilledTokens { cache_read, cache_write, ..BilledTokens::default() };
        BilledRequest { at: Timestamp(at), model: "claude-sonnet-4-5".to_owned(), tokens }
    }

    fn answer(at: i64, tool: &str, host: u64, delivered: u64) -> (Answered, Timestamp) {
        let answered = Answered {
            tool: tool.to_owned(),
            session: "s".to_owned(),
            entry: None,
            raw_tokens: host,
            host_tokens: host,
            delivered_tokens: delivered,
            millis: 1,
        };
        (answered, Timestamp(at))
    }

    fn found(ledgers: &Ledgers, now: i64) -> Vec<Period> {
        let mut contexts = contexts(ledgers, &PriceList::default(), Span::default());
        periods(ledgers, &mut contexts, None, Timestamp(now), &TimeZone::UTC)
    }

    /// A digest that kept 4,800 tokens out, carried by a request on each of three days; one is read again at midnight.
    fn ledgers() -> Ledgers {
        let ledger = SessionLedger {
            requests: vec![
                request(10 * HOUR, 0, 9_000),
                request(12 * HOUR, 9_000, 300),
                request(DAY + HOUR, 9_300, 10),
                request(2 * DAY - 1, 9_310, 10),
                request(2 * DAY + HOUR, 9_320, 200),
            ],
            answers: vec![
                answer(11 * HOUR, "capture", 5_000, 200),
                answer(2 * DAY + 5, "ctx_get", 0, 100),
            ],
            ..SessionLedger::default()
        };
        Ledgers::from([("s".to_owned(), ledger)])
    }

    #[test]
    fn periods_add_up_to_the_whole() {
        let ledgers = ledgers();
        let periods = found(&ledgers, 2 * DAY + 2 * HOUR);
        let names: Vec<&str> = periods.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["1970-01-01", "1970-01-02", "1970-01-03"]);
        let gross: Vec<i64> =
            periods.iter().map(|one| one.account.balance().gross.tokens).collect();
        assert_eq!(gross, [4_800, 9_600, 4_800]);
        let whole = Account::from_ledgers(&ledgers, &PriceList::default(), Span::default());
        let mut sum = periods[0].account.balance();
        periods[1..].iter().for_each(|one| sum.add(&one.account.balance()));
        // The turn that read it again was made before midnight, its text is carried after it.
        assert_eq!(whole.balance().extra_turn_count, 1);
        assert_eq!(sum, whole.balance());
        let answers: u64 = periods.iter().map(|one| one.account.totals().answers).sum();
        assert_eq!(answers, whole.totals().answers);
    }

    #[test]
    fn a_longer_time_has_longer_periods() {
        let ledgers = ledgers();
        let weeks = found(&ledgers, 60 * DAY);
        // 1970 began on a Thursday.
        assert_eq!(
            (&*weeks[0].name, &*weeks[1].name),
            ("week of 1969-12-29", "week of 1970-01-05")
        );
        let months = found(&ledgers, 400 * DAY);
        assert_eq!((&*months[0].name, months.len()), ("1970-01", 14));
        assert_eq!(months[0].account.balance().gross.tokens, 19_200);
        let years = found(&ledgers, 40_000 * DAY);
        assert_eq!((years.len(), &*years[0].name), (MAX_PERIODS + 1, "before 2076-08"));
        assert_eq!(years[0].account.balance().gross.tokens, 19_200, "nothing is left out");
    }

    #[test]
    fn without_events_there_are_no_periods() {
        assert!(found(&Ledgers::new(), DAY).is_empty());
    }
}
