//! Whether every command of a text is allowed, by a rule or because it is read-only.

use super::accessed_files::{self, AccessedFile};
use super::command::literal_commands;
use super::{PolicyCheck, by_rule};
use crate::command_pattern::{CommandPattern, collapse_blanks};
use crate::commands::files::{self, Access, NamedBy};
use crate::commands::strip::AllowTexts;
use crate::commands::{ReachableCommands, base_name, read_only, strip};
use crate::context::Mode;
use crate::path::MatchContext;
use crate::rule::{List, Specifier, ToolPattern};
use crate::rules::SourcedRule;
use crate::shell::Command;
use crate::verdict::Verdict;
use crate::wildcard::UnknownParts;

/// Why one command may run.
enum Grant<'a> {
    Rule(&'a SourcedRule),
    /// Built in: read-only inside the working directories, or accepted by the mode.
    BuiltIn,
    /// A bare assignment: harmless beside a command that a rule allows, but nothing that reads.
    Assignment,
}

/// An allowing verdict, if every command of the text has a grant.
pub(super) fn judge(
    check: &PolicyCheck<'_>,
    reachable: &ReachableCommands<'_>,
    text: &str,
    variables: &[(String, String)],
) -> Option<Verdict> {
    if let Some((list, sourced)) =
        check.first_match(List::Allow, |sourced| is_whole_text(sourced, text))
    {
        return Some(by_rule(list, sourced));
    }
    if !variables.iter().all(|(name, _)| strip::is_safe_variable(name)) {
        return None;
    }
    let surroundings = Surroundings::new(check, reachable);
    let mut rule = None;
    let mut only_built_in = true;
    let mut commands = 0;
    for command in literal_commands(reachable) {
        commands += 1;
        match grant(check, command, &surroundings)? {
            Grant::Rule(sourced) => rule = rule.or(Some(sourced)),
            Grant::BuiltIn => {}
            Grant::Assignment => only_built_in = false,
        }
        if !writes_are_allowed(check, command, &surroundings) {
            return None;
        }
    }
    match rule {
        Some(sourced) => Some(by_rule(List::Allow, sourced)),
        None => (is_host(check) && only_built_in && commands > 0)
            .then(|| Verdict::allow("it is read-only, or the mode accepts it")),
    }
}

/// Under Forebay's own mode the reason is that no rule matches.
fn is_host(check: &PolicyCheck<'_>) -> bool {
    !matches!(check.context().mode, Mode::Forebay(_))
}

/// An exact rule may match a whole list of commands.
fn is_whole_text(sourced: &SourcedRule, text: &str) -> bool {
    let is_bash = sourced.rule.tool == ToolPattern::Name("Bash".to_owned());
    is_bash
        && matches!(&sourced.rule.specifier, Specifier::Command(pattern)
            if pattern.is_exact() && pattern.matches(&collapse_blanks(text), UnknownParts::Closed))
}

/// Whether an allow rule without wildcards matches a command or the whole text.
pub(super) fn has_exact_rule(check: &PolicyCheck<'_>, command: &Command, text: &str) -> bool {
    let AllowTexts { texts, .. } = strip::allow_texts(command);
    let matches = |pattern: &CommandPattern| {
        pattern.is_exact() && texts.iter().any(|text| pattern.matches(text, UnknownParts::Closed))
    };
    check.applicable(List::Allow).any(|sourced| {
        is_whole_text(sourced, text)
            || matches!(&sourced.rule.specifier, Specifier::Command(pattern) if matches(pattern))
    })
}

/// Facts about the rest of the text.
struct Surroundings {
    leaves_folder: bool,
    /// Every directory that a command may run in.
    folders: Vec<String>,
}

impl Surroundings {
    fn new(check: &PolicyCheck<'_>, reachable: &ReachableCommands<'_>) -> Self {
        Self {
            leaves_folder: literal_commands(reachable)
                .any(|command| accessed_files::leaves(command, check.base_dirs)),
            folders: accessed_files::folders(reachable, check.base_dirs),
        }
    }
}

