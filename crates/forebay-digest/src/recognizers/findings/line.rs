//! The grammar of one finding: a place, a severity, a rule and a message, in the spellings that linters use.

use crate::location;
use crate::tally::{Severity, is_rule_code};

/// Symbols that linters print instead of a severity.
const SYMBOLS: &[(&str, Severity)] = &[
    ("✖", Severity::Error),
    ("✘", Severity::Error),
    ("×", Severity::Error),
    ("⚠", Severity::Warning),
    ("▲", Severity::Warning),
    ("ℹ", Severity::Note),
];

/// The same in ASCII, where only what is indented can be one.
const INDENTED_SYMBOLS: &[(&str, Severity)] =
    &[("  x ", Severity::Error), ("  ! ", Severity::Warning), ("  i ", Severity::Note)];

/// Nouns before a finding of several lines: `>> Issue: [B602:shell] message`.
const LABELS: &[&str] = &["Issue: ", "Finding: ", "Problem: ", "Violation: "];

/// A longer word is no name of a rule.
const MAX_RULE_BYTES: usize = 64;

/// A finding of a linter or a checker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finding<'a> {
    /// Empty if the finding stands below the name of its file.
    pub(super) path: &'a str,
    /// Line and column as the tool writes them; empty if the place is on another line.
    pub(super) place: &'a str,
    pub(super) severity: Option<Severity>,
    /// Empty if the tool names none.
    pub(super) rule: &'a str,
    pub(super) message: &'a str,
}

impl<'a> Finding<'a> {
    /// Parses a finding that names its file: `a.py:3:5: F401 message`, `a.js: line 3, col 5, message (W033)`.
    /// The severity may come first: `[WARN] A.java:3:5: message [Rule]`.
    pub(super) fn with_path(text: &'a str) -> Option<Self> {
        let (first, text) = bracketed_severity(text);
        let (path, place, body) = place_in_words(text).or_else(|| {
            let located = location::located_message(text)?;
            let after = text[located.path.len()..].trim_start_matches([':', '(', '[']);
            Some((located.path, line_and_column(after), located.text))
        })?;
        let body = Self::body(body);
        Some(Self { path, place, severity: first.or(body.severity), ..body })
    }

    /// Parses a finding below the name of its file: `  12:5  error  message  rule`, `  L12 message (rule)`.
    pub(super) fn below_path(text: &'a str) -> Option<Self> {
        if !text.starts_with([' ', '\t', 'L']) {
            return None;
        }
        let text = text.trim_start();
        let text =
            ["L:", "L", "line "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
        let text = text.trim_start();
        let place = line_and_column(text);
        let body = &text[place.len()..];
        let is_separated = !place.is_empty() && body.starts_with([' ', '\t', '|']);
        is_separated.then(|| Self { place, ..Self::body(body.trim_start()) })
    }

    /// Parses what follows the place.
    fn body(text: &'a str) -> Self {
        let text = without_columns(text.trim().trim_start_matches("- "));
        let (severity, text) = severity(text);
        let (rule, message) = rule(text);
        Self { path: "", place: "", severity, rule, message }
    }

    /// Parses a finding whose place is on another line: `D400: message`, `^ message (rule)`.
    pub(super) fn without_place(text: &'a str) -> Option<Self> {
        let text = text.trim_start_matches([' ', '\t', '^', '~', '|']);
        Some(Self::body(text)).filter(|finding| !finding.rule.is_empty())
    }

    /// Returns true if the tool says what kind of finding it is, which tells it from a line that grep found.
    pub(super) fn is_classified(&self) -> bool {
        let explains_another = self.severity == Some(Severity::Note);
        self.severity.is_some() && !explains_another || !self.rule.is_empty()
    }
}

/// Parses the first line of a finding of several, which names a rule, or a severity by a sign that no prose has.
pub(super) fn head(text: &str) -> Option<Finding<'_>> {
    let is_symbol = |(symbol, _): &&(&str, Severity)| text.starts_with(*symbol);
    if let Some((symbol, severity)) = INDENTED_SYMBOLS.iter().find(is_symbol) {
        return Some(rated_head(Some(*severity), &text[symbol.len()..]));
    }
    let text = text.trim_start().trim_start_matches(['>', '❱', '❯', ' ']);
    if let Some((symbol, severity)) = SYMBOLS.iter().find(|(symbol, _)| text.starts_with(symbol)) {
        return Some(rated_head(Some(*severity), text[symbol.len()..].trim_start()));
    }
    let text = LABELS.iter().find_map(|label| text.strip_prefix(label)).unwrap_or(text);
    if let Some((word, message)) = text.split_once(": ")
        && let Some((severity, rule)) = word.strip_suffix(']').and_then(|word| word.split_once('['))
        && let Some(severity) = Severity::from_word(severity)
    {
        let is_name = is_rule(rule) && !message.is_empty();
        return is_name.then_some(Finding {
            path: "",
            place: "",
            severity: Some(severity),
            rule,
            message,
        });
    }
    Some(rated_head(None, text)).filter(|finding| !finding.rule.is_empty())
}

