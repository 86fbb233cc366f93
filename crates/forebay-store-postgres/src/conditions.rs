//! Conditions of a query, each with its values, joined by AND.

use ::postgres::types::ToSql;

use super::text;

/// SQL that follows a WHERE, and the values its numbers stand for, after those of the place.
#[derive(Default)]
pub(super) struct Conditions {
    pub(super) sql: String,
    values: Vec<Box<dyn ToSql + Sync>>,
}

impl Conditions {
    /// Adds a condition with a `?` where its value stands.
    pub(super) fn add(&mut self, condition: &str, value: impl ToSql + Sync + 'static) {
        let number = self.number(value);
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &number));
    }

    /// Adds a condition without a value.
    pub(super) fn add_plain(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// Adds a condition on one name, when there is one.
    pub(super) fn add_name(&mut self, condition: &str, name: Option<&str>) {
        if let Some(name) = name {
            self.add(condition, text::name(name));
        }
    }

    /// Adds that a column is one of these words, when there are any.
    pub(super) fn add_one_of<'a>(&mut self, column: &str, words: impl Iterator<Item = &'a str>) {
        let words: Vec<String> = words.map(str::to_owned).collect();
        if !words.is_empty() {
            self.add(&format!("{column} = ANY (?)"), words);
        }
    }

    /// Adds that a column fits a glob as SQLite has them: `docs/*`.
    pub(super) fn add_glob(&mut self, column: &str, glob: &str) {
        self.add(&format!("{column} ~ ?"), expression(glob));
    }

    /// Takes a value; gives the number it has in the statement.
    pub(super) fn number(&mut self, value: impl ToSql + Sync + 'static) -> String {
        self.values.push(Box::new(value));
        // The workspace and the project are the first two.
        format!("${}", self.values.len() + 2)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sql.is_empty()
    }

    pub(super) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value).collect()
    }
}

/// A glob as a regular expression: `*` any text, `?` any character, `[a-z]` one of these, `[^a-z]` another.
fn expression(glob: &str) -> String {
    let glob = text::kept(glob);
    let mut expression = String::from("^");
    let mut rest = glob.as_str();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            '[' => match class(rest) {
                Some((class, after)) => {
                    expression.push_str(&class);
                    rest = after;
                }
                None => expression.push_str("\\["),
            },
            c if c.is_ascii_punctuation() => expression.extend(['\\', c]),
            c => expression.push(c),
        }
    }
    expression.push('$');
    expression
}

/// A class of characters that is closed, and what follows it.
fn class(text: &str) -> Option<(String, &str)> {
    let (is_other, inside) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
    // A bracket that comes first is one of the characters.
    let first = inside.chars().next()?;
    let end = inside[first.len_utf8()..].find(']')? + first.len_utf8();
    let mut class = String::from(if is_other { "[^" } else { "[" });
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
    fn a_glob_is_an_expression_in_which_nothing_else_has_a_meaning() {
        for (glob, expect) in [
            ("docs/*", "^docs\\/.*$"),
            ("a?.rs", "^a.\\.rs$"),
            ("[a-c]x[^0-9]", "^[a-c]x[^0-9]$"),
            ("[", "^\\[$"),
            ("(a|b)+", "^\\(a\\|b\\)\\+$"),
            ("", "^$"),
        ] {
            assert_eq!(expression(glob), expect, "{glob}");
        }
    }
}
