//! The result of a judgement.

use std::fmt;
use std::net::IpAddr;

use super::rules::Origin;

/// Allow, ask or deny; ordered by strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

impl Decision {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a decision rests on, which tells what could change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ground {
    /// A rule that matches.
    Rule,
    /// No rule matches: an allow rule would.
    Unmatched,
    /// It changes a file that programs take commands from: no rule allows that in advance.
    ProtectedFile,
    /// It removes too much: no rule allows that in advance.
    Removal,
    /// It cannot be seen what runs; a rule may match that.
    Unclear,
    /// The address of a fetch.
    Address,
}

/// A decision, the deciding rule and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    pub ground: Ground,
    /// Origin and text of the deciding rule.
    pub rule: Option<(Origin, String)>,
    pub reason: String,
    /// The addresses a fetch may connect to, and no others.
    pub dial: Vec<IpAddr>,
}

impl Verdict {
    pub(crate) fn new(decision: Decision, ground: Ground, reason: impl Into<String>) -> Self {
        Self { decision, ground, rule: None, reason: reason.into(), dial: Vec::new() }
    }

    pub(crate) fn allow(reason: impl Into<String>) -> Self {
        Self::new(Decision::Allow, Ground::Unmatched, reason)
    }

    pub(crate) fn ask(ground: Ground, reason: impl Into<String>) -> Self {
        Self::new(Decision::Ask, ground, reason)
    }

    pub(crate) fn deny(ground: Ground, reason: impl Into<String>) -> Self {
        Self::new(Decision::Deny, ground, reason)
    }
}
