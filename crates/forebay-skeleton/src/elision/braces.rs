//! Elision of bodies in braces.

use super::{ElidedSource, Line, lines};

/// Keywords of blocks that contain items instead of statements.
const CONTAINERS: &[&str] = &[
    "actor",
    "class",
    "enum",
    "extension",
    "extern",
    "impl",
    "interface",
    "mod",
    "module",
    "namespace",
    "object",
    "package",
    "protocol",
    "record",
    "struct",
    "trait",
    "type",
    "union",
];

/// Elides a source; returns `None` if comments or bodies cannot be delimited line by line.
pub(super) fn elide(source: &str) -> Option<ElidedSource> {
    let mut elided = ElidedSource::default();
    let mut header = Header::default();
    let mut body: Option<usize> = None;
    let mut comment: Option<usize> = None;
    for line in lines(source) {
        if let Some(start) = comment {
            match line.text.find("*/") {
                None => {}
                Some(at) if at + 2 == line.text.len() => {
                    elided.comments.push(start..line.end);
                    comment = None;
                }
                Some(_) => return None,
            }
            continue;
        }
        match body {
            Some(indent) if line.indent <= indent && line.text.starts_with('}') => {
                elided.copy(source, line.start..line.next);
                body = None;
                header = Header::default();
            }
            // Another block opens where this one should close: a brace is missing.
            Some(indent) if line.indent <= indent && line.text.ends_with('{') => return None,
            Some(_) => {}
            // Only the position of a comment is needed.
            None if line.text.starts_with("//") => {
                elided.omit_comment(&line);
            }
            None if line.text.starts_with("/*") => match line.text[2..].find("*/") {
                None => comment = Some(line.start + line.indent),
                Some(at) if at + 4 == line.text.len() => {
                    elided.omit_comment(&line);
                }
                Some(_) => elided.copy(source, line.start..line.next),
            },
            None if header.push_line(&line) => {
                if header.is_single_line(&line) {
                    elided.copy_header(source, line.start..line.end, &line, '{');
                } else {
                    elided.copy(source, line.start..line.end);
                }
                body = Some(header.indent);
            }
            None => elided.copy(source, line.start..line.next),
        }
    }
    comment.is_none().then_some(elided)
}

/// The lines of a declaration so far.
#[derive(Default)]
struct Header {
    text: String,
    indent: usize,
}

impl Header {
    /// Adds a line; returns whether a body opens at its end.
    fn push_line(&mut self, line: &Line<'_>) -> bool {
        const COMMENT_PREFIXES: &[&str] = &["//", "/*", "*", "#", "@"];
        if line.text.is_empty()
            || COMMENT_PREFIXES.iter().any(|prefix| line.text.starts_with(prefix))
        {
            return false;
        }
        let is_continued = line.indent > self.indent
            || line.text.starts_with([')', '{', ']', '>', ':'])
            || line.text.starts_with("where");
        if self.text.is_empty() || !is_continued {
            self.text.clear();
            self.indent = line.indent;
        }
        self.text.push_str(line.text);
        self.text.push(' ');
        let opens = line.text.ends_with('{')
            && !opens_type_literal(line.text)
            && line.indent <= self.indent;
        let is_body = opens && self.opens_body();
        if line.text.ends_with(['{', ';', '}']) && !is_body {
            self.text.clear();
        }
        is_body
    }

    /// Returns whether the last line is the whole header.
    fn is_single_line(&self, line: &Line<'_>) -> bool {
        self.text.trim_end().len() == line.text.len()
    }

    /// Returns whether the opened block contains statements or implements a trait.
    fn opens_body(&self) -> bool {
        let mut words = self.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let is_trait_impl = self.text.starts_with("impl") && self.text.contains(" for ");
        let is_test = self.text.starts_with("mod test");
        // Lines that start with a bracket do not continue a function header. Module wrappers such as `}(this,
        // function (exports) {` are not functions of the file.
        let is_wrapper =
            ["define(", "}(", "})("].iter().any(|prefix| self.text.starts_with(prefix));
        let is_called =
            self.text.contains('(') && !self.text.starts_with(['(', '>', ';', '!']) && !is_wrapper;
        is_trait_impl || is_test || (is_called && !words.any(|word| CONTAINERS.contains(&word)))
    }
}

/// Returns whether a line ends with the start of a type literal: `a(): {`, `a(b): b is {`.
fn opens_type_literal(line: &str) -> bool {
    let before = line.trim_end_matches('{').trim_end();
    before.ends_with(':') || before.ends_with(" is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(elide(source).map(|elided| elided.text).as_deref(), Some(expected));
    }

    #[test]
    fn omits_bodies_and_comments() {
        check("fn a(x: u32) {\n    b();\n}\nfn c() {}\n", "fn a() {}\nfn c() {}\n");
        check("struct A {\n    b: u32,\n}\n", "struct A {\n    b: u32,\n}\n");
        check(
            "impl A {\n    fn b() {\n        c();\n    }\n}\n",
            "impl A {\n    fn b() {    }\n}\n",
        );
        check("fn a(\n    b: u32,\n) -> u32 {\n    b\n}\n", "fn a(\n    b: u32,\n) -> u32 {}\n");
        check("impl A for B {\n    fn c() {}\n}\n", "impl A for B {}\n");
        check("void a(int b)\n{\n    c();\n}\n", "void a(int b)\n{}\n");
        check("fn a() {\n    open", "fn a() {");
        check("function a(): {\n  b: C\n} {\n}\n", "function a(): {\n  b: C\n} {\n}\n");
        check("/// Docs.\n// More.\nfn a();\n", "fn a();\n");
        check("/**\n * Docs {\n */\nfn a();\n/* b */\n/* c */ d();\n", "fn a();\n/* c */ d();\n");
    }

    #[test]
    fn rejects_a_missing_brace() {
        assert!(elide("fn a() {\n    b();\n\nfn c() {\n    d();\n}\n").is_none());
    }

    #[test]
    fn rejects_comments_that_end_within_code() {
        assert!(elide("/* a\nb */ c();\n").is_none());
        assert!(elide("/* a\nb\n").is_none());
    }
}
