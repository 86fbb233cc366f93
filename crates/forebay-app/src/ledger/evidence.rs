//! What shows whether digests pay in this project: verdicts by recognizer and by tool, and the comparison of the holdout.

use std::collections::BTreeMap;

use forebay_domain::billing::{Money, Span};
use forebay_domain::session::conversation;
use forebay_domain::treatment::{Shown, SwitchOff};
use forebay_domain::usage::TERMINAL_SESSION;
use forebay_domain::{EventKind, Timestamp};
use forebay_store::EventPage;
use serde_json::{Map, Value, json};

use super::holdout::{self, Compared, Comparison, Moments};
use super::interval::MIN_VALUES;
use super::uses::{Contexts, Ledgers, contexts, uses};
use super::verdicts::{self, Verdict};
use crate::{App, AppError};

/// Prompts and errors that a comparison looks at; earlier ones are ignored.
const MAX_EVENTS: usize = 100_000;

/// What is known of this project's digests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    pub recognizers: BTreeMap<String, Verdict>,
    pub tools: BTreeMap<String, Verdict>,
    /// Recognizers whose results pass raw.
    pub switched_off: Vec<SwitchOff>,
    /// The share of results that are held out now.
    pub share: f64,
    /// Both arms, if any result was ever held out.
    pub comparison: Option<Comparison>,
}

/// Collects what is known of digests since a time.
pub fn evidence(app: &App, since: Option<Timestamp>) -> Result<Evidence, AppError> {
    let mut ledgers = app.stores.own()?.ledgers(None, since)?;
    ledgers.remove(TERMINAL_SESSION);
    let contexts = contexts(&ledgers, &app.settings.prices.list(), Span::since(since));
    Evidence::from_contexts(app, &ledgers, &contexts, since)
}

impl Evidence {
    /// Collects the evidence of ledgers since a time, which their contexts are limited to.
    pub(crate) fn from_contexts(
        app: &App,
        ledgers: &Ledgers,
        contexts: &Contexts<'_>,
        since: Option<Timestamp>,
    ) -> Result<Self, AppError> {
        let uses = uses(ledgers, contexts, since);
        let is_held_out = uses.iter().any(|one| one.treatment.shown == Shown::HeldOut);
        let comparison = if is_held_out {
            Some(holdout::compare(&uses, contexts, &moments(app)?))
        } else {
            None
        };
        Ok(Self {
            recognizers: verdicts::verdicts(&uses, |one| one.treatment.recognizer.clone()),
            tools: verdicts::verdicts(&uses, |one| one.treatment.tool.clone()),
            switched_off: app.stores.own()?.switched_off()?,
            share: app.settings.experiment.holdout.as_f64(),
            comparison,
        })
    }

    /// The evidence as data.
    pub fn data(&self) -> Value {
        let table = |verdicts: &BTreeMap<String, Verdict>| {
            let rows = verdicts.iter().map(|(name, one)| (name.clone(), verdict(one)));
            rows.collect::<Map<String, Value>>()
        };
        json!({
            "recognizers": table(&self.recognizers),
            "tools": table(&self.tools),
            "min_uses": verdicts::MIN_USES,
            "switched_off": self.switched_off.iter().map(switch_off).collect::<Vec<_>>(),
            "holdout": {
                "share": self.share,
                "min_sessions": MIN_VALUES,
                "comparison": self.comparison.as_ref().map(comparison),
            },
        })
    }

    /// The decision about a recognizer whose results pass raw.
    pub fn switch_off(&self, recognizer: &str) -> Option<&SwitchOff> {
        self.switched_off.iter().find(|one| one.recognizer == recognizer)
    }
}

/// When users said something and errors occurred, by conversation.
fn moments(app: &App) -> Result<Moments, AppError> {
    let page = EventPage {
        kinds: vec![EventKind::Prompt, EventKind::Error],
        limit: MAX_EVENTS,
        ..EventPage::default()
    };
    let mut moments = Moments::default();
    for event in app.stores.own()?.events(&page)?.into_iter().rev() {
        let moments = match event.event.kind {
            EventKind::Prompt => &mut moments.prompts,
            _ => &mut moments.errors,
        };
        moments.entry(conversation(&event.session).to_owned()).or_default().push(event.created);
    }
    Ok(moments)
}

fn verdict(verdict: &Verdict) -> Value {
    json!({
        "uses": verdict.uses,
        "host_tokens": verdict.host_tokens,
        "digest_tokens": verdict.digest_tokens,
        "removed_tokens": verdict.removed_tokens(),
        "reread": verdict.reread,
        "reread_rate": verdict.reread_rate(),
        "repeated": verdict.repeated,
        "repeat_rate": verdict.repeat_rate(),
        "billed_uses": verdict.billed_uses,
        "net": (verdict.billed_uses > 0).then(|| json!({
            "tokens": verdict.net.tokens,
            "usd": verdict.net.money.map(Money::dollars),
        })),
        "kept_out_tokens": verdict.kept_out,
        "finding": verdict.finding().name(),
        "judged_uses": verdict.judged_uses(),
    })
}

fn switch_off(one: &SwitchOff) -> Value {
    json!({
        "recognizer": one.recognizer,
        "at": one.at.0,
        "uses": one.uses,
        "net_tokens": one.net_tokens,
    })
}

fn comparison(comparison: &Comparison) -> Value {
    json!({
        "digests": comparison.digests,
        "held_out": comparison.held_out,
        "measures": comparison.measures.iter().map(compared).collect::<Vec<_>>(),
    })
}

fn compared(one: &Compared) -> Value {
    json!({
        "measure": one.measure.name(),
        "sessions": one.sessions,
        "digest": one.digest,
        "held_out": one.held_out,
        "difference": one.difference.map(|interval| json!({
            "mean": interval.mean,
            "low": interval.low,
            "high": interval.high,
        })),
    })
}
