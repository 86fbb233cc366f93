//! Sums over the results of a tool, of a recognizer, or of all conversations.

use std::collections::BTreeMap;

use super::costs::Gain;
use super::replacement::KeptBecause;
use super::uses::{Fate, NextAction};

/// Sums over results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub calls: u64,
    /// Tokens of all results.
    pub shown: u64,
    /// Results that would have been replaced, and their tokens.
    pub replaced: u64,
    pub replaced_tokens: u64,
    /// Tokens of the texts in their place.
    pub digest_tokens: u64,
    /// The other results, by reason.
    pub kept: BTreeMap<KeptBecause, u64>,
    /// What later calls named, by where the model would have found it.
    pub uses: BTreeMap<Fate, u64>,
    pub next_actions: NextActions,
    /// What the replaced results cost more than their digests, in all prompts until the next compaction.
    pub gross: Gain,
    /// Replaced results that would have been read again, because a call names something their digest does not show.
    pub rereads: u64,
    /// What that costs: the whole result once more, and a turn.
    pub reread_cost: Gain,
}

/// Whether the digest of a replaced result showed everything that the next edit or command named of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NextActions {
    /// Replaced results that an edit or a command followed.
    pub followed: u64,
    /// Those of which it named something.
    pub named: u64,
    /// Those of which the digest shows all it named.
    pub whole: u64,
    /// The things named, and those of them that the digests show.
    pub things: u64,
    pub visible_things: u64,
}

impl NextActions {
    pub(super) fn add(&mut self, action: NextAction) {
        self.followed += 1;
        self.named += u64::from(action.named > 0);
        self.whole += u64::from(action.named > 0 && action.visible == action.named);
        self.things += action.named;
        self.visible_things += action.visible;
    }

    fn merge(&mut self, other: Self) {
        self.followed += other.followed;
        self.named += other.named;
        self.whole += other.whole;
        self.things += other.things;
        self.visible_things += other.visible_things;
    }
}

impl Tally {
    /// Tokens that would not have entered a context, each counted once.
    pub fn saved(&self) -> u64 {
        self.replaced_tokens - self.digest_tokens
    }

    /// Tokens of all results with the digests in place.
    pub fn with_digests(&self) -> u64 {
        self.shown - self.saved()
    }

    pub fn used(&self, fate: Fate) -> u64 {
        self.uses.get(&fate).copied().unwrap_or_default()
    }

    /// Things that later calls named and that replaced results were the first to show.
    pub fn used_of_replaced(&self) -> u64 {
        self.uses.iter().filter(|(fate, _)| **fate != Fate::Kept).map(|(_, count)| count).sum()
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        self.shown += other.shown;
        self.replaced += other.replaced;
        self.replaced_tokens += other.replaced_tokens;
        self.digest_tokens += other.digest_tokens;
        for (reason, count) in &other.kept {
            *self.kept.entry(*reason).or_default() += count;
        }
        for (fate, count) in &other.uses {
            *self.uses.entry(*fate).or_default() += count;
        }
        self.next_actions.merge(other.next_actions);
        self.gross.merge(other.gross);
        self.rereads += other.rereads;
        self.reread_cost.merge(other.reread_cost);
    }
}
