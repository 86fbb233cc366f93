//! One line about a session, for the status line of its host.
//!
//! It has only numbers that were counted: what is not known is left out.

use std::collections::BTreeMap;

use forebay_domain::billing::Span;
use forebay_domain::session::conversation;
use forebay_domain::usage::{RequestTotals, Totals};
use forebay_store::SessionLedger;
use forebay_text::number;

use super::account::Account;
use crate::{App, AppError};

type Ledgers = BTreeMap<String, SessionLedger>;

/// A status line is drawn often: beyond this many steps, what a session saved in money is left out.
const MAX_STEPS: usize = 100_000;

/// The line; empty if nothing is known. `context_percent` is what the host says about the model's context.
pub fn line(app: &App, context_percent: Option<u8>) -> Result<String, AppError> {
    let ledgers = match app.stores.own_if_exists()? {
        Some(store) => store.ledgers(Some(conversation(&app.session)), None)?,
        None => BTreeMap::new(),
    };
    let context = context_percent.map(|percent| format!("context {percent}%"));
    let parts = [saved(totals(&ledgers)), net(app, &ledgers), context, cache(requests(&ledgers))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Ok(if parts.is_empty() { String::new() } else { format!("forebay: {}", parts.join(" · ")) })
}

fn totals(ledgers: &Ledgers) -> Totals {
    let mut sum = Totals::default();
    for (answered, _) in ledgers.values().flat_map(|ledger| &ledger.answers) {
        sum.add(answered.totals());
    }
    sum
}

fn requests(ledgers: &Ledgers) -> RequestTotals {
    let mut sum = RequestTotals::default();
    for request in ledgers.values().flat_map(|ledger| &ledger.requests) {
        sum.requests += 1;
        sum.tokens.add(request.tokens);
    }
    sum
}

/// The tokens that were kept out of the context of this session; a loss is shown as one.
fn saved(totals: Totals) -> Option<String> {
    let sign = if totals.saved() < 0 { "-" } else { "" };
    let tokens = number::rough(totals.saved().unsigned_abs());
    (totals.answers > 0).then(|| format!("{sign}{tokens} tokens saved"))
}

/// What remains of the savings in money, if all prices are known.
fn net(app: &App, ledgers: &Ledgers) -> Option<String> {
    let steps = ledgers.values().map(|ledger| ledger.requests.len() * ledger.answers.len());
    if steps.sum::<usize>() > MAX_STEPS {
        return None;
    }
    let account = Account::from_ledgers(ledgers, &app.settings.prices.list(), Span::default());
    let money = account.balance().net().money.filter(|_| account.billed.money.is_some())?;
    (account.requests.requests > 0).then(|| format!("{money} net"))
}

/// The share of the input that the model's provider read from its cache.
fn cache(RequestTotals { tokens, .. }: RequestTotals) -> Option<String> {
    let input = tokens.prompt();
    (input > 0).then(|| format!("{}% from cache", tokens.cache_read * 100 / input))
}

#[cfg(test)]
mod tests {
    use forebay_domain::usage::BilledTokens;

    use super::*;

    #[test]
    fn shows_gains_and_losses() {
        let totals = |host_tokens, delivered_tokens| Totals {
            answers: 1,
            host_tokens,
            delivered_tokens,
            ..Totals::default()
        };
        assert_eq!(saved(totals(61_234, 0)).as_deref(), Some("61k tokens saved"));
        assert_eq!(saved(totals(0, 120)).as_deref(), Some("-120 tokens saved"));
        assert_eq!(saved(Totals::default()), None);
    }

    #[test]
    fn output_is_no_part_of_the_cache() {
        let tokens = BilledTokens {
            input: 50,
            cache_read: 900,
            cache_write: 50,
            cache_write_1h: 0,
            output: 7_000,
        };
        assert_eq!(cache(RequestTotals { requests: 1, tokens }).as_deref(), Some("90% from cache"));
        assert_eq!(cache(RequestTotals::default()), None);
    }
}
