//! What the digests of a recognizer or of a tool were worth, and which recognizers are switched off.

use std::collections::BTreeMap;

use forebay_domain::billing::{Difference, Money, Span};
use forebay_domain::treatment::SwitchOff;
use forebay_domain::usage::TERMINAL_SESSION;

use super::treat::NO_RECOGNIZER;
use super::uses::{Use, contexts, uses};
use crate::{App, AppError};

/// Digests of a recognizer in this project before it can be switched off.
pub const MIN_USES: u64 = 20;
/// Marks that the digests so far were judged.
const JUDGED: &str = "judged";
/// The session of marks that concern the whole project.
const PROJECT: &str = "verdicts";

/// What digests removed, led to and saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Results that were replaced by digests.
    pub uses: u64,
    pub host_tokens: u64,
    pub digest_tokens: u64,
    /// Digests whose result was read again, in part or whole.
    pub reread: u64,
    /// Digests whose command ran again although nothing had been edited or said.
    pub repeated: u64,
    /// Digests that a known request carried, and what these saved in all requests, less what they led to.
    pub billed_uses: u64,
    pub net: Difference,
    /// Tokens that stayed out of the context, each counted once, of all digests.
    pub kept_out: i64,
}

/// What is known of the worth of digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// There are fewer than [`MIN_USES`].
    TooFew,
    Pays,
    Loses,
}

impl Finding {
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooFew => "too few",
            Self::Pays => "pays",
            Self::Loses => "loses",
        }
    }
}

impl Verdict {
    fn add(&mut self, digest: &Use<'_>) {
        self.uses += 1;
        self.host_tokens += digest.treatment.host_tokens;
        self.digest_tokens += digest.treatment.digest_tokens;
        self.reread += u64::from(digest.rereads > 0);
        self.repeated += u64::from(digest.is_repeated);
        self.kept_out += digest.kept_out();
        if digest.is_billed {
            self.billed_uses += 1;
            self.net.add(digest.net());
        }
    }

    /// The tokens that digests took away, each counted once.
    pub fn removed_tokens(&self) -> i64 {
        self.host_tokens as i64 - self.digest_tokens as i64
    }

    /// The share of digests whose result was read again; `None` without digests.
    pub fn reread_rate(&self) -> Option<f64> {
        (self.uses > 0).then(|| self.reread as f64 / self.uses as f64)
    }

    /// The share of digests whose command was repeated; `None` without digests.
    pub fn repeat_rate(&self) -> Option<f64> {
        (self.uses > 0).then(|| self.repeated as f64 / self.uses as f64)
    }

    /// Whether the digests saved more than they cost, if there are enough: in money if prices are known, else in billed tokens;
    /// by tokens that stayed out of the context where no requests are known.
    pub fn finding(&self) -> Finding {
        let is_loss = if self.billed_uses > 0 {
            self.net.money.map_or(self.net.tokens < 0, Money::is_negative)
        } else {
            self.kept_out < 0
        };
        match is_loss {
            _ if self.judged_uses() < MIN_USES => Finding::TooFew,
            true => Finding::Loses,
            false => Finding::Pays,
        }
    }

    /// Whether enough digests cost more than they saved.
    pub fn is_loss(&self) -> bool {
        self.finding() == Finding::Loses
    }

    /// The digests that a finding is about: those that a known request carried, if there is one.
    pub fn judged_uses(&self) -> u64 {
        if self.billed_uses > 0 { self.billed_uses } else { self.uses }
    }
}

/// The verdicts on all digests, by a name of each.
pub(super) fn verdicts(
    uses: &[Use<'_>],
    name: impl Fn(&Use<'_>) -> String,
) -> BTreeMap<String, Verdict> {
    let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
    for digest in uses.iter().filter(|one| one.is_digest()) {
        verdicts.entry(name(digest)).or_default().add(digest);
    }
    verdicts
}

/// Switches recognizers off whose digests cost more than they saved in this project. It looks once per [`MIN_USES`] digests,
/// at the end of a turn.
pub(crate) fn judge(app: &App) -> Result<(), AppError> {
    let store = app.stores.own()?;
    let round = store.digests_shown()? / MIN_USES;
    if round == 0 || !store.mark(PROJECT, &format!("{JUDGED} {round}"))? {
        return Ok(());
    }
    let mut ledgers = store.ledgers(None, None)?;
    ledgers.remove(TERMINAL_SESSION);
    let contexts = contexts(&ledgers, &app.settings.prices.list(), Span::default());
    let uses = uses(&ledgers, &contexts, None);
    let verdicts = verdicts(&uses, |digest| digest.treatment.recognizer.clone());
    for (recognizer, verdict) in verdicts.into_iter().filter(|(_, verdict)| verdict.is_loss()) {
        let net = if verdict.billed_uses > 0 { verdict.net.tokens } else { verdict.kept_out };
        store.record_switch_off(&SwitchOff {
            at: app.now(),
            session: app.session.clone(),
            recognizer,
            uses: verdict.uses,
            net_tokens: net,
        })?;
    }
    Ok(())
}

/// Returns the decisions to switch recognizers off that were not told before.
pub(crate) fn untold(app: &App) -> Result<Vec<SwitchOff>, AppError> {
    let store = app.stores.own()?;
    let mut untold = Vec::new();
    for switch_off in store.switched_off()? {
        if store.mark(PROJECT, &format!("told {}", switch_off.recognizer))? {
            untold.push(switch_off);
        }
    }
    Ok(untold)
}

/// What a recognizer is called in a sentence.
pub fn described(recognizer: &str) -> String {
    match recognizer {
        NO_RECOGNIZER => "outputs of no known format".to_owned(),
        name => format!("{name} outputs"),
    }
}
