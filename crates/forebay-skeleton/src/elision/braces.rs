//! Bodies in braces.

use super::{Line, Surface, lines};

/// Words that make a block one of items, not of statements.
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

/// What is parsed of a source; nothing where its comments and bodies are not told by a glance.
pub(super) fn surface(source: &str) -> Option<Surface> {
    let mut surface = Surface::default();
    let mut header = Header::default();
    let mut body: Option<usize> = None;
    let mut comment: Option<usize> = None;
    for line in lines(source) {
        if let Some(start) = comment {
            match line.text.find("*/") {
                None => {}
                Some(at) if at + 2 == line.text.len() => {
                    surface.comments.push(start..line.end);
                    comment = None;
                }
                Some(_) => return None,
            }
            continue;
        }
        match body {
            Some(indent) if line.indent <= indent && line.text.starts_with('}') => {
                surface.keep(source, line.start..line.next);
                body = None;
                header = Header::default();
            }
            // Another block opens where this one should be closed: a bracket is missing.
            Some(indent) if line.indent <= indent && line.text.ends_with('{') => return None,
            Some(_) => {}
            // All that is asked of a comment is where it stands.
            None if line.text.starts_with("//") => {
                surface.leave_out_comment(&line);
            }
            None if line.text.starts_with("/*") => match line.text[2..].find("*/") {
                None => comment = Some(line.start + line.indent),
                Some(at) if at + 4 == line.text.len() => {
                    surface.leave_out_comment(&line);
                }
                Some(_) => surface.keep(source, line.start..line.next),
            },
            None if header.takes(&line) => {
                if header.is_one_line(&line) {
                    surface.keep_header(source, line.start..line.end, &line, '{');
                } else {
                    surface.keep(source, line.start..line.end);
                }
                body = Some(header.indent);
            }
            None => surface.keep(source, line.start..line.next),
        }
    }
    comment.is_none().then_some(surface)
}

/// The lines of a declaration so far.
#[derive(Default)]
struct Header {
    text: String,
    indent: usize,
}

impl Header {
    /// Takes a line; whether a body opens at its end.
    fn takes(&mut self, line: &Line<'_>) -> bool {
        const REMARKS: &[&str] = &["//", "/*", "*", "#", "@"];
        if line.text.is_empty() || REMARKS.iter().any(|mark| line.text.starts_with(mark)) {
            return false;
        }
        let goes_on = line.indent > self.indent
            || line.text.starts_with([')', '{', ']', '>', ':'])
            || line.text.starts_with("where");
        if self.text.is_empty() || !goes_on {
            self.text.clear();
            self.indent = line.indent;
        }
        self.text.push_str(line.text);
        self.text.push(' ');
        let opens =
            line.text.ends_with('{') && !opens_type(line.text) && line.indent <= self.indent;
        let is_body = opens && self.is_callable();
        if line.text.ends_with(['{', ';', '}']) && !is_body {
            self.text.clear();
        }
        is_body
    }

    /// Whether the line that was taken last is all of it.
    fn is_one_line(&self, line: &Line<'_>) -> bool {
        self.text.trim_end().len() == line.text.len()
    }

    /// Whether the block that opens holds statements, or repeats what a trait promises.
    fn is_callable(&self) -> bool {
        let mut words = self.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let repeats = self.text.starts_with("impl") && self.text.contains(" for ");
        let is_test = self.text.starts_with("mod test");
        // What begins with a bracket goes on with something that was not a function's header.
        // Neither do those that a file is wrapped in: `}(this, function (exports) {`.
        let is_wrapper = ["define(", "}(", "})("].iter().any(|mark| self.text.starts_with(mark));
        let is_called =
            self.text.contains('(') && !self.text.starts_with(['(', '>', ';', '!']) && !is_wrapper;
        repeats || is_test || (is_called && !words.any(|word| CONTAINERS.contains(&word)))
    }
}

/// Whether the block at the end of a line is a type that is written out: `a(): {`, `a(b): b is {`.
fn opens_type(line: &str) -> bool {
    let before = line.trim_end_matches('{').trim_end();
    before.ends_with(':') || before.ends_with(" is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(surface(source).map(|surface| surface.text).as_deref(), Some(expected));
    }

    #[test]
    fn bodies_and_comments_are_left_out() {
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
    fn a_missing_bracket_is_left_to_the_parser() {
        assert!(surface("fn a() {\n    b();\n\nfn c() {\n    d();\n}\n").is_none());
    }

    #[test]
    fn comments_that_end_amid_code_are_left_to_the_parser() {
        assert!(surface("/* a\nb */ c();\n").is_none());
        assert!(surface("/* a\nb\n").is_none());
    }
}
