//! Matches deny and ask rules against every command that a text may run and every file it accesses.

use super::accessed_files::AccessedFile;
use super::{PolicyCheck, RuleMatch, Specifier};
use crate::command_pattern::{CommandPattern, collapse_blanks};
use crate::commands::files::Access;
use crate::commands::{Reachability, ReachableCommand, base_name};
use crate::path::MatchContext;
use crate::rule::{List, ToolPattern};
use crate::rules::SourcedRule;
use crate::shell::{Word, join};
use crate::wildcard::{UnknownParts, has_marks, is_mark};

/// All spellings of all commands and files, computed once.
pub(super) struct CommandEvidence {
    whole: String,
    spellings: Vec<Spelling>,
    pub(super) files: Vec<AccessedFile>,
}

/// One spelling of a command.
struct Spelling {
    text: String,
    /// Its name is partly known: `su$x`.
    half_named: bool,
    has_marks: bool,
    /// It may be no command at all.
    is_suspected: bool,
}

impl CommandEvidence {
    pub(super) fn new(text: &str, commands: &[ReachableCommand], files: Vec<AccessedFile>) -> Self {
        let spellings = commands.iter().flat_map(spellings).collect();
        Self { whole: collapse_blanks(text), spellings, files }
    }

    /// How certainly a deny or ask rule covers the call.
    pub(super) fn match_rule(
        &self,
        sourced: &SourcedRule,
        list: List,
        check: &PolicyCheck<'_>,
    ) -> RuleMatch {
        if check.covers_whole(sourced) {
            return RuleMatch::Yes;
        }
        match &sourced.rule.specifier {
            Specifier::Command(pattern) | Specifier::CommandOrParameter(pattern, _) => {
                self.match_command(pattern)
            }
            _ => self.match_file(sourced, list, check),
        }
    }

    fn match_command(&self, pattern: &CommandPattern) -> RuleMatch {
        if pattern.is_compound && pattern.matches_ignoring_quotes(&self.whole, UnknownParts::Closed)
        {
            return RuleMatch::Yes;
        }
        self.spellings
            .iter()
            .map(|spelling| spelling.match_pattern(pattern))
            .max()
            .unwrap_or(RuleMatch::No)
    }

    /// A Read deny also applies to writing.
    fn match_file(&self, sourced: &SourcedRule, list: List, check: &PolicyCheck<'_>) -> RuleMatch {
        let ToolPattern::Name(tool) = &sourced.rule.tool else { return RuleMatch::No };
        let concerns = |file: &&AccessedFile| match (tool.as_str(), file.access) {
            ("Read", Access::Read) | ("Edit", Access::Write) => true,
            ("Read", Access::Write) => list == List::Deny,
            _ => false,
        };
        let rule_context =
            MatchContext { base_dirs: check.base_dirs, origin: sourced.origin, list };
        let hits = self.files.iter().filter(concerns).map(|file| match &sourced.rule.specifier {
            Specifier::Path(pattern) => file.match_pattern(pattern, &rule_context),
            Specifier::Whole => RuleMatch::Yes,
            _ => RuleMatch::No,
        });
        hits.max().unwrap_or(RuleMatch::No)
    }
}

impl Spelling {
    fn new(text: String, half_named: bool, is_suspected: bool) -> Self {
        Self { has_marks: has_marks(&text), text, half_named, is_suspected }
    }

    fn match_pattern(&self, pattern: &CommandPattern) -> RuleMatch {
        let is_match = self.match_words(pattern);
        if self.is_suspected { is_match.min(RuleMatch::Maybe) } else { is_match }
    }

    fn match_words(&self, pattern: &CommandPattern) -> RuleMatch {
        if pattern.matches_ignoring_quotes(&self.text, UnknownParts::Closed) {
            return RuleMatch::Yes;
        }
        if !self.has_marks || !pattern.matches_ignoring_quotes(&self.text, UnknownParts::Open) {
            return RuleMatch::No;
        }
        if self.half_named { RuleMatch::Yes } else { RuleMatch::Maybe }
    }
}

/// A command as written, with quotes resolved, by its bare name, with and without assignments.
fn spellings(candidate: &ReachableCommand) -> Vec<Spelling> {
    let command = &candidate.command;
    let Some(first) = command.words.first() else { return Vec::new() };
    let name = base_name(first);
    let half_named = has_marks(&name) && name.chars().any(|c| !is_mark(c));
    let arguments: Vec<String> = command.words[1..].iter().map(Word::marked).collect();
    let resolved = |name: &str| join(std::iter::once(name).chain(arguments.iter().map(|a| &**a)));
    let assigned: String = command
        .assignments
        .iter()
        .map(|each| format!("{}={} ", each.name, each.value.source))
        .collect();
    let mut texts = vec![resolved(&name), resolved(&first.marked())];
    // As written, for rules that contain quotes or variables.
    let source = command.source();
    texts.push(format!("{assigned}{source}"));
    texts.push(source);
    texts.sort_unstable();
    texts.dedup();
    let is_suspected = candidate.reachability == Reachability::Suspected;
    texts.into_iter().map(|text| Spelling::new(text, half_named, is_suspected)).collect()
}
