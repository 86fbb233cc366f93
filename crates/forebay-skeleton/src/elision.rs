//! Parses a file without its comments, function bodies and parameters.
//!
//! A skeleton omits bodies, which are most of a file, and copies parameters from the source, so the tree does not
//! need them. The end of a body is found by indentation. A wrong guess leaves unbalanced brackets, so a tree with
//! errors is discarded and the whole file is parsed instead.
//!
//! `cargo xtask bench --only skeleton` measures it.

mod braces;
mod indentation;

use std::ops::Range;

use crate::document::{Document, MAX_SOURCE_BYTES, parse_tree};
use crate::language::Language;

/// Shorter texts are parsed whole.
const MIN_SOURCE_BYTES: usize = 2 * 1024;

/// Parses a text without bodies; returns `None` if it is not suitable.
pub(crate) fn parse(source: &str, language: &'static Language) -> Option<Document> {
    if !(MIN_SOURCE_BYTES..=MAX_SOURCE_BYTES).contains(&source.len()) {
        return None;
    }
    let elided = match language.spec {
        spec if spec.is_indented => indentation::elide(source),
        spec if spec.has_braces() => braces::elide(source)?,
        _ => return None,
    };
    let tree = parse_tree(&elided.text, language, None).ok()?;
    let document = Document { source: source.to_owned(), language, tree, elided: Some(elided) };
    document.is_error_free().then_some(document)
}

/// The parsed part of a source, with a mapping of offsets to the source.
#[derive(Debug, Clone, Default)]
pub(crate) struct ElidedSource {
    pub(crate) text: String,
    segments: Vec<Segment>,
    /// Omitted comments, as ranges of the source.
    pub(crate) comments: Vec<Range<usize>>,
}

#[derive(Debug, Clone)]
struct Segment {
    /// Where it starts in the text.
    at: usize,
    source: Range<usize>,
    /// Copied from the source; otherwise a placeholder for it.
    is_verbatim: bool,
}

impl ElidedSource {
    /// Copies a range of the source.
    fn copy(&mut self, source: &str, range: Range<usize>) {
        match self.segments.last_mut() {
            Some(last) if last.is_verbatim && last.source.end == range.start => {
                last.source.end = range.end;
            }
            _ => {
                let (at, source) = (self.text.len(), range.clone());
                self.segments.push(Segment { at, source, is_verbatim: true });
            }
        }
        self.text.push_str(&source[range]);
    }

    /// Copies a range of the source that ends with a function header, without its parameters.
    fn copy_header(&mut self, source: &str, range: Range<usize>, header: &Line<'_>, opener: char) {
        let start = header.start + header.indent;
        let mut from = range.start;
        for omitted in omitted_ranges(header.text, opener).into_iter().flatten() {
            self.copy(source, from..start + omitted.start);
            from = start + omitted.end;
        }
        self.copy(source, from..range.end);
    }

    /// Omits a comment on its own line.
    fn omit_comment(&mut self, line: &Line<'_>) {
        self.comments.push(line.start + line.indent..line.end);
    }

    /// Writes a placeholder for a range of the source.
    fn push_placeholder(&mut self, text: &str, range: Range<usize>) {
        self.segments.push(Segment { at: self.text.len(), source: range, is_verbatim: false });
        self.text.push_str(text);
    }

    /// Maps a range of the text to the source.
    pub(crate) fn source_range(&self, range: &Range<usize>) -> Range<usize> {
        let start =
            self.segment_at(range.start).map_or(0, |segment| segment.source_start(range.start));
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        let end = last.and_then(|last| Some(self.segment_at(last)?.source_end(range.end)));
        start..end.unwrap_or(start)
    }

    fn segment_at(&self, offset: usize) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.at <= offset);
        self.segments.get(after.checked_sub(1)?)
    }
}

impl Segment {
    /// Maps the start of a range.
    fn source_start(&self, offset: usize) -> usize {
        if self.is_verbatim { self.source.start + (offset - self.at) } else { self.source.start }
    }

    /// Maps the end of a range.
    fn source_end(&self, offset: usize) -> usize {
        if self.is_verbatim { self.source.start + (offset - self.at) } else { self.source.end }
    }
}

/// Keywords of functions whose name is followed by parameters.
const FUNCTION_KEYWORDS: &[&str] = &["fn", "function", "def"];

/// Returns the parts of a one-line header to omit: the parameters, and the text between them and the start of the
/// body. Returns `None` if the header is not a plain function header.
fn omitted_ranges(header: &str, opener: char) -> Option<[Range<usize>; 2]> {
    let body = header.strip_suffix(opener)?.trim_end().len();
    let open = header[..body].find('(')? + 1;
    let close = header[..body].rfind(')').filter(|close| *close >= open)?;
    let name = &header[..open - 1];
    let is_function = name.split(' ').any(|word| FUNCTION_KEYWORDS.contains(&word));
    let is_named = !name.contains('<') || name.ends_with('>');
    // Comments and attributes are collected everywhere, so they must not be omitted.
    let is_plain = !header[open..body].contains(['/', '#', '@']);
    let is_complete = balance(&header[..body]) == 0;
    let can_shorten = is_function && is_named && is_plain && is_complete;
    can_shorten.then(|| [open..close, close + 1..body])
}

/// Returns the number of opening minus closing brackets.
fn balance(code: &str) -> i32 {
    code.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}

struct Line<'a> {
    start: usize,
    /// Without trailing whitespace.
    end: usize,
    /// Start of the next line.
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
        let item = Line { start, end, next, indent: trimmed.len() - text.len(), text };
        start = next;
        item
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: &str) {
        let line = lines(header).next().unwrap();
        let mut elided = ElidedSource::default();
        elided.copy_header(header, 0..header.len(), &line, '{');
        assert_eq!(elided.text, expected);
    }

    #[test]
    fn shortens_function_headers() {
        check("pub fn a<B>(c: B) -> Option<(B, B)> where B: C {", "pub fn a<B>() {");
        check("  export async function a(b = {}): C {", "  export async function a() {");
        check("fn a<B: Fn(C)>(b: B) {", "fn a<B: Fn(C)>(b: B) {");
        check("function a(b /* c */) {", "function a(b /* c */) {");
        check("function a(b = {", "function a(b = {");
        check("if (a) {", "if (a) {");
        check("fn a() -> (B,) {", "fn a() {");
    }

    #[test]
    fn maps_ranges_to_the_source() {
        let source = "head { body } tail";
        let mut elided = ElidedSource::default();
        elided.copy(source, 0..6);
        elided.copy(source, 12..18);
        elided.push_placeholder("pass", 3..9);
        assert_eq!(elided.text, "head {} tailpass");
        assert_eq!(elided.source_range(&(5..7)), 5..13);
        assert_eq!(elided.source_range(&(8..12)), 14..18);
        assert_eq!(elided.source_range(&(12..16)), 3..9);
        assert_eq!(elided.source_range(&(6..6)), 12..12);
    }
}
