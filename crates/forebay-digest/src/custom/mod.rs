//! User-defined recognizers: which output they claim, and which lines they keep, drop and count.
//!
//! A pattern only decides what is shown; the full text stays in the store. Patterns match in linear
//! time and are bounded in size. Their syntax is checked when they are defined, but they are
//! compiled only when a text needs them, so a process that digests nothing does not pay for them.

mod check;
mod pattern;
mod reader;

use std::sync::{Arc, OnceLock};

use regex::RegexSet;

use crate::command::Command;
pub use check::SampleCheck;
use pattern::{Counting, Patterns};
pub(crate) use reader::CustomReader;

/// Maximum number of patterns per recognizer.
const MAX_PATTERNS: usize = 64;

/// Maximum number of recognizers per user.
const MAX_RECOGNIZERS: usize = 100;

/// A custom recognizer as written in the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    /// Commands that print the format, such as `deploy` or `make deploy`.
    pub commands: Vec<String>,
    /// Patterns; one of them must match a line at the start of the text.
    pub first_lines: Vec<String>,
    /// Lines to show before all others, in the order of the patterns.
    pub keep: Vec<String>,
    /// Lines to omit, unless `keep` matches them too.
    pub drop: Vec<String>,
    pub counts: Vec<CountDefinition>,
}

/// A labelled count of matching lines.
///
/// A group `(?<sum>…)` adds up the captured numbers; a group `(?<by>…)` counts each captured value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountDefinition {
    pub label: String,
    pub pattern: String,
}

/// A definition that was rejected, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct BadDefinition {
    /// Key below `recognizers`, such as `deploy.keep[1]`.
    pub key: String,
    pub message: String,
}

/// The validated recognizers of a user.
#[derive(Debug, Clone, Default)]
pub struct CustomRecognizers(Arc<Vec<Arc<CustomRecognizer>>>);

/// A recognizer with a valid definition.
#[derive(Debug)]
pub(crate) struct CustomRecognizer {
    definition: Definition,
    counting: Vec<Counting>,
    first_lines: OnceLock<Option<RegexSet>>,
    patterns: OnceLock<Option<Patterns>>,
}

impl CustomRecognizers {
    /// Validates the definitions; fails on the first invalid one.
    pub fn new(definitions: impl IntoIterator<Item = Definition>) -> Result<Self, BadDefinition> {
        let recognizers: Vec<Arc<CustomRecognizer>> = definitions
            .into_iter()
            .map(|one| CustomRecognizer::new(one).map(Arc::new))
            .collect::<Result<_, _>>()?;
        if recognizers.len() > MAX_RECOGNIZERS {
            let message =
                format!("{} recognizers; at most {MAX_RECOGNIZERS} are allowed", recognizers.len());
            return Err(BadDefinition { key: String::new(), message });
        }
        Ok(Self(Arc::new(recognizers)))
    }

    /// Returns a reader for the recognizer that claims the text, if one does.
    ///
    /// A recognizer with conditions on both command and first lines takes precedence over one with
    /// a single condition.
    pub(crate) fn find_claiming(&self, command: &Command, start: &str) -> Option<CustomReader> {
        let claim = self.0.iter().filter(|custom| custom.claims(command, start));
        // The first of equals wins.
        let best = claim
            .reduce(|best, next| if next.conditions() > best.conditions() { next } else { best });
        CustomReader::new(Arc::clone(best?))
    }
}

impl CustomRecognizer {
    fn new(definition: Definition) -> Result<Self, BadDefinition> {
        validate(&definition)?;
        let name = &definition.name;
        for (list, patterns) in [
            ("first_lines", &definition.first_lines),
            ("keep", &definition.keep),
            ("drop", &definition.drop),
        ] {
            for (index, pattern) in patterns.iter().enumerate() {
                let key = || format!("{name}.{list}[{index}]");
                pattern::check(pattern).map_err(|message| BadDefinition { key: key(), message })?;
            }
        }
        let counting = definition.counts.iter().enumerate().map(|(index, count)| {
            let key = || format!("{name}.counts[{index}].pattern");
            Counting::from_pattern(&count.pattern)
                .map_err(|message| BadDefinition { key: key(), message })
        });
        Ok(Self {
            counting: counting.collect::<Result<_, _>>()?,
            definition,
            first_lines: OnceLock::new(),
            patterns: OnceLock::new(),
        })
    }

    fn claims(&self, command: &Command, start: &str) -> bool {
        let Definition { commands, first_lines, .. } = &self.definition;
        let by_command =
            commands.is_empty() || commands.iter().any(|pattern| command.matches(pattern));
        by_command && (first_lines.is_empty() || self.matches_start(start))
    }

    fn matches_start(&self, start: &str) -> bool {
        let patterns =
            self.first_lines.get_or_init(|| pattern::compile_set(&self.definition.first_lines));
        let starts_so = |set: &RegexSet| {
            crate::recognizers::first_lines(start).into_iter().any(|line| set.is_match(line))
        };
        patterns.as_ref().is_some_and(starts_so)
    }

    fn conditions(&self) -> usize {
        let Definition { commands, first_lines, .. } = &self.definition;
        usize::from(!commands.is_empty()) + usize::from(!first_lines.is_empty())
    }

    /// Returns `None` only if the patterns together exceed the size limit.
    fn patterns(&self) -> Option<&Patterns> {
        self.patterns.get_or_init(|| Patterns::compile(&self.definition, &self.counting)).as_ref()
    }
}

/// Checks that a definition has a name, a condition and something to do.
fn validate(definition: &Definition) -> Result<(), BadDefinition> {
    let Definition { name, commands, first_lines, keep, drop, counts } = definition;
    let patterns = first_lines.len() + keep.len() + drop.len() + counts.len();
    let is_name = |name: &str| {
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        !name.is_empty() && name.len() <= 40 && name.chars().all(known)
    };
    let message = match () {
        () if !is_name(name) => "a name consists of 1 to 40 letters, digits, - and _".to_owned(),
        () if commands.is_empty() && first_lines.is_empty() => {
            "`commands` or `first_lines` must select the output".to_owned()
        }
        () if keep.is_empty() && drop.is_empty() && counts.is_empty() => {
            "`keep`, `drop` and `counts` are empty".to_owned()
        }
        () if commands.iter().any(|command| command.trim().is_empty()) => {
            "empty text in `commands`".to_owned()
        }
        () if counts.iter().any(|count| count.label.trim().is_empty()) => {
            "a count has no `label`".to_owned()
        }
        () if patterns > MAX_PATTERNS => {
            format!("{patterns} patterns; at most {MAX_PATTERNS} are allowed")
        }
        () => return Ok(()),
    };
    Err(BadDefinition { key: name.clone(), message })
}

#[cfg(test)]
mod tests;