fn rated_head(severity: Option<Severity>, text: &str) -> Finding<'_> {
    let (rule, message) = divided_rule(text).or_else(|| leading_rule(text)).unwrap_or(("", text));
    Finding { path: "", place: "", severity, rule, message }
}

/// Parses `plugin(rule): message`, `rule[part]: message`.
fn divided_rule(text: &str) -> Option<(&str, &str)> {
    let (word, message) = text.split_once(": ")?;
    let (name, part) = word
        .strip_suffix(']')
        .and_then(|word| word.split_once('['))
        .or_else(|| word.strip_suffix(')').and_then(|word| word.split_once('(')))?;
    let is_name = |name: &str| is_rule(name) && !name.contains(['.', ':']);
    (is_name(name) && is_name(part) && word.len() <= MAX_RULE_BYTES).then_some((word, message))
}

/// Splits off a leading `[WARN] `.
fn bracketed_severity(text: &str) -> (Option<Severity>, &str) {
    let split = || {
        let (word, rest) = text.strip_prefix('[')?.split_once("] ")?;
        Some((Severity::from_word(word)?, rest))
    };
    split().map_or((None, text), |(severity, rest)| (Some(severity), rest))
}

/// Removes leading fields that only tell a column: `| P:  16 | CP02 | message` becomes `CP02 message`-like text.
fn without_columns(text: &str) -> &str {
    let mut rest = text.trim_start_matches(['|', ' ']);
    while let Some((field, after)) = rest.split_once('|') {
        // `P: 16` and `16`, but not the code `LT05`.
        let number = field.split_once(':').map_or(field, |(_, number)| number);
        if number.trim().parse::<u64>().is_err() {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// Parses `a.js: line 3, col 5, message`; the column is left out.
fn place_in_words(text: &str) -> Option<(&str, &str, &str)> {
    let (path, rest) = text.split_once(": line ")?;
    let (line, rest) = rest.split_once([',', ':'])?;
    let rest = rest.trim_start();
    let column = ["col ", "column "].iter().find_map(|word| rest.strip_prefix(word));
    let message = match column {
        Some(rest) => rest.split_once([',', ':'])?.1.trim_start(),
        None => rest,
    };
    let is_place = line.parse::<u64>().is_ok() && !path.contains(' ') && path.contains(['.', '/']);
    is_place.then_some((path, line, message))
}

/// Returns the leading `12:5` or `12`.
pub(super) fn line_and_column(text: &str) -> &str {
    let end =
        text.find(|c: char| !c.is_ascii_digit() && c != ':' && c != ',').unwrap_or(text.len());
    let place = text[..end].trim_end_matches([':', ',']);
    if place.starts_with(|c: char| c.is_ascii_digit()) { place } else { "" }
}

/// Splits off a leading severity.
fn severity(text: &str) -> (Option<Severity>, &str) {
    for (symbol, severity) in SYMBOLS {
        if let Some(rest) = text.strip_prefix(symbol) {
            return (Some(*severity), rest.trim_start());
        }
    }
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    match Severity::from_word(first) {
        Some(severity) => (Some(severity), rest.trim_start_matches([' ', '|'])),
        None => (None, text),
    }
}

/// Splits the rule from the message: a code or a column of its own first, or a word in brackets or after several blanks
/// at the end.
pub(super) fn rule(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    leading_rule(text).or_else(|| trailing_rule(text)).unwrap_or(("", text))
}

fn leading_rule(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once(' ')?;
    let code = first.trim_end_matches(':').trim_matches(['[', ']']);
    let is_column = rest.starts_with(' ');
    let is_field = rest.trim_start().starts_with("| ");
    let is_labelled = is_column || is_field || first.ends_with(':') || first.starts_with('[');
    let message = rest.trim_start().trim_start_matches("| ");
    // What follows the message in a table is no part of it.
    let message = if is_column { message.split("   ").next().unwrap_or(message) } else { message };
    let is_code = has_rule_code(code) || is_field && is_short_code(code);
    (is_code || is_labelled && is_rule_name(code)).then_some((code, message))
}

fn trailing_rule(text: &str) -> Option<(&str, &str)> {
    let bracketed = |open: char, close: char| {
        let (message, rule) = text.strip_suffix(close)?.rsplit_once(open)?;
        (message.ends_with(' ') && is_rule(rule)).then_some((rule, message.trim_end()))
    };
    let column = || {
        let (message, rule) = text.rsplit_once("  ")?;
        is_rule_name(rule).then_some((rule, message.trim_end()))
    };
    bracketed('(', ')').or_else(|| bracketed('[', ']')).or_else(column)
}

/// Returns true for a code that could be a word anywhere but in a field of its own: `LT05`, `PRS`.
fn is_short_code(word: &str) -> bool {
    (2..=8).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns true for a code, alone or with its name: `MD013/line-length`, `B602:shell`.
fn has_rule_code(word: &str) -> bool {
    let (code, name) = word.split_once(['/', ':']).unwrap_or((word, "name"));
    is_rule_code(code) && is_rule(name)
}

/// Returns true for one word that may be the name of a rule.
fn is_rule(word: &str) -> bool {
    let is_known = |c: char| c.is_alphanumeric() || "-_/@.:'’".contains(c);
    (2..=MAX_RULE_BYTES).contains(&word.len())
        && word.chars().all(is_known)
        && word.contains(char::is_alphabetic)
}

/// Returns true for a rule that cannot be a word of a message: `no-undef`, `lint/style/useConst`, `E501`.
fn is_rule_name(word: &str) -> bool {
    is_rule(word) && (is_rule_code(word) || word.contains(['-', '/', '_']) && !word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_spellings_of_linters() {
        for (text, rule, message) in [
            ("a.js:2:14: Missing space. (space-infix-ops)", "space-infix-ops", "Missing space."),
            ("a.js: line 1, col 22, Missing semicolon. (W033)", "W033", "Missing semicolon."),
            ("a.py:3:5: F401 'os' imported", "F401", "'os' imported"),
            (
                "a.py:3:5 - error: \"x\" is unknown (reportIndexIssue)",
                "reportIndexIssue",
                "\"x\" is unknown",
            ),
            ("a.c(3,5): warning: unused [unused-variable]", "unused-variable", "unused"),
            (
                "a.md:3:81 error MD013/line-length Line length [Expected: 80]",
                "MD013/line-length",
                "Line length [Expected: 80]",
            ),
            (
                "[WARN] /src/A.java:3:5: Missing a comment. [JavadocVariable]",
                "JavadocVariable",
                "Missing a comment.",
            ),
        ] {
            let finding = Finding::with_path(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((finding.rule, finding.message), (rule, message), "{text}");
            assert!(!finding.place.is_empty(), "{text}");
        }
        let below = Finding::below_path("L:   2 | P:  16 | CP02 | Names must be consistent.");
        let below = below.map(|finding| (finding.place, finding.rule, finding.message));
        assert_eq!(below, Some(("2", "CP02", "Names must be consistent.")));
        let below = Finding::below_path("   1:14  ✖  Too many declarations, maximum 1    max-decl");
        let below = below.map(|finding| (finding.place, finding.severity, finding.rule));
        assert_eq!(below, Some(("1:14", Some(Severity::Error), "max-decl")));
    }

    #[test]
    fn parses_the_first_lines_of_findings() {
        for (text, rule, message) in [
            (">> Issue: [B403:blacklist] Consider it.", "B403:blacklist", "Consider it."),
            (
                "  × eslint(no-undef): 'x' is not defined.",
                "eslint(no-undef)",
                "'x' is not defined.",
            ),
            ("  x Unexpected token", "", "Unexpected token"),
            (
                "name[missing]: All tasks should be named.",
                "name[missing]",
                "All tasks should be named.",
            ),
            ("no-changed-when: Commands change.", "no-changed-when", "Commands change."),
            ("E3002 Invalid property", "E3002", "Invalid property"),
            ("warning[artipacked]: credentials", "artipacked", "credentials"),
        ] {
            let head = head(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((head.rule, head.message), (rule, message), "{text}");
        }
        for text in [
            "Test results:",
            "x Unexpected",
            "error: it failed",
            "see f(x): it is",
            "   CWE: CWE-78 (https://x)",
        ] {
            assert_eq!(head(text).filter(|head| head.rule != "f(x)"), None, "{text}");
        }
    }

    #[test]
    fn a_line_that_grep_found_is_not_classified() {
        for text in [
            "src/a.rs:12:    let x = f(y);",
            "src/a.rs:3:fn main() {",
            "a.md:4:see b.md (and more)",
        ] {
            assert!(
                !Finding::with_path(text).is_some_and(|finding| finding.is_classified()),
                "{text}"
            );
        }
    }
}
