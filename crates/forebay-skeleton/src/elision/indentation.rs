//! Bodies that end where the indentation does.
//!
//! Of each body the docs are kept, and one word stands for the rest: a block must hold something. Comments
//! that take a line are left out; all that is asked of them is where they stand.

use std::ops::Range;

use super::{Line, Surface, balance, lines};

const HEADERS: &[&str] = &["def ", "async def "];
const QUOTES: &[&str] = &["\"\"\"", "'''"];
/// What stands for a body.
const REST: &str = "pass\n";

pub(super) fn surface(source: &str) -> Surface {
    let lines: Vec<Line<'_>> = lines(source).collect();
    let mut surface = Surface::default();
    let (mut at, mut from) = (0, 0);
    let mut quote = None;
    while at < lines.len() {
        let is_text = quote.is_some();
        quote = quote_after(lines[at].text, quote);
        if !is_text && lines[at].text.starts_with('#') {
            // At each line of a run of comments the grammar would look through all that follow.
            surface.keep(source, from..lines[at].start);
            surface.leave_out_comment(&lines[at]);
            (at, from) = (at + 1, lines[at].next);
            continue;
        }
        let rest = (!is_text && quote.is_none()).then(|| rest_of_body(&lines, at)).flatten();
        let Some(rest) = rest else {
            at += 1;
            continue;
        };
        let (first, last) = (&lines[rest.start], &lines[rest.end - 1]);
        surface.keep_header(source, from..first.start, &lines[at], ':');
        let indent = &source[first.start..first.start + first.indent];
        surface.stand_in(&format!("{indent}{REST}"), first.start + first.indent..last.end);
        (at, from) = (rest.end, last.next);
    }
    surface.keep(source, from..source.len());
    surface
}

/// The lines that are left out of the body that follows a header at this line, if that wins anything.
fn rest_of_body(lines: &[Line<'_>], header: usize) -> Option<Range<usize>> {
    let own = &lines[header];
    if !HEADERS.iter().any(|word| own.text.starts_with(word)) {
        return None;
    }
    let first = header_end(lines, header)? + 1;
    let last = body_end(lines, first, own.indent)?;
    let first = code_from(lines, first, last);
    let rest = docs_end(lines, first, last).map_or(first, |end| code_from(lines, end + 1, last));
    (rest < last && lines[rest].indent > own.indent).then_some(rest..last + 1)
}

/// The first line from here on that is neither empty nor a comment, the last one at the latest.
fn code_from(lines: &[Line<'_>], from: usize, last: usize) -> usize {
    let is_code = |at: &usize| !(lines[*at].text.is_empty() || lines[*at].text.starts_with('#'));
    (from..last).find(is_code).unwrap_or(last.max(from))
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
    // A quote that nothing closes was none.
    last.filter(|_| quote.is_none())
}

/// The line on which the docs of a body end, if it begins with some.
fn docs_end(lines: &[Line<'_>], first: usize, last: usize) -> Option<usize> {
    let text = lines[first].text.trim_start_matches(['r', 'R', 'u', 'U']);
    let Some(quote) = QUOTES.iter().find(|quote| text.starts_with(**quote)) else {
        return is_short_string(text).then_some(first);
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

/// Whether a line is one string in single marks.
fn is_short_string(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_quoted = text.len() > 1 && text.starts_with(['"', '\'']);
    is_quoted && after_string(bytes, 0) == bytes.len() && bytes.first() == bytes.last()
}

fn without_comment(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim_end()
}

/// The long quote that is open behind a line; one in a comment or a short string opens nothing.
fn quote_after(text: &str, before: Option<&'static str>) -> Option<&'static str> {
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
                at = open.map_or_else(|| after_string(bytes, at), |quote| at + quote.len());
            }
            _ => at += 1,
        }
    }
    open
}

/// Behind the string that begins here, which ends with its line at the latest.
fn after_string(bytes: &[u8], start: usize) -> usize {
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
        assert_eq!(surface(source).text, expected);
    }

    #[test]
    fn bodies_are_left_out_but_for_docs() {
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
        fn any_text_is_cut_within_its_bounds(text in "(def a\\(\\):|    b|\"\"\"|\n|  é|# x|\\(){0,20}") {
            let surface = surface(&text);
            for end in (0..=surface.text.len()).filter(|end| surface.text.is_char_boundary(*end)) {
                prop_assert!(text.get(surface.in_source(&(0..end))).is_some());
            }
        }
    }
}
