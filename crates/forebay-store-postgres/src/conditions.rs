//! SQL conditions with bound values, joined by AND.

use ::postgres::types::ToSql;

use super::text;

/// SQL that follows a WHERE, and its bound values, numbered after those of the scope.
#[derive(Default)]
pub(super) struct Conditions {
    pub(super) sql: String,
    values: Vec<Box<dyn ToSql + Sync>>,
}

impl Conditions {
    /// Adds a condition with a `?` in place of its value.
    pub(super) fn add(&mut self, condition: &str, value: impl ToSql + Sync + 'static) {
        let placeholder = self.bind(value);
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &placeholder));
    }

    /// Adds a condition without a value.
    pub(super) fn add_raw(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// Adds a condition on a name if there is one.
    pub(super) fn add_name(&mut self, condition: &str, name: Option<&str>) {
        if let Some(name) = name {
            self.add(condition, text::name(name));
        }
    }

    /// Adds `column = ANY (words)` unless `words` is empty.
    pub(super) fn add_one_of<'a>(&mut self, column: &str, words: impl Iterator<Item = &'a str>) {
        let words: Vec<String> = words.map(str::to_owned).collect();
        if !words.is_empty() {
            self.add(&format!("{column} = ANY (?)"), words);
        }
    }

    /// Adds a match of a column against a glob with SQLite's syntax: `docs/*`.
    pub(super) fn add_glob(&mut self, column: &str, glob: &str) {
        self.add(&format!("{column} ~ ?"), glob_to_regex(glob));
    }

    /// Binds a value and returns its placeholder.
    pub(super) fn bind(&mut self, value: impl ToSql + Sync + 'static) -> String {
        self.values.push(Box::new(value));
        // `$1` and `$2` are the workspace and the project.
        format!("${}", self.values.len() + 2)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sql.is_empty()
    }

    pub(super) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value).collect()
    }
}

/// Converts a glob to a regular expression: `*` any text, `?` any character, `[a-z]` a class, `[^a-z]` a negated one.
fn glob_to_regex(glob: &str) -> String {
    let glob = text::stored(glob);
    let mut regex = String::from("^");
    let mut rest = glob.as_str();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '[' => match char_class(rest) {
                Some((class, after)) => {
                    regex.push_str(&class);
                    rest = after;
                }
                None => regex.push_str("\\["),
            },
            c if c.is_ascii_punctuation() => regex.extend(['\\', c]),
            c => regex.push(c),
        }
    }
    regex.push('$');
    regex
}

/// Parses a closed character class; returns it and the remaining text.
fn char_class(text: &str) -> Option<(String, &str)> {
    let (is_negated, inside) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
    // A bracket in first position is a literal.
    let first = inside.chars().next()?;
    let end = inside[first.len_utf8()..].find(']')? + first.len_utf8();
    let mut class = String::from(if is_negated { "[^" } else { "[" });
    for c in inside[..end].chars() {
        if c.is_ascii_punctuation() && c != '-' {
            class.push('\\');
        }
        class.push(c);
    }
    class.push(']');
    Some((class, &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_escape_regex_metacharacters() {
        for (glob, expect) in [
            ("docs/*", "^docs\\/.*$"),
            ("a?.rs", "^a.\\.rs$"),
            ("[a-c]x[^0-9]", "^[a-c]x[^0-9]$"),
            ("[", "^\\[$"),
            ("(a|b)+", "^\\(a\\|b\\)\\+$"),
            ("", "^$"),
        ] {
            assert_eq!(glob_to_regex(glob), expect, "{glob}");
        }
    }
}
