//! Variables that make a visible command do something that rules do not see.

use super::PolicyCheck;
use crate::commands::ReachableCommands;
use crate::commands::variables::{self, Effect};
use crate::context::CallContext;
use crate::rule::{List, Specifier};
use crate::shell::{Assignment, Command, Piece, Word};
use crate::verdict::{Ground, Verdict};

/// Folders in which anybody may put a program.
const SHARED_FOLDERS: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Asks about a variable by which a command could dodge a deny or ask rule about commands.
///
/// Rules about files do not count: isolation enforces them whatever a program loads.
pub(super) fn judge(check: &PolicyCheck<'_>, reachable: &ReachableCommands<'_>) -> Option<Verdict> {
    let may_dodge = [List::Deny, List::Ask].iter().any(|list| names_commands(check, *list));
    if !may_dodge {
        return None;
    }
    let commands = reachable.commands.iter().map(|reachable| &reachable.command);
    let why = commands.flat_map(|command| reasons(command, check.context())).next()?;
    Some(Verdict::ask(Ground::Unclear, why))
}

fn names_commands(check: &PolicyCheck<'_>, list: List) -> bool {
    check.applicable(list).any(|sourced| {
        matches!(sourced.rule.specifier, Specifier::Command(_) | Specifier::CommandOrParameter(..))
    })
}

fn reasons(command: &Command, context: &CallContext<'_>) -> Vec<String> {
    let made = variables::assignments(command);
    made.iter().filter_map(|assignment| reason(assignment, command, context)).collect()
}

fn reason(assignment: &Assignment, command: &Command, context: &CallContext<'_>) -> Option<String> {
    let name = &assignment.name;
    match variables::effect(name)? {
        Effect::Runs | Effect::Prompts | Effect::Options => None,
        Effect::Imports => assignment
            .value
            .known()
            .is_none_or(|value| value.contains('.'))
            .then(|| format!("{name} may load a module that rules cannot see")),
        Effect::Settings => (!are_trusted_settings(&assignment.value, context)).then(|| {
            format!("{name} names settings that a run may write and that can run commands")
        }),
        Effect::Loads => Some(format!("{name} makes programs load what rules cannot see")),
        Effect::Splits => {
            command.words.is_empty().then(|| format!("{name} changes how later words are split"))
        }
        Effect::SearchPath => (!is_trusted_search_path(&assignment.value, context))
            .then(|| format!("{name} names a folder in which a program may replace a known one")),
    }
}

/// Whether settings are where runs cannot plant them: the user's own, or the system's. Without a value they are the
/// program's usual ones.
fn are_trusted_settings(value: &Word, context: &CallContext<'_>) -> bool {
    value.pieces.is_empty()
        || value.known().is_some_and(|text| text.is_empty())
        || is_trusted_search_path(value, context)
}

/// Whether every folder is absolute and outside the project and shared folders.
fn is_trusted_search_path(value: &Word, context: &CallContext<'_>) -> bool {
    /// Stands for the search path so far.
    const INHERITED: &str = "\0";
    let mut text = String::new();
    for piece in &value.pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Tilde => text.push('~'),
            Piece::Hole(hole) => match (hole.name.as_deref(), context.home) {
                (Some("PATH"), _) => text.push_str(INHERITED),
                (Some("HOME"), Some(home)) => text.push_str(home),
                _ => return false,
            },
            _ => return false,
        }
    }
    text.split(':').all(|entry| {
        let at_home = entry.strip_prefix("~/").zip(context.home);
        let folder =
            at_home.map_or_else(|| entry.to_owned(), |(rest, home)| format!("{home}/{rest}"));
        entry == INHERITED || is_trusted_folder(&folder, context)
    })
}

fn is_trusted_folder(folder: &str, context: &CallContext<'_>) -> bool {
    let is_below = |above: &str| {
        let rest = folder.strip_prefix(above.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut untrusted = SHARED_FOLDERS.iter().copied().chain([context.root, context.cwd]);
    folder.starts_with('/')
        && !folder.split('/').any(|part| part == "..")
        && !untrusted.any(is_below)
}
