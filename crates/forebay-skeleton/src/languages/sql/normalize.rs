//! Rewrites SQL that the grammar does not support.

use std::ops::Range;

use super::super::overwrite::{matching_bracket, overwrite};

/// Rewrites a text; the length stays the same.
pub(super) fn normalize(source: &str) -> Option<String> {
    let lower = source.to_ascii_lowercase();
    overwrite(source, named_constraints(&lower).chain(procedures(&lower)).chain(policies(&lower)))
}

type Edit = (Range<usize>, String);

/// Rewrites named constraints from `constraint a unique (b)` to `unique a (b)`, which the grammar supports.
fn named_constraints(lower: &str) -> impl Iterator<Item = Edit> {
    const CONSTRAINT: &str = "constraint";
    let found = lower.match_indices(CONSTRAINT).filter_map(|(start, _)| {
        let name = start + CONSTRAINT.len();
        let ((key, spelling), end) = key_after_name(&lower[name..])?;
        let before = (start..name, format!("{key:width$}", width = CONSTRAINT.len()));
        Some([before, (name + end - spelling.len()..name + end, " ".repeat(spelling.len()))])
    });
    found.flatten()
}

/// Finds the keyword after a constraint name: the grammar's spelling, the actual spelling, and the end offset.
fn key_after_name(text: &str) -> Option<((&'static str, &'static str), usize)> {
    const KEYWORDS: &[(&str, &str)] = &[("unique", "unique"), ("key", "foreign key")];
    let name = text.strip_prefix(char::is_whitespace)?.trim_start();
    let rest = name[name.find(char::is_whitespace)?..].trim_start();
    let key = KEYWORDS.iter().find(|(_, spelling)| rest.starts_with(spelling))?;
    Some((*key, text.len() - rest.len() + key.1.len()))
}

/// Rewrites procedures as functions that return an integer.
fn procedures(lower: &str) -> impl Iterator<Item = Edit> {
    const KEYWORD: &str = "procedure";
    let found = positions_after_create(lower, KEYWORD).filter_map(|start| {
        let name = start + KEYWORD.len();
        let arguments = name
            + lower[name..].find('(').filter(|open| !lower[name..name + open].contains(';'))?;
        let body = arguments + matching_bracket(&lower[arguments..], *b"()")? + 1;
        let end = body + statement_end(&lower[body..]);
        let replacement = fill(&lower[body..end], &["returns", "int", "return", "1;"])?;
        Some([(start..name, "function ".to_owned()), (body..end, replacement)])
    });
    found.flatten()
}

/// Rewrites policies as types; only their name is kept.
fn policies(lower: &str) -> impl Iterator<Item = Edit> {
    const KEYWORD: &str = "policy";
    let found = positions_after_create(lower, KEYWORD).filter_map(|start| {
        let after = start + KEYWORD.len();
        let name = lower[after..].len() - lower[after..].trim_start().len() + after;
        let rest = name + lower[name..].find(char::is_whitespace)?;
        let end = rest + lower[rest..].find(';')?;
        Some([(start..after, "type  ".to_owned()), (rest..end, fill(&lower[rest..end], &[])?)])
    });
    found.flatten()
}

/// Finds the occurrences of a word after `create`.
fn positions_after_create<'a>(lower: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_created = |at: &usize| {
        let before = lower[..*at].trim_end();
        before.ends_with("create") || before.ends_with("create or replace")
    };
    lower.match_indices(word).map(|(at, _)| at).filter(is_created)
}

/// Returns the offset of the semicolon that ends a statement, skipping its body.
fn statement_end(text: &str) -> usize {
    let semicolon = text.find(';').unwrap_or(text.len());
    let body = text[..semicolon].find('$').and_then(|open| {
        let mark = text[open + 1..].find('$')? + 2;
        let inside = open + mark;
        Some(inside + text[inside..].find(&text[open..inside])? + mark)
    });
    let body = body.or_else(|| text[..semicolon].find("begin").and(text.find("\nend")));
    body.map_or(semicolon, |body| text[body..].find(';').map_or(text.len(), |end| body + end))
}

/// Replaces a text by words and spaces without moving line breaks; returns `None` if the words do not fit.
fn fill(text: &str, words: &[&str]) -> Option<String> {
    let mut words = words.iter().peekable();
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let mut over = String::new();
            while let Some(word) = words.next_if(|word| over.len() + word.len() < line.len()) {
                over.push_str(word);
                over.push(' ');
            }
            format!("{over:width$}", width = line.len())
        })
        .collect();
    words.next().is_none().then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(normalize(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn moves_constraint_keywords_before_names() {
        check("CONSTRAINT a UNIQUE (b)", "unique     a        (b)");
        check("constraint a\n  Foreign Key (b)", "key        a\n              (b)");
        check("CONSTRAINT a CHECK (b)", "CONSTRAINT a CHECK (b)");
        check("CONSTRAINT", "CONSTRAINT");
    }

    #[test]
    fn rewrites_procedures_as_functions() {
        check(
            "CREATE PROCEDURE a(b INT) LANGUAGE sql AS $x$ SELECT 1; $x$;",
            "CREATE function  a(b INT)returns int return 1;             ;",
        );
        check(
            "create or replace procedure a()\nlanguage plpgsql\nas $$\nbegin\n  update b;\nend $$;\n",
            "create or replace function  a()\nreturns int     \n     \n     \nreturn 1;  \n      ;\n",
        );
        check("CREATE PROCEDURE a;", "CREATE PROCEDURE a;");
        check("DROP PROCEDURE a(b INT);", "DROP PROCEDURE a(b INT);");
    }

    #[test]
    fn rewrites_policies_as_types() {
        check("CREATE POLICY a ON b USING (c);", "CREATE type   a               ;");
        check("create policy", "create policy");
    }
}
