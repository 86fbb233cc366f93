//! The compiled rules and their origins.

use std::fmt;

use super::context::{CallContext, Trust};
use super::rule::{List, Malformed, Rule};

/// The settings file that contains a rule, highest precedence first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    Managed,
    CommandLine,
    Local,
    Project,
    User,
}

impl Origin {
    pub const ALL: [Self; 5] =
        [Self::Managed, Self::CommandLine, Self::Local, Self::Project, Self::User];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::CommandLine => "cli",
            Self::Local => "local",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A skipped rule and the reason; always reported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin} rule `{text}` is skipped: {why}")]
pub struct Warning {
    pub origin: Origin,
    pub text: String,
    pub why: Malformed,
}

/// The compiled rules of all settings files.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    deny: Vec<SourcedRule>,
    ask: Vec<SourcedRule>,
    allow: Vec<SourcedRule>,
    managed_only: bool,
}

/// A rule and its origin.
#[derive(Debug, Clone)]
pub(crate) struct SourcedRule {
    pub(crate) rule: Rule,
    pub(crate) origin: Origin,
    pub(crate) text: String,
}

impl Rules {
    /// Compiles rules; malformed ones are returned as warnings.
    pub fn compile<'a>(
        rules_by_list: impl IntoIterator<Item = (Origin, List, &'a str)>,
    ) -> (Self, Vec<Warning>) {
        let (mut rules, mut warnings) = (Self::default(), Vec::new());
        for (origin, list, text) in rules_by_list {
            match Rule::parse(text, list) {
                Ok(rule) => {
                    rules.list_mut(list).push(SourcedRule { rule, origin, text: text.to_owned() });
                }
                Err(why) => warnings.push(Warning { origin, text: text.to_owned(), why }),
            }
        }
        (rules, warnings)
    }

    /// Restricts the rules in effect to managed ones (`allowManagedPermissionRulesOnly`).
    #[must_use]
    pub fn managed_only(mut self) -> Self {
        self.managed_only = true;
        self
    }

    fn list_mut(&mut self, list: List) -> &mut Vec<SourcedRule> {
        match list {
            List::Deny => &mut self.deny,
            List::Ask => &mut self.ask,
            List::Allow => &mut self.allow,
        }
    }

    /// The rules of a list that apply to a call.
    pub(crate) fn applicable<'a>(
        &'a self,
        list: List,
        context: &'a CallContext<'_>,
    ) -> impl Iterator<Item = &'a SourcedRule> {
        let rules = match list {
            List::Deny => &self.deny,
            List::Ask => &self.ask,
            List::Allow => &self.allow,
        };
        rules.iter().filter(move |sourced| self.applies(sourced.origin, list, context))
    }

    /// Deny and ask rules always apply; allow rules of the workspace apply once it is trusted.
    fn applies(&self, origin: Origin, list: List, context: &CallContext<'_>) -> bool {
        if self.managed_only && origin != Origin::Managed {
            return false;
        }
        match origin {
            _ if list != List::Allow => true,
            Origin::Project => context.trust == Trust::Workspace,
            Origin::Local => context.trust != Trust::Nothing,
            Origin::Managed | Origin::CommandLine | Origin::User => true,
        }
    }
}
