//! Bodies that end where the indentation does.
//!
//! A block must hold something, so of each body the docs are kept, or one line that is complete by
//! itself. Where a guess is wrong the tree has errors, and the whole file is parsed.

use tree_sitter::{Point, Range};

use super::{Line, lines, range};

/// What is parsed of a text.
pub(super) struct Kept {
    pub(super) ranges: Vec<Range>,
    /// Where what is kept of a body ends, and where the body does.
    pub(super) ends: Vec<(usize, usize)>,
}

/// Lines of a body that are tried.
const TRIED: usize = 12;
const HEADERS: &[&str] = &["def ", "async def "];
const QUOTES: &[&str] = &["\"\"\"", "'''"];

pub(super) fn kept(source: &str) -> Kept {
    let lines: Vec<Line<'_>> = lines(source).collect();
    let mut kept = Kept { ranges: Vec::new(), ends: Vec::new() };
    let mut from = (0, Point { row: 0, column: 0 });
    let mut at = 0;
    let mut quote = None;
    while at < lines.len() {
        let is_text = quote.is_some();
        quote = quote_after(lines[at].text, quote);
        let body = (!is_text && quote.is_none()).then(|| Body::at(&lines, at)).flatten();
        let Some(body) = body else {
            at += 1;
            continue;
        };
        kept.ranges.push(range(from, start_of(&lines, body.kept_to + 1)));
        kept.ends.push((lines[body.kept_to].end, lines[body.last].end));
        from = start_of(&lines, body.last + 1);
        at = body.last + 1;
    }
    if from.0 < source.len() {
        let column = lines.last().map_or(0, |last| source.len() - last.start);
        let row = lines.len().saturating_sub(1);
        kept.ranges.push(range(from, (source.len(), Point { row, column })));
    }
    kept
}

fn start_of(lines: &[Line<'_>], index: usize) -> (usize, Point) {
    let row = index.min(lines.len() - 1);
    let offset = if index < lines.len() { lines[index].start } else { lines[row].end };
    let column = if index < lines.len() { 0 } else { lines[row].end - lines[row].start };
    (offset, Point { row, column })
}

/// The body of a function, in lines.
struct Body {
    /// The last line that is kept.
    kept_to: usize,
    last: usize,
}

impl Body {
    /// The body that follows a header at this line, if leaving it out wins anything.
    fn at(lines: &[Line<'_>], header: usize) -> Option<Self> {
        let own = &lines[header];
        if !HEADERS.iter().any(|word| own.text.starts_with(word)) {
            return None;
        }
        let first = header_end(lines, header)? + 1;
        let last = body_end(lines, first, own.indent)?;
        let kept_to = docs_end(lines, first, last).or_else(|| {
            // It must follow the header directly: what stands between would be kept as well.
            is_complete(lines[first].text).then_some(first)
        })?;
        (kept_to < last).then_some(Self { kept_to, last })
    }
}

/// The line on which a header ends.
fn header_end(lines: &[Line<'_>], header: usize) -> Option<usize> {
    let mut depth = 0;
    for (offset, line) in lines[header..].iter().take(60).enumerate() {
        let code = without_comment(line.text);
        depth += balance(code);
        if depth == 0 {
            return code.ends_with(':').then_some(header + offset);
        }
    }
    None
}

/// The last line of a block that is indented further than its header.
fn body_end(lines: &[Line<'_>], first: usize, indent: usize) -> Option<usize> {
    let mut last = None;
    let mut quote = None;
    for (index, line) in lines.iter().enumerate().skip(first) {
        let is_text = quote.is_some();
        quote = quote_after(line.text, quote);
        if line.text.is_empty() && !is_text {
            continue;
        }
        if line.indent <= indent && !is_text {
            break;
        }
        last = Some(index);
    }
    last
}

/// The line on which the docs of a body end, if it begins with some.
fn docs_end(lines: &[Line<'_>], first: usize, last: usize) -> Option<usize> {
    let text = lines[first].text.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = QUOTES.iter().find(|quote| text.starts_with(**quote))?;
    if text[quote.len()..].contains(*quote) {
        return Some(first);
    }
    let rest = lines[first + 1..=last].iter();
    rest.take_while(|line| !line.text.contains(*quote))
        .count()
        .checked_add(first + 1)
        .filter(|end| *end <= last)
}

/// Whether a line is a statement by itself.
fn is_complete(text: &str) -> bool {
    const OPENERS: &[&str] = &[
        "@", "#", "def", "class", "async", "if", "for", "while", "with", "try", "match", "elif",
        "else", "except", "finally",
    ];
    let code = without_comment(text);
    let word = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '@')).next();
    let opens = word.is_some_and(|word| OPENERS.contains(&word)) || code.starts_with(['@', '#']);
    !code.is_empty()
        && !opens
        && balance(code) == 0
        && !code.ends_with([':', '\\', ','])
        && !QUOTES.iter().any(|quote| code.contains(quote))
        && text.len() < TRIED * 20
}

fn without_comment(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim_end()
}

/// Opening brackets less closing ones.
fn balance(code: &str) -> i32 {
    code.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}

/// The long quote that is open behind a line.
fn quote_after(text: &str, before: Option<&'static str>) -> Option<&'static str> {
    let mut open = before;
    let mut rest = text;
    loop {
        let quotes = QUOTES.iter().filter(|quote| open.is_none_or(|open| open == **quote));
        let next = quotes.filter_map(|quote| Some((rest.find(*quote)?, *quote))).min();
        let Some((at, quote)) = next else { return open };
        open = if open.is_some() { None } else { Some(quote) };
        rest = &rest[at + quote.len()..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let kept = kept(source);
        let shown: Vec<&str> =
            kept.ranges.iter().map(|range| &source[range.start_byte..range.end_byte]).collect();
        assert_eq!(shown.join("~"), expected);
    }

    #[test]
    fn bodies_are_left_out_but_for_docs_or_a_line() {
        check(
            "def a(x):\n    b = 1\n    if b:\n        c()\n\ndef d():\n    pass\n",
            "def a(x):\n    b = 1\n~\ndef d():\n    pass\n",
        );
        check(
            "class A:\n    def b(self):\n        \"\"\"Docs\n        more.\"\"\"\n        c()\n    d = 1\n",
            "class A:\n    def b(self):\n        \"\"\"Docs\n        more.\"\"\"\n~    d = 1\n",
        );
        check(
            "def a(\n    x,  # first\n):\n    return f'''\nno end\n'''\n\nb = 1\n",
            "def a(\n    x,  # first\n):\n    return f'''\nno end\n'''\n\nb = 1\n",
        );
        check("def a():\n    if b:\n        c()\n", "def a():\n    if b:\n        c()\n");
        check("'''\ndef no():\n    a\n    b\n'''\n", "'''\ndef no():\n    a\n    b\n'''\n");
        check("def a():\n    b\n    c", "def a():\n    b\n");
    }

    proptest! {
        #[test]
        fn any_text_is_cut_in_order(text in "(def a\\(\\):|    b|\"\"\"|\n|  é|# x|\\(){0,20}") {
            let kept = kept(&text);
            let mut at = 0;
            for range in &kept.ranges {
                prop_assert!(at <= range.start_byte && range.start_byte <= range.end_byte);
                prop_assert!(text.get(range.start_byte..range.end_byte).is_some());
                at = range.end_byte;
            }
        }
    }
}
