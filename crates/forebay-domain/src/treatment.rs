//! What became of a long result that hooks could replace by its digest, and why.

use crate::{Reference, Timestamp};

/// A decision about one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Treatment {
    pub at: Timestamp,
    /// The session whose context the result entered.
    pub session: String,
    /// The stored result.
    pub reference: Reference,
    pub tool: String,
    /// The recognizer that wrote the digest.
    pub recognizer: String,
    pub shown: Shown,
    /// Tokens that the host would have shown without Forebay.
    pub host_tokens: u64,
    pub digest_tokens: u64,
    /// The earlier result of the same command, if the model had it and nothing was edited or said in between.
    pub repeats: Option<Reference>,
}

/// What the model got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    Digest,
    /// The raw result, for the comparison with digests.
    HeldOut,
    /// The raw result, because digests of its recognizer cost more than they saved.
    Raw,
}

impl Shown {
    const ALL: [Self; 3] = [Self::Digest, Self::HeldOut, Self::Raw];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::HeldOut => "held out",
            Self::Raw => "raw",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shown| shown.as_str() == word)
    }
}

impl Treatment {
    /// The tokens that entered the context.
    pub const fn shown_tokens(&self) -> u64 {
        match self.shown {
            Shown::Digest => self.digest_tokens,
            Shown::HeldOut | Shown::Raw => self.host_tokens,
        }
    }
}

/// The decision that results of a recognizer pass raw from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchOff {
    pub at: Timestamp,
    /// The session at whose end of a turn it was taken.
    pub session: String,
    pub recognizer: String,
    /// The digests that it rests on.
    pub uses: u64,
    /// What they saved in tokens, less what they cost: negative.
    pub net_tokens: i64,
}
