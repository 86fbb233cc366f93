//! Whether every command of a text is allowed, by a rule or because it only looks.

use super::run::written;
use super::touches::{self, Touched};
use super::{Case, by_rule};
use crate::command_pattern::collapse_blanks;
use crate::commands::files::{self, Access, By};
use crate::commands::{Survey, base_name, read_only, strip};
use crate::path::Place;
use crate::rule::{List, Specifier, ToolPattern};
use crate::rules::Placed;
use crate::shell::Command;
use crate::verdict::Verdict;
use crate::wildcard::Reading;
use crate::world::Mode;

/// Why one command may run.
enum Grant<'a> {
    Rule(&'a Placed),
    /// Built in: it only looks, or the mode accepts it.
    BuiltIn,
}

/// An allowing verdict, if nothing in the text is left without a grant.
pub(super) fn judge(case: &Case<'_>, survey: &Survey, text: &str) -> Option<Verdict> {
    if let Some((list, placed)) = case.first_hit(List::Allow, |placed| is_whole_text(placed, text))
    {
        return Some(by_rule(list, placed));
    }
    let surroundings = Surroundings::of(case, survey);
    let mut rule = None;
    for command in written(survey) {
        if let Grant::Rule(placed) = grant(case, command, &surroundings)? {
            rule = rule.or(Some(placed));
        }
        if !writes_are_allowed(case, command, &surroundings) {
            return None;
        }
    }
    match rule {
        Some(placed) => Some(by_rule(List::Allow, placed)),
        None => is_host(case).then(|| Verdict::allow("it only looks, or its mode accepts it")),
    }
}

/// Under Forebay's own mode "no rule mentions it" is the truer reason.
fn is_host(case: &Case<'_>) -> bool {
    !matches!(case.world().mode, Mode::Forebay(_))
}

/// An exact rule may name a whole list of commands.
fn is_whole_text(placed: &Placed, text: &str) -> bool {
    let is_bash = placed.rule.tool == ToolPattern::Name("Bash".to_owned());
    is_bash
        && matches!(&placed.rule.specifier, Specifier::Command(pattern)
            if pattern.is_exact() && pattern.matches(&collapse_blanks(text), Reading::Closed))
}

/// What else stands in the text.
struct Surroundings {
    leaves_folder: bool,
}

impl Surroundings {
    fn of(case: &Case<'_>, survey: &Survey) -> Self {
        Self { leaves_folder: written(survey).any(|command| touches::leaves(command, case.ground)) }
    }
}

fn grant<'a>(case: &Case<'a>, command: &Command, surroundings: &Surroundings) -> Option<Grant<'a>> {
    if command.words.is_empty() {
        return strip::is_plain_assignment(command).then_some(Grant::BuiltIn);
    }
    if let Some(placed) = matching_rule(case, command) {
        return Some(Grant::Rule(placed));
    }
    let is_built_in = (read_only::is_read_only(command) && !is_elsewhere(command, surroundings))
        || is_accepted_edit(case, command, surroundings);
    is_built_in.then_some(Grant::BuiltIn)
}

fn matching_rule<'a>(case: &Case<'a>, command: &Command) -> Option<&'a Placed> {
    let allowable = strip::allowable(command);
    case.counting(List::Allow).find(|placed| match &placed.rule.specifier {
        Specifier::Command(pattern) => {
            (pattern.is_exact() || !allowable.exact_only)
                && allowable.texts.iter().any(|text| pattern.matches(text, Reading::Closed))
        }
        _ => false,
    })
}

/// Git in another folder runs that folder's hooks and settings.
fn is_elsewhere(command: &Command, surroundings: &Surroundings) -> bool {
    surroundings.leaves_folder && command.words.first().is_some_and(|word| base_name(word) == "git")
}

/// The file commands that a mode accepts inside the working folders.
fn is_accepted_edit(case: &Case<'_>, command: &Command, surroundings: &Surroundings) -> bool {
    const EDITING: [&str; 7] = ["mkdir", "touch", "mv", "cp", "rm", "rmdir", "sed"];
    let is_editing = command
        .words
        .first()
        .and_then(crate::shell::Word::known)
        .is_some_and(|name| EDITING.contains(&&*name));
    case.world().mode == Mode::AcceptEdits
        && is_editing
        && command.assignments.is_empty()
        && !surroundings.leaves_folder
        && files::operands(command)
            .all(|word| touches::of_operand(word, case.ground).is_in_working_folder(case.ground))
}

/// Redirections write files, which edit rules and modes settle; from another folder nobody knows which.
fn writes_are_allowed(case: &Case<'_>, command: &Command, surroundings: &Surroundings) -> bool {
    let redirected = files::touched(command)
        .iter()
        .any(|touch| touch.by == By::Redirect && touch.access == Access::Write);
    if !redirected {
        return true;
    }
    let plain =
        command.redirects.iter().all(|each| !each.target.has_tilde() && !each.target.has_glob());
    let folders = [case.world().cwd.to_owned()];
    plain
        && !surroundings.leaves_folder
        && touches::of_command(command, &folders, case.ground)
            .iter()
            .filter(|touched| touched.by == By::Redirect && touched.access == Access::Write)
            .all(|touched| may_write(case, touched))
}

fn may_write(case: &Case<'_>, touched: &Touched) -> bool {
    let accepts = matches!(case.world().mode, Mode::AcceptEdits);
    (accepts && touched.is_in_working_folder(case.ground))
        || case.counting(List::Allow).any(|placed| {
            let place = Place { ground: case.ground, origin: placed.origin, list: List::Allow };
            let is_edit = placed.rule.tool == ToolPattern::Name("Edit".to_owned());
            is_edit
                && match &placed.rule.specifier {
                    Specifier::Whole => true,
                    Specifier::Path(pattern) => touched.is_allowed_by(pattern, &place),
                    _ => false,
                }
        })
}
