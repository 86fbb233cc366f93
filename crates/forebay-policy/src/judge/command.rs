//! Judges a shell command.

use super::accessed_files::{self, AccessedFile};
use super::allow;
use super::deny::CommandEvidence;
use super::{Execution, PolicyCheck, RuleMatch, by_rule, protected as protected_files, with_rule};
use crate::commands::files::{Access, NamedBy};
use crate::commands::removals::{self, CriticalRemoval};
use crate::commands::{Reachability, ReachableCommands, WatchedCommands};
use crate::context::{Mode, Unmatched};
use crate::rule::{List, Specifier};
use crate::rules::SourcedRule;
use crate::shell;
use crate::verdict::{Ground, Verdict};

/// Maximum length of a command; longer ones are always asked about.
const MAX_COMMAND_CHARS: usize = 10_000;

pub(super) fn judge(check: &PolicyCheck<'_>, execution: &Execution<'_>) -> Verdict {
    let context = check.context();
    let text = execution.command;
    let known: Vec<(&str, &str)> = [("HOME", context.home), ("PWD", Some(context.cwd))]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| (name, value)))
        .collect();
    let watched = watched_commands(check);
    let reachable = ReachableCommands::new(execution, &known, &watched);
    let folders = accessed_files::folders(&reachable, check.base_dirs);
    let files = reachable
        .commands
        .iter()
        .filter(|candidate| candidate.reachability != Reachability::Suspected)
        .flat_map(|candidate| {
            accessed_files::for_command(&candidate.command, &folders, check.base_dirs)
        })
        .collect();
    let evidence = CommandEvidence::new(text, &reachable.commands, files);
    forbidden(check, &evidence)
        .or_else(|| critical(check, &reachable, &folders, text))
        .or_else(|| unreadable(&reachable, text))
        .or_else(|| doubtful(check, &reachable))
        .or_else(|| super::variables::judge(check, &reachable))
        .or_else(|| protected(check, &evidence))
        .or_else(|| connecting(check, &evidence))
        .or_else(|| execution.is_input().then(|| Verdict::allow("no rule matches the input")))
        .or_else(|| allow::judge(check, &reachable, text, execution.variables))
        .unwrap_or_else(|| check.unmatched())
}

/// The words that commands of deny and ask rules begin with.
fn watched_commands(check: &PolicyCheck<'_>) -> WatchedCommands {
    let rules = [List::Deny, List::Ask].into_iter().flat_map(|list| check.applicable(list));
    WatchedCommands::new(rules.filter_map(|sourced| match &sourced.rule.specifier {
        Specifier::Command(pattern) | Specifier::CommandOrParameter(pattern, _) => {
            Some(pattern.leading_words())
        }
        _ => None,
    }))
}

/// A certain deny, then an ask, then a possible deny or ask.
fn forbidden(check: &PolicyCheck<'_>, evidence: &CommandEvidence) -> Option<Verdict> {
    let mut maybe: Option<Verdict> = None;
    for list in [List::Deny, List::Ask] {
        for sourced in check.applicable(list) {
            match evidence.match_rule(sourced, list, check) {
                RuleMatch::Yes => return Some(by_rule(list, sourced)),
                RuleMatch::Maybe => maybe = maybe.or_else(|| Some(may_match(sourced))),
                RuleMatch::No => {}
            }
        }
    }
    maybe
}

fn may_match(sourced: &SourcedRule) -> Verdict {
    let reason = format!(
        "it may run a command that is only known at run time, and that the {} rule {} may match",
        sourced.origin, sourced.text
    );
    with_rule(Verdict::ask(Ground::Unclear, reason), sourced)
}

