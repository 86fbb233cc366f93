//! The pattern in `Bash(...)`.

use super::wildcard::{UnknownParts, Wildcard};

/// A compiled command pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    pattern: Wildcard,
    /// `x *` and `x:*` match words after `x`.
    with_words: Option<Wildcard>,
    has_wildcards: bool,
    /// The text before the first wildcard, and the length of the whole.
    start: String,
    length: usize,
    /// The pattern without its quotes, if it has any.
    unquoted: Option<Box<CommandPattern>>,
    /// It covers more than one command, as in `curl * | sh`.
    pub(crate) is_compound: bool,
}

impl CommandPattern {
    /// Parses a specifier: exact without `*`; a final ` *` or `:*` also matches the bare command if it is the only
    /// wildcard.
    pub(crate) fn parse(text: &str) -> Self {
        let mut pattern = Self::parse_quoted(text);
        if text.contains(['\'', '"']) {
            pattern.unquoted = Some(Box::new(Self::parse_quoted(&text.replace(['\'', '"'], ""))));
        }
        pattern
    }

    fn parse_quoted(text: &str) -> Self {
        let text = collapse_blanks(text);
        let is_compound = text.contains(['|', ';', '&', '<', '>', '\n']);
        let prefix = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let whole = prefix.unwrap_or(&text);
        let start = whole.split('*').next().unwrap_or_default().replace(['\'', '"', '\\'], "");
        let length = start.len() + usize::from(whole.contains('*'));
        let Some(prefix) = prefix else {
            let pattern = Wildcard::from_text(&text);
            let has_wildcards = pattern.has_wildcards();
            return Self {
                pattern,
                with_words: None,
                has_wildcards,
                start,
                length,
                unquoted: None,
                is_compound,
            };
        };
        let bare = Wildcard::from_text(prefix.trim_end());
        let with_words = bare.followed_by_anything();
        Self {
            // After another wildcard, the last word must be present.
            pattern: if bare.has_wildcards() { with_words.clone() } else { bare },
            with_words: Some(with_words),
            has_wildcards: true,
            start,
            length,
            unquoted: None,
            is_compound,
        }
    }

    /// The literal words that a command must begin with; empty if the name is a wildcard.
    pub(crate) fn leading_words(&self) -> Vec<String> {
        let mut words: Vec<&str> = self.start.split(' ').filter(|word| !word.is_empty()).collect();
        // A word that a wildcard cuts may go on.
        if self.start.len() < self.length && !self.start.ends_with(' ') {
            words.pop();
        }
        words.into_iter().map(str::to_owned).collect()
    }

    /// The program, for a pattern that covers it with any arguments.
    pub(crate) fn whole_program(&self) -> Option<&str> {
        self.with_words.as_ref()?;
        self.pattern.literal().filter(|name| !self.is_compound && !name.contains([' ', '/']))
    }

    pub(crate) fn is_exact(&self) -> bool {
        !self.has_wildcards
    }

    /// Like [`Self::matches`], also with the pattern's quotes removed: for deny and ask rules.
    pub(crate) fn matches_ignoring_quotes(&self, text: &str, reading: UnknownParts) -> bool {
        self.matches(text, reading)
            || self.unquoted.as_ref().is_some_and(|pattern| pattern.matches(text, reading))
    }

    pub(crate) fn matches(&self, text: &str, reading: UnknownParts) -> bool {
        self.pattern.matches(text, reading)
            || self.with_words.as_ref().is_some_and(|pattern| pattern.matches(text, reading))
    }
}

/// Collapses whitespace and trims the ends.
pub(crate) fn collapse_blanks(text: &str) -> String {
    text.split([' ', '\t']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, command: &str, expect: bool) {
        let pattern_read = CommandPattern::parse(pattern);
        assert_eq!(
            pattern_read.matches(command, UnknownParts::Closed),
            expect,
            "{pattern} / {command}"
        );
    }

    #[test]
    fn leading_words_end_before_a_wildcard() {
        for (pattern, expect) in [
            ("git push:*", "git push"),
            ("git push *", "git push"),
            ("git pu*", "git"),
            ("npm test", "npm test"),
            ("'git' push", "git push"),
            ("git * main", "git"),
            ("* .env", ""),
            ("g*", ""),
        ] {
            assert_eq!(CommandPattern::parse(pattern).leading_words().join(" "), expect);
        }
    }

    #[test]
    fn exact_prefix_and_wildcards() {
        check("npm test", "npm test", true);
        check("npm test", "npm test x", false);
        check("npm  test", "npm test", true);
        check("npm:*", "npm", true);
        check("npm:*", "npm install", true);
        check("npm:*", "npmx", false);
        check("npm *", "npm", true);
        check("npm*", "npmx", true);
        check("git * main", "git push origin main", true);
        check("git * push *", "git -C x push", false);
        check("git * push *", "git -C x push y", true);
        check("* --version", "node --version", true);
        check("a:*b", "a:xb", true);
    }
}
