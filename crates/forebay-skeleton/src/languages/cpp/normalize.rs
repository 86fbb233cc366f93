//! Spells macros that stand amid declarations so that the grammar reads what they stand by.
//!
//! A grammar sees no macro's definition; `Q_OBJECT`, `signals:` or `class EXPORTED Name` make it lose the class.

use std::ops::Range;

use super::super::masking::respelled;

/// A copy of a text, of the same length, in which macros are blank or what they mean.
pub(super) fn masked(source: &str) -> Option<String> {
    respelled(source, macros(source))
}

/// Where macros stand, with what they mean.
fn macros(source: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    let mut is_parted = true;
    let mut start = 0;
    let mut lines = source.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let text = line.trim();
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let next = lines.peek().map_or("", |next| next.trim());
        if is_parted && stands_alone(text, next) {
            found.push((at..at + text.len(), ""));
            continue;
        }
        found.extend(section(text).map(|(range, word)| (at + range.start..at + range.end, word)));
        found.extend(export(text).map(|range| (at + range.start..at + range.end, "")));
        is_parted = parts(text);
    }
    found
}

/// Whether what stands on the next line is not a part of this one.
fn parts(line: &str) -> bool {
    let is_apart = line.is_empty()
        || line.starts_with(['#', '/'])
        || line.ends_with(['{', ';', '}', ':', '/']);
    is_apart && !line.ends_with('\\')
}

/// `signals:` and the `slots` of `public slots:`.
fn section(text: &str) -> Option<(Range<usize>, &'static str)> {
    let words = text.strip_suffix(':')?;
    if ["signals", "Q_SIGNALS"].contains(&words) {
        return Some((0..words.len(), "public"));
    }
    let (access, word) = words.split_once(' ')?;
    let is_slots = ["public", "protected", "private"].contains(&access)
        && ["slots", "Q_SLOTS"].contains(&word);
    is_slots.then_some((access.len()..words.len(), ""))
}

/// The macro between the word and the name of a type that is defined: `class EXPORTED Name {`.
fn export(text: &str) -> Option<Range<usize>> {
    let after = ["class ", "struct "].iter().find_map(|word| {
        let at = text.find(word)?;
        (at == 0 || text[..at].ends_with([' ', '>'])).then_some(at + word.len())
    })?;
    let word = name_at(&text[after..]);
    let rest = text[after + word.len()..].trim_start();
    let defined = name_at(rest);
    let behind = rest[defined.len()..].trim_start();
    let is_definition =
        behind.is_empty() || behind.starts_with(['{', ':', '<']) || behind.starts_with("final");
    (is_loud(word) && !defined.is_empty() && is_definition).then(|| after..after + word.len())
}

/// Whether a line is a macro alone, and a declaration follows that does without it.
fn stands_alone(text: &str, next: &str) -> bool {
    let name = name_at(text);
    let arguments = &text[name.len()..];
    let is_call = arguments.starts_with('(') && arguments.ends_with(')') && is_balanced(arguments);
    // What looks like a macro before a name and brackets is the type of what a function returns.
    let is_type =
        next.split_once('(').is_some_and(|(words, _)| !words.contains(' ') && !is_loud(words));
    let is_bare = arguments.is_empty() && name.contains('_') && !is_type;
    let declares =
        |first: char| first.is_alphabetic() || ['_', '~', '#', '/', '['].contains(&first);
    is_loud(name) && (is_call || is_bare) && (next.is_empty() || next.starts_with(declares))
}

fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// Whether a name is written like a macro.
fn is_loud(name: &str) -> bool {
    let is_loud = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(is_loud)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(masked(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn sections_by_other_names_are_sections() {
        check("signals:\n", "public :\n");
        check("  Q_SIGNALS:\n", "  public   :\n");
        check("public slots:\n", "public      :\n");
        check("case A:\n", "case A:\n");
    }

    #[test]
    fn macros_before_the_name_of_a_type_are_blank() {
        check("class LIB_API A : public B {\n", "class         A : public B {\n");
        check("template <class T> struct LIB_API A\n{", "template <class T> struct         A\n{");
        check("struct TASK task;\n", "struct TASK task;\n");
        check("class TASK {\n", "class TASK {\n");
    }

    #[test]
    fn macros_alone_on_a_line_are_blank() {
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