fn grant<'a>(
    check: &PolicyCheck<'a>,
    command: &Command,
    surroundings: &Surroundings,
) -> Option<Grant<'a>> {
    if command.words.is_empty() {
        let grant = if command.assignments.is_empty() { Grant::BuiltIn } else { Grant::Assignment };
        return (strip::is_plain_assignment(command) && reads_inside(check, command, surroundings))
            .then_some(grant);
    }
    if let Some(sourced) = matching_rule(check, command) {
        return Some(Grant::Rule(sourced));
    }
    let is_built_in = (read_only::is_read_only(command)
        && !is_elsewhere(command, surroundings)
        && reads_inside(check, command, surroundings))
        || is_accepted_edit(check, command, surroundings);
    is_built_in.then_some(Grant::BuiltIn)
}

fn matching_rule<'a>(check: &PolicyCheck<'a>, command: &Command) -> Option<&'a SourcedRule> {
    let allowable = strip::allow_texts(command);
    check.applicable(List::Allow).find(|sourced| match &sourced.rule.specifier {
        Specifier::Command(pattern) => {
            (pattern.is_exact() || !allowable.exact_only)
                && allowable.texts.iter().any(|text| pattern.matches(text, UnknownParts::Closed))
        }
        _ => false,
    })
}

/// Git in another directory runs that directory's hooks and configuration.
fn is_elsewhere(command: &Command, surroundings: &Surroundings) -> bool {
    surroundings.leaves_folder && command.words.first().is_some_and(|word| base_name(word) == "git")
}

/// Whether a command reads in working directories only, from wherever it may run.
///
/// Globs count for every command, because the shell lists directories for them: `echo ~/*`.
fn reads_inside(check: &PolicyCheck<'_>, command: &Command, surroundings: &Surroundings) -> bool {
    let folders = &surroundings.folders;
    let is_inside = |file: &AccessedFile| file.is_read_inside(check.base_dirs);
    let starts_inside = folders
        .iter()
        .all(|folder| is_inside(&accessed_files::for_folder(folder, check.base_dirs)));
    let named = accessed_files::for_command(command, folders, check.base_dirs);
    let globs = command.words.iter().filter(|word| word.has_glob());
    let globbed = accessed_files::for_words(globs, folders, check.base_dirs);
    let mut read = named.iter().chain(&globbed).filter(|file| file.access == Access::Read);
    starts_inside && read.all(is_inside)
}

/// File commands that a mode accepts inside working directories.
fn is_accepted_edit(
    check: &PolicyCheck<'_>,
    command: &Command,
    surroundings: &Surroundings,
) -> bool {
    const EDITING: [&str; 7] = ["mkdir", "touch", "mv", "cp", "rm", "rmdir", "sed"];
    let is_editing = command
        .words
        .first()
        .and_then(crate::shell::Word::known)
        .is_some_and(|name| EDITING.contains(&&*name));
    check.context().mode == Mode::AcceptEdits
        && is_editing
        && command.assignments.is_empty()
        && !surroundings.leaves_folder
        && files::operands(command).all(|word| {
            accessed_files::for_operand(word, check.base_dirs).is_in_working_folder(check.base_dirs)
        })
}

/// Redirections write files, which edit rules and modes decide; after `cd` the file is unknown.
fn writes_are_allowed(
    check: &PolicyCheck<'_>,
    command: &Command,
    surroundings: &Surroundings,
) -> bool {
    let redirected = files::named_files(command)
        .iter()
        .any(|file| file.by == NamedBy::Redirect && file.access == Access::Write);
    if !redirected {
        return true;
    }
    let plain =
        command.redirects.iter().all(|each| !each.target.has_tilde() && !each.target.has_glob());
    let folders = [check.context().cwd.to_owned()];
    plain
        && !surroundings.leaves_folder
        && accessed_files::for_command(command, &folders, check.base_dirs)
            .iter()
            .filter(|file| file.by == NamedBy::Redirect && file.access == Access::Write)
            .all(|file| may_write(check, file))
}

fn may_write(check: &PolicyCheck<'_>, file: &AccessedFile) -> bool {
    let accepts = matches!(check.context().mode, Mode::AcceptEdits);
    (accepts && file.is_in_working_folder(check.base_dirs))
        || check.applicable(List::Allow).any(|sourced| {
            let rule_context = MatchContext {
                base_dirs: check.base_dirs,
                origin: sourced.origin,
                list: List::Allow,
            };
            let is_edit = sourced.rule.tool == ToolPattern::Name("Edit".to_owned());
            is_edit
                && match &sourced.rule.specifier {
                    Specifier::Whole => true,
                    Specifier::Path(pattern) => file.is_allowed_by(pattern, &rule_context),
                    _ => false,
                }
        })
}
