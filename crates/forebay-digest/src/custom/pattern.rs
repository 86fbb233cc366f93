//! Regex patterns of custom recognizers: validated early, compiled lazily, bounded in size.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Definition;

/// Maximum length of one pattern.
const MAX_PATTERN_BYTES: usize = 1_000;

/// Maximum compiled size of one pattern; a tenth of the engine's default.
const MAX_COMPILED_BYTES: usize = 1024 * 1024;

/// Maximum compiled size of all patterns of a recognizer together.
const MAX_SET_BYTES: usize = 8 * 1024 * 1024;

/// Maximum nesting depth of groups.
const MAX_NESTING: u32 = 50;

/// What a count does with a matching line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    Lines,
    /// Adds up the numbers captured by the group `sum`.
    Sum,
    /// Counts each value captured by the group `by`.
    By,
}

impl Counting {
    /// Derives the kind of count from the pattern's group names.
    pub(super) fn from_pattern(pattern: &str) -> Result<Self, String> {
        let groups = check(pattern)?;
        match groups.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => Ok(Self::Lines),
            ["sum"] => Ok(Self::Sum),
            ["by"] => Ok(Self::By),
            [_] => Err(format!("unknown group `{}`; use `sum` or `by`", groups[0])),
            _ => Err("at most one named group is allowed: `sum` or `by`".to_owned()),
        }
    }
}

/// Validates a pattern and returns the names of its groups.
pub(super) fn check(pattern: &str) -> Result<Vec<String>, String> {
    if pattern.is_empty() {
        return Err("an empty pattern matches every line".to_owned());
    }
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("{} bytes; at most {MAX_PATTERN_BYTES} are allowed", pattern.len()));
    }
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(MAX_NESTING).build();
    let parsed = parser.parse(pattern).map_err(|error| last_line(&error.to_string()))?;
    // Only counted repetition makes a short pattern large, so only such patterns are compiled here.
    if pattern.contains('{') {
        compile(pattern).map_err(|error| last_line(&error.to_string()))?;
    }
    Ok(group_names(&parsed))
}

fn group_names(parsed: &regex_syntax::hir::Hir) -> Vec<String> {
    use regex_syntax::hir::HirKind;
    match parsed.kind() {
        HirKind::Capture(capture) => {
            let own = capture.name.iter().map(ToString::to_string);
            own.chain(group_names(&capture.sub)).collect()
        }
        HirKind::Repetition(repeated) => group_names(&repeated.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().flat_map(group_names).collect()
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => Vec::new(),
    }
}

/// Extracts the reason from an engine error, whose earlier lines show the pattern.
fn last_line(message: &str) -> String {
    let last = message.lines().last().unwrap_or(message).trim();
    last.trim_start_matches("error: ").to_owned()
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(MAX_COMPILED_BYTES).nest_limit(MAX_NESTING).build()
}

/// Compiles all patterns into one set that scans a line once.
pub(super) fn compile_set(patterns: &[String]) -> Option<RegexSet> {
    RegexSetBuilder::new(patterns).size_limit(MAX_SET_BYTES).nest_limit(MAX_NESTING).build().ok()
}

/// The compiled patterns of a recognizer.
#[derive(Debug)]
pub(super) struct Patterns {
    /// The patterns of `keep`, then `drop`, then `counts`.
    pub(super) all: RegexSet,
    pub(super) keep: usize,
    pub(super) drop: usize,
    pub(super) counts: Vec<Count>,
}

/// A compiled count.
#[derive(Debug)]
pub(super) struct Count {
    pub(super) counting: Counting,
    /// Captures the named group, if there is one.
    group: Option<Regex>,
}

impl Patterns {
    pub(super) fn compile(definition: &Definition, counting: &[Counting]) -> Option<Self> {
        let Definition { keep, drop, counts, .. } = definition;
        let patterns = counts.iter().map(|count| &count.pattern);
        let all: Vec<String> = keep.iter().chain(drop).chain(patterns).cloned().collect();
        let count = |(count, counting): (&super::CountDefinition, &Counting)| {
            let group = match counting {
                Counting::Lines => None,
                Counting::Sum | Counting::By => Some(compile(&count.pattern).ok()?),
            };
            Some(Count { counting: *counting, group })
        };
        Some(Self {
            all: compile_set(&all)?,
            keep: keep.len(),
            drop: drop.len(),
            counts: counts.iter().zip(counting).map(count).collect::<Option<_>>()?,
        })
    }
}

impl Count {
    /// Returns the text captured by the named group.
    pub(super) fn captured<'a>(&self, line: &'a str) -> Option<&'a str> {
        let name = if self.counting == Counting::Sum { "sum" } else { "by" };
        Some(self.group.as_ref()?.captures(line)?.name(name)?.as_str())
    }
}
