//! Elision of bodies in indentation-based languages.
//!
//! Keeps the docstring of each body and replaces the rest by `pass`, because a block must not be empty. Comments on
//! their own line are omitted; only their position is needed.

use std::ops::Range;

use super::{ElidedSource, Line, balance, lines};

const FUNCTION_KEYWORDS: &[&str] = &["def ", "async def "];
const QUOTES: &[&str] = &["\"\"\"", "'''"];
/// Replaces a body.
const PLACEHOLDER: &str = "pass\n";

pub(super) fn elide(source: &str) -> ElidedSource {
    let lines: Vec<Line<'_>> = lines(source).collect();
    let mut elided = ElidedSource::default();
    let (mut at, mut from) = (0, 0);
    let mut quote = None;
    while at < lines.len() {
        let is_in_string = quote.is_some();
        quote = open_quote_after(lines[at].text, quote);
        if !is_in_string && lines[at].text.starts_with('#') {
            // The grammar would scan all following lines at each line of a comment block.
            elided.copy(source, from..lines[at].start);
            elided.omit_comment(&lines[at]);
            (at, from) = (at + 1, lines[at].next);
            continue;
        }
        let rest = (!is_in_string && quote.is_none()).then(|| omitted_body(&lines, at)).flatten();
        let Some(rest) = rest else {
            at += 1;
            continue;
        };
        let (first, last) = (&lines[rest.start], &lines[rest.end - 1]);
        elided.copy_header(source, from..first.start, &lines[at], ':');
        let indent = &source[first.start..first.start + first.indent];
        elided.push_placeholder(
            &format!("{indent}{PLACEHOLDER}"),
            first.start + first.indent..last.end,
        );
        (at, from) = (rest.end, last.next);
    }
    elided.copy(source, from..source.len());
    elided
}

/// Returns the lines to omit from the body of the header at this line, if any.
fn omitted_body(lines: &[Line<'_>], header: usize) -> Option<Range<usize>> {
    let header_line = &lines[header];
    if !FUNCTION_KEYWORDS.iter().any(|word| header_line.text.starts_with(word)) {
        return None;
    }
    let first = header_end(lines, header)? + 1;
    let last = body_end(lines, first, header_line.indent)?;
    let first = next_code_line(lines, first, last);
    let rest =
        docs_end(lines, first, last).map_or(first, |end| next_code_line(lines, end + 1, last));
    (rest < last && lines[rest].indent > header_line.indent).then_some(rest..last + 1)
}

/// Returns the first line that is neither empty nor a comment, at most the last one.
fn next_code_line(lines: &[Line<'_>], from: usize, last: usize) -> usize {
    let is_code = |at: &usize| !(lines[*at].text.is_empty() || lines[*at].text.starts_with('#'));
    (from..last).find(is_code).unwrap_or(last.max(from))
}

/// Returns the last line of a header.
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

/// Returns the last line of a block that is indented deeper than its header.
fn body_end(lines: &[Line<'_>], first: usize, indent: usize) -> Option<usize> {
    let mut last = None;
    let mut quote = None;
    for (index, line) in lines.iter().enumerate().skip(first) {
        let is_in_string = quote.is_some();
        quote = open_quote_after(line.text, quote);
        if line.text.is_empty() && !is_in_string {
            continue;
        }
        if line.indent <= indent && !is_in_string {
            break;
        }
        last = Some(index);
    }
    // An unterminated quote means that the scan went wrong.
    last.filter(|_| quote.is_none())
}

/// Returns the last line of the docstring, if the body starts with one.
fn docs_end(lines: &[Line<'_>], first: usize, last: usize) -> Option<usize> {
    let text = lines[first].text.trim_start_matches(['r', 'R', 'u', 'U']);
    let Some(quote) = QUOTES.iter().find(|quote| text.starts_with(**quote)) else {
        return is_single_line_string(text).then_some(first);
    };
    if text[quote.len()..].contains(*quote) {
        return Some(first);
    }
    let rest = lines[first + 1..=last].iter();
    rest.take_while(|line| !line.text.contains(*quote))
        .count()
        .checked_add(first + 1)
        .filter(|end| *end <= last)
}

/// Returns whether a line is a single-quoted string.
fn is_single_line_string(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_quoted = text.len() > 1 && text.starts_with(['"', '\'']);
    is_quoted && string_end(bytes, 0) == bytes.len() && bytes.first() == bytes.last()
}

fn without_comment(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim_end()
}

/// Returns the triple quote that is open after a line, ignoring comments and single-quoted strings.
fn open_quote_after(text: &str, before: Option<&'static str>) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let (mut open, mut at) = (before, 0);
    while at < bytes.len() {
        if let Some(quote) = open {
            let Some(end) = text[at..].find(quote) else { return open };
            at += end + quote.len();
            open = None;
            continue;
        }
        match bytes[at] {
            b'#' => return None,
            b'"' | b'\'' => {
                open = QUOTES.iter().copied().find(|quote| text[at..].starts_with(quote));
                at = open.map_or_else(|| string_end(bytes, at), |quote| at + quote.len());
            }
            _ => at += 1,
        }
    }
    open
}

/// Returns the end of the string that starts here, at most the end of its line.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != bytes[start] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(elide(source).text, expected);
    }

    #[test]
    fn omits_bodies_but_keeps_docstrings() {
        check(
            "def a(x):\n    if x:\n        c()\n\ndef d():\n    pass\n",
            "def a():\n    pass\n\ndef d():\n    pass\n",
        );
        check(
            "class A:\n    def b(self):\n        \"\"\"Docs\n        more.\"\"\"\n        c()\n        d()\n    e = 1\n",
            "class A:\n    def b():\n        \"\"\"Docs\n        more.\"\"\"\n        pass\n    e = 1\n",
        );
        check(
            "def a(\n    x,  # first\n):\n    return f'''\nno end\n'''\n\nb = 1\n",
            "def a(\n    x,  # first\n):\n    pass\n\nb = 1\n",
        );
        check("'''\ndef no():\n    a\n    b\n'''\n", "'''\ndef no():\n    a\n    b\n'''\n");
        check("def a():\n    b\n    c", "def a():\n    pass\n");
        check(
            "def a():\n    # b\n    'Docs.'\n    # c\n    d\n    e\n",
            "def a():\n    # b\n    'Docs.'\n    # c\n    pass\n",
        );
        check("# a\nb = '''\n# c\n'''\n    # d\ne = 1 # f\n", "b = '''\n# c\n'''\ne = 1 # f\n");
        check("def a():\n    'Docs.'\n    b\n    c\n", "def a():\n    'Docs.'\n    pass\n");
        check(
            "def a():\n    b = '\"\"\"'\n    c # '''\n\ndef d():\n    e\n",
            "def a():\n    pass\n\ndef d():\n    e\n",
        );
    }

    proptest! {
        #[test]
        fn maps_any_text_to_valid_ranges(text in "(def a\\(\\):|    b|\"\"\"|\n|  é|# x|\\(){0,20}") {
            let elided = elide(&text);
            for end in (0..=elided.text.len()).filter(|end| elided.text.is_char_boundary(*end)) {
                prop_assert!(text.get(elided.source_range(&(0..end))).is_some());
            }
        }
    }
}
