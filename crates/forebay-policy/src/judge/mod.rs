//! The judgement: deny, then ask, then allow, then the mode's default.

mod accessed_files;
mod allow;
mod command;
mod deny;
mod fetch;
mod file;
mod protected;
mod variables;

pub use self::protected::{control_files, is_protected, is_within};

use std::net::IpAddr;

use super::context::{CallContext, Mode, Paths, Unmatched};
use super::execution::Execution;
use super::path::BaseDirs;
use super::rule::{List, Specifier, ToolPattern};
use super::rules::{Rules, SourcedRule};
use super::verdict::{Decision, Ground, Verdict};
use super::wildcard::UnknownParts;

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The tool's name in the host.
    pub tool: &'a str,
    /// What the call does, independent of the tool's name.
    pub action: Action<'a>,
    /// The call's other fields, for rules that name one.
    pub parameters: &'a [(String, String)],
}

/// What a call does.
#[derive(Debug, Clone, Copy)]
pub enum Action<'a> {
    /// Runs a shell command; `Bash` rules apply.
    Run(&'a str),
    /// Runs a shell command together with what else decides what it does.
    Execute(Execution<'a>),
    /// Reads a file; `Read` rules apply.
    Read(&'a Paths),
    /// Changes a file; `Edit` rules and `Read` denies apply.
    Edit(&'a Paths),
    /// Fetches a URL; `WebFetch` rules and the network policy apply. `resolved` are the host's addresses once known.
    Fetch { url: &'a str, resolved: Option<&'a [IpAddr]> },
    /// Anything else; rules that name the tool apply.
    Other,
}

/// Judges a call.
pub fn judge(call: &Call<'_>, rules: &Rules, context: &CallContext<'_>) -> Verdict {
    let check = PolicyCheck { call, rules, base_dirs: &BaseDirs::new(context) };
    let verdict = match call.action {
        Action::Run(command) => {
            command::judge(&check, &Execution { command, ..Execution::default() })
        }
        Action::Execute(execution) => command::judge(&check, &execution),
        Action::Read(paths) | Action::Edit(paths) => file::judge(&check, paths),
        Action::Fetch { url, resolved } => fetch::judge(&check, url, resolved),
        Action::Other => judge_other(&check),
    };
    without_asking(verdict, context.mode)
}

/// A mode that never asks denies instead.
fn without_asking(mut verdict: Verdict, mode: Mode) -> Verdict {
    if mode == Mode::DontAsk && verdict.decision == Decision::Ask {
        verdict.decision = Decision::Deny;
        verdict.reason.push_str("; this mode denies instead of asking");
    }
    verdict
}

fn judge_other(check: &PolicyCheck<'_>) -> Verdict {
    check
        .first_match(List::Deny, |_| false)
        .or_else(|| check.first_match(List::Ask, |_| false))
        .or_else(|| check.first_match(List::Allow, |_| false))
        .map_or_else(|| check.unmatched(), |(list, sourced)| by_rule(list, sourced))
}

/// One check of a call: the call, the rules and its context.
struct PolicyCheck<'a> {
    call: &'a Call<'a>,
    rules: &'a Rules,
    base_dirs: &'a BaseDirs<'a>,
}

impl<'a> PolicyCheck<'a> {
    fn context(&self) -> &'a CallContext<'a> {
        self.base_dirs.context
    }

    fn applicable(&self, list: List) -> impl Iterator<Item = &'a SourcedRule> {
        self.rules.applicable(list, self.base_dirs.context)
    }

    /// The first rule of a list that covers the call as a whole, by a parameter, or by `fits`.
    fn first_match(
        &self,
        list: List,
        fits: impl Fn(&SourcedRule) -> bool,
    ) -> Option<(List, &'a SourcedRule)> {
        let mut rules = self.applicable(list);
        let found = rules.find(|sourced| self.covers_whole(sourced) || fits(sourced))?;
        Some((list, found))
    }

    /// Whether a rule covers the call regardless of its main field.
    fn covers_whole(&self, sourced: &SourcedRule) -> bool {
        let is_about_field = match &sourced.rule.specifier {
            Specifier::Whole => true,
            Specifier::Parameter(wanted) | Specifier::CommandOrParameter(_, wanted) => {
                self.call.parameters.iter().any(|(name, value)| {
                    *name == wanted.name && wanted.value.matches(value, UnknownParts::Closed)
                })
            }
            Specifier::Command(_) | Specifier::Path(_) | Specifier::Domain(_) => false,
        };
        is_about_field && self.names_tool(&sourced.rule.tool)
    }

    /// Whether a rule names the tool or its action.
    fn names_tool(&self, tool: &ToolPattern) -> bool {
        tool.covers(self.call.tool) || self.action_name().is_some_and(|name| tool.covers(name))
    }

    fn action_name(&self) -> Option<&'static str> {
        match self.call.action {
            Action::Run(_) | Action::Execute(_) => Some("Bash"),
            Action::Read(_) => Some("Read"),
            Action::Edit(_) => Some("Edit"),
            Action::Fetch { .. } => Some("WebFetch"),
            Action::Other => None,
        }
    }

    /// The mode's decision about an unmatched call.
    fn unmatched(&self) -> Verdict {
        const NO_RULE: &str = "no rule matches it";
        match self.context().mode {
            Mode::Forebay(Unmatched::Run) => Verdict::allow(NO_RULE),
            Mode::Forebay(Unmatched::Ask) => {
                Verdict::ask(Ground::Unmatched, format!("{NO_RULE}, and unmatched = ask"))
            }
            Mode::Forebay(Unmatched::Deny) => {
                Verdict::deny(Ground::Unmatched, format!("{NO_RULE}, and unmatched = deny"))
            }
            Mode::BypassPermissions => {
                Verdict::allow(format!("{NO_RULE}, and this mode never asks"))
            }
            Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::DontAsk => {
                Verdict::ask(Ground::Unmatched, "no rule allows it")
            }
        }
    }
}

/// How certainly a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuleMatch {
    No,
    /// An unknown part may make it match.
    Maybe,
    Yes,
}

fn by_rule(list: List, sourced: &SourcedRule) -> Verdict {
    let (decision, verb) = match list {
        List::Deny => (Decision::Deny, "denies"),
        List::Ask => (Decision::Ask, "asks about"),
        List::Allow => (Decision::Allow, "allows"),
    };
    let reason = format!("the {} rule {} {verb} it", sourced.origin, sourced.text);
    with_rule(Verdict::new(decision, Ground::Rule, reason), sourced)
}

fn with_rule(mut verdict: Verdict, sourced: &SourcedRule) -> Verdict {
    verdict.rule = Some((sourced.origin, sourced.text.clone()));
    verdict
}
