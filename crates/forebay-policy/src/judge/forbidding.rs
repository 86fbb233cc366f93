//! Matches deny and ask rules against everything a command may run and touch.

use super::touches::{Hit, Touched};
use super::{Case, Specifier};
use crate::command_pattern::{CommandPattern, collapse_blanks};
use crate::commands::files::Access;
use crate::commands::{SurveyedCommand, base_name};
use crate::path::MatchContext;
use crate::rule::{List, ToolPattern};
use crate::rules::SourcedRule;
use crate::shell::{Word, join};
use crate::wildcard::{UnknownParts, has_marks, is_mark};

/// All spellings of all commands and files, computed once.
pub(super) struct Evidence {
    whole: String,
    spellings: Vec<Spelling>,
    pub(super) touched: Vec<Touched>,
}

/// One spelling of a command.
struct Spelling {
    text: String,
    /// Its name is partly known: `su$x`.
    half_named: bool,
    has_marks: bool,
}

impl Evidence {
    pub(super) fn new(text: &str, parts: &[SurveyedCommand], touched: Vec<Touched>) -> Self {
        let spellings = parts.iter().flat_map(spellings).collect();
        Self { whole: collapse_blanks(text), spellings, touched }
    }

    /// How certainly a deny or ask rule covers the call.
    pub(super) fn hit(&self, sourced: &SourcedRule, list: List, case: &Case<'_>) -> Hit {
        if case.covers_whole(sourced) {
            return Hit::Yes;
        }
        match &sourced.rule.specifier {
            Specifier::Command(pattern) | Specifier::CommandOrParameter(pattern, _) => {
                self.command_hit(pattern)
            }
            _ => self.file_hit(sourced, list, case),
        }
    }

    fn command_hit(&self, pattern: &CommandPattern) -> Hit {
        if pattern.is_compound && pattern.touches(&self.whole, UnknownParts::Closed) {
            return Hit::Yes;
        }
        self.spellings.iter().map(|spelling| spelling.hit(pattern)).max().unwrap_or(Hit::No)
    }

    /// A Read deny also applies to writing.
    fn file_hit(&self, sourced: &SourcedRule, list: List, case: &Case<'_>) -> Hit {
        let ToolPattern::Name(tool) = &sourced.rule.tool else { return Hit::No };
        let concerns = |touched: &&Touched| match (tool.as_str(), touched.access) {
            ("Read", Access::Read) | ("Edit", Access::Write) => true,
            ("Read", Access::Write) => list == List::Deny,
            _ => false,
        };
        let place = MatchContext { base_dirs: case.base_dirs, origin: sourced.origin, list };
        let hits =
            self.touched.iter().filter(concerns).map(|touched| match &sourced.rule.specifier {
                Specifier::Path(pattern) => touched.hit(pattern, &place),
                Specifier::Whole => Hit::Yes,
                _ => Hit::No,
            });
        hits.max().unwrap_or(Hit::No)
    }
}

impl Spelling {
    fn new(text: String, half_named: bool) -> Self {
        Self { has_marks: has_marks(&text), text, half_named }
    }

    fn hit(&self, pattern: &CommandPattern) -> Hit {
        if pattern.touches(&self.text, UnknownParts::Closed) {
            return Hit::Yes;
        }
        if !self.has_marks || !pattern.touches(&self.text, UnknownParts::Open) {
            return Hit::No;
        }
        if self.half_named { Hit::Yes } else { Hit::Maybe }
    }
}

/// A command as written, with quotes resolved, by its bare name, with and without assignments.
fn spellings(part: &SurveyedCommand) -> Vec<Spelling> {
    let command = &part.command;
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
    texts.into_iter().map(|text| Spelling::new(text, half_named)).collect()
}
