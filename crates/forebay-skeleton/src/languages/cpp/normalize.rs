//! Removes macros between declarations.
//!
//! Without macro expansion, `Q_OBJECT`, `signals:` or `class EXPORTED Name` make the grammar lose the class.

use std::ops::Range;

use super::super::overwrite::overwrite;

/// Blanks macros or replaces them by their meaning; the length stays the same.
pub(super) fn normalize(source: &str) -> Option<String> {
    overwrite(source, macros(source))
}

/// Finds macros with their replacements.
fn macros(source: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    let mut is_statement_start = true;
    let mut start = 0;
    let mut lines = source.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let text = line.trim();
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let next = lines.peek().map_or("", |next| next.trim());
        if is_statement_start && is_macro_line(text, next) {
            found.push((at..at + text.len(), ""));
            continue;
        }
        found.extend(
            section_label(text).map(|(range, word)| (at + range.start..at + range.end, word)),
        );
        found.extend(export_macro(text).map(|range| (at + range.start..at + range.end, "")));
        is_statement_start = ends_statement(text);
    }
    found
}

/// Returns whether the next line starts a new statement.
fn ends_statement(line: &str) -> bool {
    let is_separate = line.is_empty()
        || line.starts_with(['#', '/'])
        || line.ends_with(['{', ';', '}', ':', '/']);
    is_separate && !line.ends_with('\\')
}

/// Matches `signals:` and the `slots` of `public slots:`.
fn section_label(text: &str) -> Option<(Range<usize>, &'static str)> {
    let words = text.strip_suffix(':')?;
    if ["signals", "Q_SIGNALS"].contains(&words) {
        return Some((0..words.len(), "public"));
    }
    let (access, word) = words.split_once(' ')?;
    let is_slots = ["public", "protected", "private"].contains(&access)
        && ["slots", "Q_SLOTS"].contains(&word);
    is_slots.then_some((access.len()..words.len(), ""))
}

/// Finds the macro between the keyword and the name of a type definition: `class EXPORTED Name {`.
fn export_macro(text: &str) -> Option<Range<usize>> {
    let after = ["class ", "struct "].iter().find_map(|word| {
        let at = text.find(word)?;
        (at == 0 || text[..at].ends_with([' ', '>'])).then_some(at + word.len())
    })?;
    let word = leading_identifier(&text[after..]);
    let rest = text[after + word.len()..].trim_start();
    let defined = leading_identifier(rest);
    let tail = rest[defined.len()..].trim_start();
    let is_definition =
        tail.is_empty() || tail.starts_with(['{', ':', '<']) || tail.starts_with("final");
    (is_macro_name(word) && !defined.is_empty() && is_definition).then(|| after..after + word.len())
}

/// Returns whether a line is only a macro and the next one a declaration that is complete without it.
fn is_macro_line(text: &str, next: &str) -> bool {
    let name = leading_identifier(text);
    let arguments = &text[name.len()..];
    let is_call = arguments.starts_with('(') && arguments.ends_with(')') && is_balanced(arguments);
    // An upper-case word before a name and a parenthesis is a return type.
    let is_type = next
        .split_once('(')
        .is_some_and(|(words, _)| !words.contains(' ') && !is_macro_name(words));
    let is_bare = arguments.is_empty() && name.contains('_') && !is_type;
    let starts_declaration =
        |first: char| first.is_alphabetic() || ['_', '~', '#', '/', '['].contains(&first);
    is_macro_name(name)
        && (is_call || is_bare)
        && (next.is_empty() || next.starts_with(starts_declaration))
}

fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

fn leading_identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// Returns whether a name looks like a macro.
fn is_macro_name(name: &str) -> bool {
    let is_macro_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(is_macro_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(normalize(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn normalizes_qt_sections() {
        check("signals:\n", "public :\n");
        check("  Q_SIGNALS:\n", "  public   :\n");
        check("public slots:\n", "public      :\n");
        check("case A:\n", "case A:\n");
    }

    #[test]
    fn blanks_export_macros() {
        check("class LIB_API A : public B {\n", "class         A : public B {\n");
        check("template <class T> struct LIB_API A\n{", "template <class T> struct         A\n{");
        check("struct TASK task;\n", "struct TASK task;\n");
        check("class TASK {\n", "class TASK {\n");
    }

    #[test]
    fn blanks_macros_on_their_own_line() {
        check(
            "{\n  Q_OBJECT\n  Q_PROPERTY(int a READ a)\npublic:\n",
            "{\n          \n                          \npublic:\n",
        );
        check("{\n  A_FIRST,\n  A_LAST\n};\n", "{\n  A_FIRST,\n  A_LAST\n};\n");
        check("#define A(b) \\\n  C_D(b)\n\nint e;\n", "#define A(b) \\\n  C_D(b)\n\nint e;\n");
        check("TEST(A, b)\n{\n", "TEST(A, b)\n{\n");
        check("UINT_PTR\nsize(int a);\n", "UINT_PTR\nsize(int a);\n");
        check("a = b +\n  C_D\n  + e;\n", "a = b +\n  C_D\n  + e;\n");
    }
}
