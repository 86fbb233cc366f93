//! Parses a file without its comments and the bodies of its functions.
//!
//! A skeleton leaves bodies out, and they are most of a file: reading past them takes a quarter of
//! the time. Where a body ends is told by the indentation, as people and formatters write it; a
//! guess that is wrong leaves brackets that do not fit, so a tree with errors is thrown away and the
//! whole file is parsed.

mod indented;

use tree_sitter::{Point, Range};

use crate::document::{Document, tree_of};
use crate::language::Language;

/// Shorter texts are parsed whole: nothing is won.
const WORTH_IT: usize = 8 * 1024;
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

/// The document with holes for bodies; nothing if the text does not lend itself to it.
pub(crate) fn parsed(source: &str, language: &'static Language) -> Option<Document> {
    if source.len() < WORTH_IT {
        return None;
    }
    let document = if language.table.is_indented {
        let indented::Kept { ranges, ends } = indented::kept(source);
        let tree = tree_of(source, language, None, &ranges).ok()?;
        Document { source: source.to_owned(), language, tree, comments: Vec::new(), ends }
    } else if language.table.has_braces() {
        let Holes { kept, comments, .. } = Holes::of(source);
        let tree = tree_of(source, language, None, &kept).ok()?;
        Document { source: source.to_owned(), language, tree, comments, ends: Vec::new() }
    } else {
        return None;
    };
    document.is_whole().then_some(document)
}

struct Line<'a> {
    start: usize,
    end: usize,
    row: usize,
    indent: usize,
    text: &'a str,
}

/// What is parsed of a text, and the comments that are not.
#[derive(Default)]
struct Holes {
    kept: Vec<Range>,
    comments: Vec<std::ops::Range<usize>>,
    /// Where the part that is kept began; nothing in a hole.
    from: Option<(usize, Point)>,
}

impl Holes {
    fn of(source: &str) -> Self {
        let mut holes = Self { from: Some((0, Point { row: 0, column: 0 })), ..Self::default() };
        let mut header = Header::default();
        let mut body: Option<usize> = None;
        for line in lines(source) {
            match body {
                Some(indent) if line.indent <= indent && line.text.starts_with('}') => {
                    holes.keep(line.start, Point { row: line.row, column: 0 });
                    body = None;
                    header = Header::default();
                }
                Some(_) => {}
                // Each comment is several nodes, and all that is asked of it is where it stands.
                None if line.text.starts_with("//") => {
                    holes.leave_out(line.start, Point { row: line.row, column: 0 });
                    holes.comments.push(line.start + line.indent..line.end);
                }
                None => {
                    holes.keep(line.start, Point { row: line.row, column: 0 });
                    if header.takes(&line) {
                        let column = line.end - line.start;
                        holes.leave_out(line.end, Point { row: line.row, column });
                        body = Some(header.indent);
                    }
                }
            }
        }
        let row = source.bytes().filter(|byte| *byte == b'\n').count();
        let column = source.rsplit('\n').next().unwrap_or_default().len();
        holes.leave_out(source.len(), Point { row, column });
        holes
    }

    /// What follows is parsed.
    fn keep(&mut self, offset: usize, point: Point) {
        self.from.get_or_insert((offset, point));
    }

    /// What follows is not.
    fn leave_out(&mut self, offset: usize, point: Point) {
        if let Some(from) = self.from.take().filter(|(start, _)| *start < offset) {
            self.kept.push(range(from, (offset, point)));
        }
    }
}

fn range(from: (usize, Point), to: (usize, Point)) -> Range {
    Range { start_byte: from.0, end_byte: to.0, start_point: from.1, end_point: to.1 }
}

/// Lines without their line ends.
fn lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    source.split('\n').enumerate().map(move |(row, line)| {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let own = Line { start, end: start + line.trim_end().len(), row, indent, text };
        start += line.len() + 1;
        own
    })
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
        let opens = line.text.ends_with('{') && (line.indent <= self.indent);
        let is_body = opens && self.is_callable();
        if line.text.ends_with(['{', ';', '}']) && !is_body {
            self.text.clear();
        }
        is_body
    }

    /// Whether the block that opens holds statements, or repeats what a trait promises.
    fn is_callable(&self) -> bool {
        let mut words = self.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let repeats = self.text.starts_with("impl") && self.text.contains(" for ");
        let is_test = self.text.starts_with("mod test");
        let is_called = self.text.contains('(') && !self.text.starts_with(['(', ';', '!']);
        repeats || is_test || (is_called && !words.any(|word| CONTAINERS.contains(&word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let kept: Vec<&str> = Holes::of(source)
            .kept
            .iter()
            .map(|range| &source[range.start_byte..range.end_byte])
            .collect();
        assert_eq!(kept.join("~"), expected);
    }

    #[test]
    fn bodies_are_holes() {
        check("fn a(x: u32) {\n    b();\n}\nfn c() {}\n", "fn a(x: u32) {~}\nfn c() {}\n");
        check("struct A {\n    b: u32,\n}\n", "struct A {\n    b: u32,\n}\n");
        check(
            "impl A {\n    fn b() {\n        c();\n    }\n}\n",
            "impl A {\n    fn b() {~    }\n}\n",
        );
        check("fn a(\n    b: u32,\n) -> u32 {\n    b\n}\n", "fn a(\n    b: u32,\n) -> u32 {~}\n");
        check("impl A for B {\n    fn c() {}\n}\n", "impl A for B {~}\n");
        check("void a(int b)\n{\n    c();\n}\n", "void a(int b)\n{~}\n");
        check("fn a() {\n    open", "fn a() {");
        check("/// Docs.\n// More.\nfn a();\n", "fn a();\n");
    }
}