/// A critical removal, unless it is one that a rule names literally.
fn critical(
    check: &PolicyCheck<'_>,
    reachable: &ReachableCommands<'_>,
    folders: &[String],
    text: &str,
) -> Option<Verdict> {
    let commands: Vec<&shell::Command> =
        reachable.commands.iter().map(|candidate| &candidate.command).collect();
    let critical = |command: &shell::Command| {
        let context = check.context();
        let removal = removals::critical(command, folders, context)
            .or_else(|| removals::critical_piped(command, &commands, folders, context))?;
        let may_be_approved = matches!(removal, CriticalRemoval::FoundInWorkingFolder(_));
        let is_approved = may_be_approved && allow::has_exact_rule(check, command, text);
        (!is_approved).then_some(removal)
    };
    let removal = commands.iter().find_map(|command| critical(command))?;
    Some(Verdict::ask(Ground::Removal, removal.reason()))
}

/// What cannot be parsed, displayed or reviewed is never approved.
fn unreadable(reachable: &ReachableCommands<'_>, text: &str) -> Option<Verdict> {
    if let Some(why) = reachable.broken {
        return Some(Verdict::ask(Ground::Unclear, format!("it cannot be parsed as shell: {why}")));
    }
    if let Some(why) = shell::hidden_in(text) {
        return Some(Verdict::ask(Ground::Unclear, why));
    }
    (text.chars().count() > MAX_COMMAND_CHARS).then(|| {
        Verdict::ask(Ground::Unclear, format!("it is longer than {MAX_COMMAND_CHARS} characters"))
    })
}

/// What is only known at run time matters if some rule could match it.
fn doubtful(check: &PolicyCheck<'_>, reachable: &ReachableCommands<'_>) -> Option<Verdict> {
    let doubt = reachable.doubts.first()?;
    let matters = match check.context().mode {
        Mode::Forebay(Unmatched::Run) => {
            [List::Deny, List::Ask, List::Allow].iter().any(|list| speaks_of_commands(check, *list))
        }
        Mode::BypassPermissions => {
            [List::Deny, List::Ask].iter().any(|list| speaks_of_commands(check, *list))
        }
        _ => true,
    };
    matters.then(|| Verdict::ask(Ground::Unclear, doubt.0))
}

fn speaks_of_commands(check: &PolicyCheck<'_>, list: List) -> bool {
    check.applicable(list).any(|sourced| {
        check.names_tool(&sourced.rule.tool) || matches!(sourced.rule.specifier, Specifier::Path(_))
    })
}

fn protected(check: &PolicyCheck<'_>, evidence: &CommandEvidence) -> Option<Verdict> {
    if check.context().mode == Mode::BypassPermissions {
        return None;
    }
    let written = evidence.files.iter().filter(|file| file.access == Access::Write);
    let mut paths = written.flat_map(AccessedFile::paths);
    paths
        .find(|path| protected_files::is_protected(path))
        .map(|path| Verdict::ask(Ground::ProtectedFile, protected_files::reason(path)))
}

/// Redirections to `/dev/tcp` and `/dev/udp` open connections, which a rule about the command does not speak of.
///
/// Where unmatched commands run anyway, `curl` runs as well, so nothing is asked.
fn connecting(check: &PolicyCheck<'_>, evidence: &CommandEvidence) -> Option<Verdict> {
    if matches!(check.context().mode, Mode::BypassPermissions | Mode::Forebay(Unmatched::Run)) {
        return None;
    }
    let is_socket = |path: &str| path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
    let mut redirected = evidence.files.iter().filter(|file| file.by == NamedBy::Redirect);
    redirected.find(|file| is_socket(&file.given)).map(|file| {
        Verdict::ask(
            Ground::Unmatched,
            format!("it opens a network connection through {}", file.given),
        )
    })
}

/// The literal commands of the text, which must be allowed themselves.
pub(super) fn literal_commands<'a>(
    reachable: &'a ReachableCommands<'_>,
) -> impl Iterator<Item = &'a shell::Command> {
    reachable
        .commands
        .iter()
        .filter(|candidate| candidate.reachability == Reachability::Literal)
        .map(|candidate| &candidate.command)
}
