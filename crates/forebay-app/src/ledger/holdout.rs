//! The comparison of results that were shown as digests with those that were held out: shown raw.
//!
//! Which of a session's results are held out is decided at random, so in each session the difference between the means of
//! both is due to the digests or to chance; over many sessions, chance cancels out.

use std::collections::BTreeMap;

use forebay_domain::Timestamp;
use forebay_domain::billing::Money;
use forebay_domain::session::conversation;
use forebay_domain::treatment::Shown;

use super::interval::Interval;
use super::uses::{Contexts, Use};
use crate::render::describe;

/// What is compared, per result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Tokens billed for the shown text, its re-reads and extra turns.
    Tokens,
    /// The same in dollars.
    Dollars,
    /// Requests until the next prompt.
    Turns,
    /// Times that it was read again.
    Rereads,
    /// Whether its command was repeated.
    Repeats,
    /// Errors until the next prompt.
    Errors,
}

impl Measure {
    pub const ALL: [Self; 6] =
        [Self::Tokens, Self::Dollars, Self::Turns, Self::Rereads, Self::Repeats, Self::Errors];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens billed",
            Self::Dollars => "dollars",
            Self::Turns => "requests after",
            Self::Rereads => "re-reads",
            Self::Repeats => "repeated commands",
            Self::Errors => "errors after",
        }
    }

    /// A value of it, as it is shown.
    pub fn value_text(self, value: f64) -> String {
        match self {
            Self::Tokens => describe::signed(value.round() as i64),
            Self::Dollars => Money::from_dollars(value).to_string(),
            _ => format!("{value:.2}"),
        }
    }
}

/// Both arms of the experiment, over the sessions that have results of both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Results shown as digests, and results held out, in all sessions.
    pub digests: u64,
    pub held_out: u64,
    pub measures: Vec<Compared>,
}

/// A measure of both arms.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    pub measure: Measure,
    /// The sessions in which it is known for results of both arms.
    pub sessions: usize,
    /// The means over these sessions.
    pub digest: f64,
    pub held_out: f64,
    /// How much more it is with digests; `None` if there is not enough data.
    pub difference: Option<Interval>,
}

/// When something happened in each session, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    pub(super) prompts: BTreeMap<String, Vec<Timestamp>>,
    pub(super) errors: BTreeMap<String, Vec<Timestamp>>,
}

/// The sum and the number of a measure's values in one session: of digests, of held-out results.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    digest: (f64, u64),
    held_out: (f64, u64),
}

pub(super) fn compare(uses: &[Use<'_>], contexts: &Contexts<'_>, moments: &Moments) -> Comparison {
    let count = |shown| uses.iter().filter(|one| one.treatment.shown == shown).count() as u64;
    let measures = Measure::ALL.into_iter().filter_map(|measure| {
        let sums = sums(uses, |one| value(measure, one, contexts, moments));
        compared(measure, &sums)
    });
    Comparison {
        digests: count(Shown::Digest),
        held_out: count(Shown::HeldOut),
        measures: measures.collect(),
    }
}

fn sums<'a>(uses: &[Use<'a>], value: impl Fn(&Use<'a>) -> Option<f64>) -> BTreeMap<&'a str, Sums> {
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    for one in uses {
        let Some(value) = value(one) else { continue };
        let sums = sums.entry(conversation(&one.treatment.session)).or_default();
        let (sum, count) = match one.treatment.shown {
            Shown::Digest => &mut sums.digest,
            Shown::HeldOut => &mut sums.held_out,
            Shown::Raw => continue,
        };
        *sum += value;
        *count += 1;
    }
    sums
}

/// `None` if no session has values of both arms.
fn compared(measure: Measure, sums: &BTreeMap<&str, Sums>) -> Option<Compared> {
    let means: Vec<(f64, f64)> = sums
        .values()
        .filter(|sums| sums.digest.1 > 0 && sums.held_out.1 > 0)
        .map(|Sums { digest, held_out }| {
            (digest.0 / digest.1 as f64, held_out.0 / held_out.1 as f64)
        })
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| means.iter().map(of).sum::<f64>() / means.len() as f64;
    let differences: Vec<f64> = means.iter().map(|(digest, raw)| digest - raw).collect();
    (!means.is_empty()).then(|| Compared {
        measure,
        sessions: means.len(),
        digest: mean(|means| means.0),
        held_out: mean(|means| means.1),
        difference: Interval::of_mean(&differences),
    })
}

/// The value of a result; `None` if it is unknown.
fn value(
    measure: Measure,
    result: &Use<'_>,
    contexts: &Contexts<'_>,
    moments: &Moments,
) -> Option<f64> {
    let treatment = result.treatment;
    let mut cost = result.carried;
    cost.add(result.caused());
    // A subagent's context has no prompts and errors of its own: those of the conversation end its turn.
    let session = conversation(&treatment.session);
    let of_session =
        |all: &BTreeMap<String, Vec<Timestamp>>| all.get(session).cloned().unwrap_or_default();
    let until = || of_session(&moments.prompts).into_iter().find(|at| *at > treatment.at);
    match measure {
        Measure::Tokens => result.is_billed.then(|| cost.tokens.total() as f64),
        Measure::Dollars => cost.money.filter(|_| result.is_billed).map(Money::dollars),
        Measure::Turns => contexts
            .get(&*treatment.session)
            .filter(|_| result.is_billed)
            .map(|context| context.requests_between(treatment.at, until()) as f64),
        Measure::Rereads => Some(result.rereads as f64),
        Measure::Repeats => Some(f64::from(u8::from(result.is_repeated))),
        Measure::Errors => {
            let until = until();
            let is_after =
                |at: &Timestamp| *at > treatment.at && until.is_none_or(|until| *at < until);
            Some(of_session(&moments.errors).iter().filter(|at| is_after(at)).count() as f64)
        }
    }
}
