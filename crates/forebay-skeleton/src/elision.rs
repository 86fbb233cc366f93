//! Parses a file without its comments, the bodies of its functions and their parameters.
//!
//! A skeleton leaves bodies out, and they are most of a file; parameters are shown as they are written, so
//! nobody asks a tree about them. Where a body ends is told by the
//! indentation, as people and formatters write it; a guess that is wrong leaves brackets that do not
//! fit, so a tree with errors is thrown away and the whole file is parsed.

mod braced;
mod indented;

use std::ops::Range;

use crate::document::{Document, LARGEST, tree_of};
use crate::language::Language;

/// Shorter texts are parsed whole: nothing is won.
const WORTH_IT: usize = 2 * 1024;

/// The document without bodies; nothing if the text does not lend itself to it.
pub(crate) fn parsed(source: &str, language: &'static Language) -> Option<Document> {
    if !(WORTH_IT..=LARGEST).contains(&source.len()) {
        return None;
    }
    let surface = match language.table {
        table if table.is_indented => indented::surface(source),
        table if table.has_braces() => braced::surface(source)?,
        _ => return None,
    };
    let tree = tree_of(&surface.text, language, None).ok()?;
    let document = Document { source: source.to_owned(), language, tree, surface: Some(surface) };
    document.is_whole().then_some(document)
}

/// What is parsed of a source, and where it stands there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    pub(crate) text: String,
    parts: Vec<Part>,
    /// Comments of the source that are left out.
    pub(crate) comments: Vec<Range<usize>>,
}

#[derive(Debug, Clone)]
struct Part {
    /// Where it begins in the text.
    at: usize,
    source: Range<usize>,
    /// The text has it as it is; else something stands there for it.
    is_copy: bool,
}

impl Surface {
    /// Takes over a part of the source.
    fn keep(&mut self, source: &str, range: Range<usize>) {
        match self.parts.last_mut() {
            Some(last) if last.is_copy && last.source.end == range.start => {
                last.source.end = range.end;
            }
            _ => {
                let (at, source) = (self.text.len(), range.clone());
                self.parts.push(Part { at, source, is_copy: true });
            }
        }
        self.text.push_str(&source[range]);
    }

    /// Takes over a part of the source that ends with a header, without the header's details.
    fn keep_header(&mut self, source: &str, range: Range<usize>, header: &Line<'_>, opener: char) {
        let start = header.start + header.indent;
        let mut from = range.start;
        for detail in details(header.text, opener).into_iter().flatten() {
            self.keep(source, from..start + detail.start);
            from = start + detail.end;
        }
        self.keep(source, from..range.end);
    }

    /// Notes where a comment stands that takes a line.
    fn leave_out_comment(&mut self, line: &Line<'_>) {
        self.comments.push(line.start + line.indent..line.end);
    }

    /// Writes something that stands for a part of the source.
    fn stand_in(&mut self, text: &str, range: Range<usize>) {
        self.parts.push(Part { at: self.text.len(), source: range, is_copy: false });
        self.text.push_str(text);
    }

    /// Where a range of the text stands in the source.
    pub(crate) fn in_source(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.part_at(range.start).map_or(0, |part| part.start_of(range.start));
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        let end = last.and_then(|last| Some(self.part_at(last)?.end_of(range.end)));
        start..end.unwrap_or(start)
    }

    fn part_at(&self, offset: usize) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.at <= offset);
        self.parts.get(after.checked_sub(1)?)
    }
}

impl Part {
    /// Where something in it starts in the source.
    fn start_of(&self, offset: usize) -> usize {
        if self.is_copy { self.source.start + (offset - self.at) } else { self.source.start }
    }

    /// Where something in it ends in the source.
    fn end_of(&self, offset: usize) -> usize {
        if self.is_copy { self.source.start + (offset - self.at) } else { self.source.end }
    }
}

/// Words before the name of a function whose parameters follow it.
const FUNCTIONS: &[&str] = &["fn", "function", "def"];

/// What is left out of a header that takes one line: what stands in its brackets, and between them and what
/// opens the body. Nothing for a header that more than types and names stand in.
fn details(header: &str, opener: char) -> Option<[Range<usize>; 2]> {
    let body = header.strip_suffix(opener)?.trim_end().len();
    let open = header[..body].find('(')? + 1;
    let close = header[..body].rfind(')').filter(|close| *close >= open)?;
    let name = &header[..open - 1];
    let is_function = name.split(' ').any(|word| FUNCTIONS.contains(&word));
    let is_named = !name.contains('<') || name.ends_with('>');
    // Comments and attributes are asked for wherever they stand.
    let is_plain = !header[open..body].contains(['/', '#', '@']);
    let is_complete = balance(&header[..body]) == 0;
    let is_bare = is_function && is_named && is_plain && is_complete;
    is_bare.then(|| [open..close, close + 1..body])
}

/// Opening brackets less closing ones.
fn balance(code: &str) -> i32 {
    code.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}

struct Line<'a> {
    start: usize,
    /// Without the space at its end.
    end: usize,
    /// Where the next one starts.
    next: usize,
    indent: usize,
    text: &'a str,
}

fn lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    source.split_inclusive('\n').map(move |line| {
        let trimmed = line.trim_end();
        let text = trimmed.trim_start();
        let (end, next) = (start + trimmed.len(), start + line.len());
        let own = Line { start, end, next, indent: trimmed.len() - text.len(), text };
        start = next;
        own
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: &str) {
        let line = lines(header).next().unwrap();
        let mut surface = Surface::default();
        surface.keep_header(header, 0..header.len(), &line, '{');
        assert_eq!(surface.text, expected);
    }

    #[test]
    fn headers_go_without_details() {
        check("pub fn a<B>(c: B) -> Option<(B, B)> where B: C {", "pub fn a<B>() {");
        check("  export async function a(b = {}): C {", "  export async function a() {");
        check("fn a<B: Fn(C)>(b: B) {", "fn a<B: Fn(C)>(b: B) {");
        check("function a(b /* c */) {", "function a(b /* c */) {");
        check("function a(b = {", "function a(b = {");
        check("if (a) {", "if (a) {");
        check("fn a() -> (B,) {", "fn a() {");
    }

    #[test]
    fn ranges_are_found_in_the_source() {
        let source = "head { body } tail";
        let mut surface = Surface::default();
        surface.keep(source, 0..6);
        surface.keep(source, 12..18);
        surface.stand_in("pass", 3..9);
        assert_eq!(surface.text, "head {} tailpass");
        assert_eq!(surface.in_source(&(5..7)), 5..13);
        assert_eq!(surface.in_source(&(8..12)), 14..18);
        assert_eq!(surface.in_source(&(12..16)), 3..9);
        assert_eq!(surface.in_source(&(6..6)), 12..12);
    }
}
