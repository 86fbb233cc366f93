//! Orders the rules of linters and checkers by what a reader needs first; every list of findings uses this order.

use super::{ValueCounts, is_rule_code};

/// Words in the names of rules that are only about the look of the code.
const COSMETIC_WORDS: &[&str] = &[
    "whitespace",
    "space",
    "spaces",
    "spacing",
    "blanks",
    "indent",
    "indentation",
    "quotes",
    "trailing",
    "newline",
    "newlines",
    "layout",
    "tab",
    "tabs",
    "eol",
    "formatting",
    "prettier",
    "stylistic",
];

/// The same for several words in a row.
const COSMETIC_NAMES: &[&str] = &[
    "line-length",
    "line-too-long",
    "max-len",
    "long-lines",
    "empty-line",
    "blank-line",
    "multiple-blank",
];

/// The same in messages.
const COSMETIC_MESSAGES: &[&str] = &[
    "whitespace",
    "blank line",
    "empty line",
    "line too long",
    "line is too long",
    "line is longer",
    "line length",
    "trailing space",
    "trailing comma",
    "newline at",
    "final newline",
    "indentation",
    "over-indented",
    "under-indented",
    "continuation line",
    "unexpected spaces",
    "spaces before inline comment",
    "comment should start",
    "hard tab",
    "tab character",
    "spaces and tabs",
    "line break before",
    "line break after",
];

/// Messages about code that cannot be read at all.
const UNREADABLE: &[&str] = &["error", "unexpected indent", "expected an indented"];

/// What the order depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleTraits<'a> {
    pub(crate) name: &'a str,
    /// A message of the rule.
    pub(crate) message: &'a str,
    /// The severity, 0 for the worst.
    pub(crate) rank: u8,
    pub(crate) count: u64,
    /// Position of the first finding among those of other rules.
    pub(crate) order: usize,
}

/// Sorts rules: cosmetic ones last, severe ones first, then those of rare families, such as `F` among `E501` and `E302`.
pub(crate) fn sort_rules<'a, T>(rules: &mut [T], traits: impl Fn(&T) -> RuleTraits<'a>) {
    let mut families = ValueCounts::default();
    for rule in rules.iter().map(&traits) {
        families.add_many(family(rule.name), rule.count);
    }
    rules.sort_by_cached_key(|rule| {
        let RuleTraits { name, message, rank, count, order } = traits(rule);
        (is_cosmetic(name, message), rank, families.count_of(family(name)), count, order)
    });
}

/// Returns true for a rule about blanks, length of lines and the like.
pub(crate) fn is_cosmetic(name: &str, message: &str) -> bool {
    // `-Wformat` and `-Wmisleading-indentation` of compilers, and ShellCheck's remarks on blanks, are about the meaning.
    let is_about_meaning = name.starts_with('-') || name.starts_with("SC") && is_rule_code(name);
    if is_about_meaning {
        return false;
    }
    let message = message.to_ascii_lowercase();
    let contains = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
    !contains(UNREADABLE) && (contains(COSMETIC_MESSAGES) || has_cosmetic_name(name))
}

fn has_cosmetic_name(name: &str) -> bool {
    let name = hyphenated(name);
    name.split('-').any(|word| COSMETIC_WORDS.contains(&word))
        || COSMETIC_NAMES.iter().any(|words| name.contains(words))
}

/// Spells `Layout/LineLength` and `line_length` as `layout-line-length` and `line-length`.
fn hyphenated(name: &str) -> String {
    let mut hyphenated = String::with_capacity(name.len() + 4);
    let mut is_after_lowercase = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && is_after_lowercase {
            hyphenated.push('-');
        }
        is_after_lowercase = c.is_ascii_lowercase();
        hyphenated.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    }
    hyphenated
}

/// Returns the letters before the number of a rule; rules without a number are one family.
fn family(rule: &str) -> &str {
    if is_rule_code(rule) { rule.trim_end_matches(|c: char| c.is_ascii_digit()) } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_the_look_of_code_are_cosmetic() {
        for (name, message) in [
            ("E302", "expected 2 blank lines, found 1"),
            ("E251", "unexpected spaces around keyword / parameter equals"),
            ("E501", "line too long (85 > 79 characters)"),
            ("W191", "indentation contains tabs"),
            ("W292", "no newline at end of file"),
            ("MD013/line-length", "Line length"),
            ("Layout/LineLength", "Line is too long. [103/100]"),
            ("quotes", "Strings must use singlequote"),
            ("@stylistic/semi", "Missing semicolon"),
            ("yaml[trailing-spaces]", "Spaces are found at the end of lines"),
            ("MaxLineLength", ""),
        ] {
            assert!(is_cosmetic(name, message), "{name} {message}");
        }
        for (name, message) in [
            ("F821", "undefined name 'blank'"),
            ("E999", "IndentationError: unexpected indent"),
            ("E112", "expected an indented block"),
            ("-Wmisleading-indentation", "this 'if' clause does not guard"),
            ("-Wformat=", "format '%d' expects a matching argument"),
            ("SC1118", "Delete whitespace after the here-doc end token."),
            ("react/jsx-no-target-blank", "Using target=\"_blank\" without rel=\"noreferrer\""),
            ("jsx-a11y/tabindex-no-positive", "Avoid positive values for tabIndex"),
            ("W117", "'x' is not defined."),
        ] {
            assert!(!is_cosmetic(name, message), "{name} {message}");
        }
    }

    #[test]
    fn severe_and_rare_rules_come_first_and_cosmetic_ones_last() {
        let mut rules = [
            ("E302", "expected 2 blank lines", 0, 22),
            ("F401", "imported but unused", 0, 6),
            ("E722", "do not use bare 'except'", 0, 1),
            ("E711", "comparison to None", 1, 1),
            ("F821", "undefined name", 0, 3),
        ];
        sort_rules(&mut rules, |(name, message, rank, count)| RuleTraits {
            name,
            message,
            rank: *rank,
            count: *count,
            order: 0,
        });
        assert_eq!(rules.map(|(name, ..)| name), ["F821", "F401", "E722", "E711", "E302"]);
    }
}
