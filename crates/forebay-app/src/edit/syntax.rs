//! Detects syntax errors that an edit introduced.

use std::ops::Range;

use forebay_skeleton::{Document, SyntaxError, detect_language};

/// Maximum number of reported errors.
const MAX_ERRORS: usize = 5;
/// Languages whose grammars reject some valid code.
const INCOMPLETE_GRAMMARS: &[&str] = &["Bash", "Kotlin", "SQL", "Zig"];

/// Returns the errors of `after` that `before` does not have; none without a grammar for the file.
pub(crate) fn introduced(path: &str, before: &str, after: &str) -> Vec<SyntaxError> {
    let Some(language) = detect_language(path, after.as_bytes()) else { return Vec::new() };
    let Ok(old) = Document::parse(before, language) else { return Vec::new() };
    let changed = changed(before, after);
    let put_there = changed.start..after.len() - (before.len() - changed.end);
    let new = old.edited(changed, &after[put_there.clone()]);
    new.map(|new| new.introduced_errors(&old, put_there)).unwrap_or_default()
}

/// Returns the names of the symbols around or in these lines, innermost first.
pub(crate) fn symbols_at(path: &str, text: &str, lines: (usize, usize)) -> Vec<String> {
    let Some(language) = detect_language(path, text.as_bytes()) else { return Vec::new() };
    let Ok(document) = Document::parse(text, language) else { return Vec::new() };
    let mut symbols = document.symbols();
    symbols.retain(|symbol| {
        !symbol.name.is_empty()
            && *symbol.lines.start() <= lines.1
            && lines.0 <= *symbol.lines.end()
    });
    // The innermost symbols describe a change best.
    symbols.sort_by_key(|symbol| symbol.lines.end() - symbol.lines.start());
    let mut names: Vec<String> = symbols.into_iter().map(|symbol| symbol.name).collect();
    names.dedup();
    names.truncate(MAX_ERRORS);
    names
}

/// Formats the errors for an answer.
pub(crate) fn describe(path: &str, errors: &[SyntaxError]) -> Vec<String> {
    let is_sure =
        detect_language(path, b"").is_none_or(|known| !INCOMPLETE_GRAMMARS.contains(&known.name()));
    let verdict = if is_sure { "syntax error" } else { "possible syntax error" };
    let mut lines: Vec<String> = errors
        .iter()
        .take(MAX_ERRORS)
        .map(|error| format!("{verdict}: {path}:{}:{} {}", error.line, error.column, error.message))
        .collect();
    if errors.len() > MAX_ERRORS {
        lines.push(format!("and {} more", errors.len() - MAX_ERRORS));
    }
    lines
}

/// Returns the range of `before` that differs, without the common prefix and suffix.
fn changed(before: &str, after: &str) -> Range<usize> {
    let shorter = before.len().min(after.len());
    let same = |(one, other): &(u8, u8)| one == other;
    let start = before.bytes().zip(after.bytes()).take_while(same).count();
    let start = (0..=start)
        .rev()
        .find(|start| before.is_char_boundary(*start) && after.is_char_boundary(*start))
        .unwrap_or(0);
    let end = before.bytes().rev().zip(after.bytes().rev()).take_while(same).count();
    let end = (0..=end.min(shorter - start))
        .rev()
        .find(|end| {
            before.is_char_boundary(before.len() - end) && after.is_char_boundary(after.len() - end)
        })
        .unwrap_or(0);
    start..before.len() - end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reports_only_new_errors() {
        let broken = "fn a() {}\nfn b( {}\n";
        assert_eq!(introduced("x.rs", broken, &broken.replace('a', "c")), []);
        let errors = introduced("x.rs", "fn a() {}\n", "fn a() {\n");
        assert_eq!(describe("x.rs", &errors).len(), 1, "{errors:?}");
        assert_eq!(introduced("x.unknown", "a", "b("), []);
    }

    #[track_caller]
    fn check(path: &str, before: &str, after: &str, expect: &str) {
        let told = describe(path, &introduced(path, before, after)).join("\n");
        assert!(told.starts_with(&format!("syntax error: {path}:{expect}")), "{told}");
    }

    #[test]
    fn marks_errors_of_incomplete_grammars_as_possible() {
        let table = "CREATE TABLE t (id INT, CONSTRAINT u UNIQUE (id);\n";
        let told = describe("x.sql", &introduced("x.sql", "", table)).join("\n");
        assert!(told.starts_with("possible syntax error: x.sql:1:"), "{told}");
    }

    #[test]
    fn reports_an_error_where_it_was_made() {
        let sound = "pub fn a() {\n    let x = 1;\n}\n\npub fn b() {\n    let y = 2;\n}\n";
        check("x.rs", sound, &sound.replace("x = 1;", "x = (1;"), "2:");
        check("x.rs", "", &sound.replace("x = 1;", "x = (1;"), "2:");
        let list = "a: 1\nb:\n  - one\n  - two\nc: 3\n";
        check("x.yaml", list, &list.replace("- one", "- [one"), "3:");
        check("x.json", "{}", "{\n  \"a\": 1,\n  \"b\" 2,\n  \"c\": 3\n}\n", "3:");
        check(
            "x.py",
            "def a():\n    return 1\n",
            "def a():\n  x = 1\n    return 1\n",
            "3:5 unexpected indent",
        );
    }

    #[test]
    fn lists_the_innermost_symbol_first() {
        let text = "struct A;\nimpl A {\n    fn b(&self) {\n        c();\n    }\n}\n";
        assert_eq!(symbols_at("x.rs", text, (4, 4)).first().map(String::as_str), Some("b"));
    }

    proptest! {
        #[test]
        fn changed_range_round_trips(before in "[aé→\n]{0,20}", after in "[aé→\n]{0,20}") {
            let range = changed(&before, &after);
            let tail = before.len() - range.end;
            let text = format!("{}{}{}", &before[..range.start], &after[range.start..after.len() - tail], &before[range.end..]);
            prop_assert_eq!(text, after);
        }
    }
}
