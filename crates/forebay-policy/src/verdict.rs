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

/// A decision, the deciding rule and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    /// Origin and text of the deciding rule.
    pub rule: Option<(Origin, String)>,
    pub reason: String,
    /// The addresses a fetch may connect to, and no others.
    pub dial: Vec<IpAddr>,
}

impl Verdict {
    pub(crate) fn new(decision: Decision, reason: impl Into<String>) -> Self {
        Self { decision, rule: None, reason: reason.into(), dial: Vec::new() }
    }

    pub(crate) fn allow(reason: impl Into<String>) -> Self {
        Self::new(Decision::Allow, reason)
    }

    pub(crate) fn ask(reason: impl Into<String>) -> Self {
        Self::new(Decision::Ask, reason)
    }

    pub(crate) fn deny(reason: impl Into<String>) -> Self {
        Self::new(Decision::Deny, reason)
    }
}
