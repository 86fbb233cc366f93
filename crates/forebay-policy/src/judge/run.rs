//! Judges a shell command.

use super::allowing;
use super::file::{is_protected, protected_reason};
use super::forbidding::Evidence;
use super::touches::{self, Hit, Touched};
use super::{Case, by_rule, with_rule};
use crate::commands::files::Access;
use crate::commands::{Reachability, Survey, removals};
use crate::rule::{List, Specifier};
use crate::rules::SourcedRule;
use crate::shell;
use crate::verdict::Verdict;
use crate::world::{Mode, Unmatched};

/// Maximum length of a command; longer ones are always asked about.
const MAX_COMMAND_BYTES: usize = 10_000;

pub(super) fn judge(case: &Case<'_>, text: &str) -> Verdict {
    let world = case.world();
    let known: Vec<(&str, &str)> = [("HOME", world.home), ("PWD", Some(world.cwd))]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| (name, value)))
        .collect();
    let survey = Survey::new(text, &known);
    let folders = touches::folders(&survey, case.base_dirs);
    let touched = survey
        .parts
        .iter()
        .flat_map(|part| touches::of_command(&part.command, &folders, case.base_dirs))
        .collect();
    let evidence = Evidence::new(text, &survey.parts, touched);
    forbidden(case, &evidence)
        .or_else(|| critical(case, &survey, &folders))
        .or_else(|| unreadable(&survey, text))
        .or_else(|| doubtful(case, &survey))
        .or_else(|| protected(case, &evidence))
        .or_else(|| allowing::judge(case, &survey, text))
        .unwrap_or_else(|| case.unmatched())
}

/// A certain deny, then an ask, then a possible deny or ask.
fn forbidden(case: &Case<'_>, evidence: &Evidence) -> Option<Verdict> {
    let mut maybe: Option<Verdict> = None;
    for list in [List::Deny, List::Ask] {
        for sourced in case.counting(list) {
            match evidence.hit(sourced, list, case) {
                Hit::Yes => return Some(by_rule(list, sourced)),
                Hit::Maybe => maybe = maybe.or_else(|| Some(may_match(sourced))),
                Hit::No => {}
            }
        }
    }
    maybe
}

fn may_match(sourced: &SourcedRule) -> Verdict {
    let reason = format!(
        "part of it is only known at run time, and the {} rule {} may match then",
        sourced.origin, sourced.text
    );
    with_rule(Verdict::ask(reason), sourced)
}

fn critical(case: &Case<'_>, survey: &Survey, folders: &[String]) -> Option<Verdict> {
    survey
        .parts
        .iter()
        .find_map(|part| removals::critical(&part.command, folders, case.world()))
        .map(|why| Verdict::ask(format!("{why}; no rule can allow that in advance")))
}

/// What cannot be parsed, displayed or reviewed is never approved.
fn unreadable(survey: &Survey, text: &str) -> Option<Verdict> {
    if let Some(why) = survey.broken {
        return Some(Verdict::ask(format!("it cannot be parsed as shell: {why}")));
    }
    if let Some(why) = shell::hidden_in(text) {
        return Some(Verdict::ask(why));
    }
    (text.chars().count() > MAX_COMMAND_BYTES)
        .then(|| Verdict::ask(format!("it is longer than {MAX_COMMAND_BYTES} characters")))
}

/// What is only known at run time matters if some rule could match it.
fn doubtful(case: &Case<'_>, survey: &Survey) -> Option<Verdict> {
    let doubt = survey.doubts.first()?;
    let matters = match case.world().mode {
        Mode::Forebay(Unmatched::Run) => {
            [List::Deny, List::Ask, List::Allow].iter().any(|list| speaks_of_commands(case, *list))
        }
        Mode::BypassPermissions => {
            [List::Deny, List::Ask].iter().any(|list| speaks_of_commands(case, *list))
        }
        _ => true,
    };
    matters.then(|| Verdict::ask(doubt.0))
}

fn speaks_of_commands(case: &Case<'_>, list: List) -> bool {
    case.counting(list).any(|sourced| {
        case.names_tool(&sourced.rule.tool) || matches!(sourced.rule.specifier, Specifier::Path(_))
    })
}

fn protected(case: &Case<'_>, evidence: &Evidence) -> Option<Verdict> {
    if case.world().mode == Mode::BypassPermissions {
        return None;
    }
    let written = evidence.touched.iter().filter(|touched| touched.access == Access::Write);
    let mut paths = written.flat_map(Touched::paths);
    paths.find(|path| is_protected(path)).map(|path| Verdict::ask(protected_reason(path)))
}

/// Commands written in the text, which must be allowed themselves.
pub(super) fn written(survey: &Survey) -> impl Iterator<Item = &shell::Command> {
    survey
        .parts
        .iter()
        .filter(|part| part.reachability == Reachability::Written)
        .map(|part| &part.command)
}
