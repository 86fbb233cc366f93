//! Spells what the grammar does not know so that it does.

use std::ops::Range;

use super::super::masking::{closing, respelled};

/// A copy of a text, of the same length, that the grammar reads.
pub(super) fn masked(source: &str) -> Option<String> {
    let lower = source.to_ascii_lowercase();
    respelled(source, named_keys(&lower).chain(procedures(&lower)).chain(policies(&lower)))
}

type Change = (Range<usize>, String);

/// Keys that are named before they are told, `constraint a unique (b)`, with the name behind, as the grammar
/// knows them: `unique a (b)`.
fn named_keys(lower: &str) -> impl Iterator<Item = Change> {
    const NAMED: &str = "constraint";
    let found = lower.match_indices(NAMED).filter_map(|(start, _)| {
        let name = start + NAMED.len();
        let ((key, written), end) = key_after_name(&lower[name..])?;
        let before = (start..name, format!("{key:width$}", width = NAMED.len()));
        Some([before, (name + end - written.len()..name + end, " ".repeat(written.len()))])
    });
    found.flatten()
}

/// How the grammar calls a key and how it is written, with where it ends in the text from its name on.
fn key_after_name(text: &str) -> Option<((&'static str, &'static str), usize)> {
    const KEYS: &[(&str, &str)] = &[("unique", "unique"), ("key", "foreign key")];
    let name = text.strip_prefix(char::is_whitespace)?.trim_start();
    let rest = name[name.find(char::is_whitespace)?..].trim_start();
    let key = KEYS.iter().find(|(_, written)| rest.starts_with(written))?;
    Some((*key, text.len() - rest.len() + key.1.len()))
}

/// Procedures as functions that return a number.
fn procedures(lower: &str) -> impl Iterator<Item = Change> {
    const WORD: &str = "procedure";
    let found = created(lower, WORD).filter_map(|start| {
        let name = start + WORD.len();
        let arguments = name
            + lower[name..].find('(').filter(|open| !lower[name..name + open].contains(';'))?;
        let body = arguments + closing(&lower[arguments..], *b"()")? + 1;
        let end = body + statement_end(&lower[body..]);
        let instead = written_over(&lower[body..end], &["returns", "int", "return", "1;"])?;
        Some([(start..name, "function ".to_owned()), (body..end, instead)])
    });
    found.flatten()
}

/// Policies as types, of which nothing but the name is told.
fn policies(lower: &str) -> impl Iterator<Item = Change> {
    const WORD: &str = "policy";
    let found = created(lower, WORD).filter_map(|start| {
        let after = start + WORD.len();
        let name = lower[after..].len() - lower[after..].trim_start().len() + after;
        let rest = name + lower[name..].find(char::is_whitespace)?;
        let end = rest + lower[rest..].find(';')?;
        Some([
            (start..after, "type  ".to_owned()),
            (rest..end, written_over(&lower[rest..end], &[])?),
        ])
    });
    found.flatten()
}

/// Where a word stands after `create`.
fn created<'a>(lower: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_created = |at: &usize| {
        let before = lower[..*at].trim_end();
        before.ends_with("create") || before.ends_with("create or replace")
    };
    lower.match_indices(word).map(|(at, _)| at).filter(is_created)
}

/// Where a statement ends: at a semicolon that does not stand in its body.
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

/// Words over a text, whose lines stay where they are, if there is room for them.
fn written_over(text: &str, words: &[&str]) -> Option<String> {
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
        assert_eq!(masked(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn keys_are_named_behind() {
        check("CONSTRAINT a UNIQUE (b)", "unique     a        (b)");
        check("constraint a\n  Foreign Key (b)", "key        a\n              (b)");
        check("CONSTRAINT a CHECK (b)", "CONSTRAINT a CHECK (b)");
        check("CONSTRAINT", "CONSTRAINT");
    }

    #[test]
    fn procedures_are_functions() {
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
    fn policies_are_types() {
        check("CREATE POLICY a ON b USING (c);", "CREATE type   a               ;");
        check("create policy", "create policy");
    }
}
