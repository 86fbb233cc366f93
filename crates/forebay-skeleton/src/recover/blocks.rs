//! Splits a text into blocks by indentation.

use std::ops::Range;

/// A line with the lines that are indented below it, and the comments and attributes before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) range: Range<usize>,
    /// The part between the first line and the closing ones.
    pub(super) inner: Range<usize>,
    /// The first line appears to open a block.
    pub(super) is_opened: bool,
    /// The line that opened the block is missing.
    pub(super) is_orphan: bool,
}

struct Line<'a> {
    start: usize,
    end: usize,
    indent: usize,
    text: &'a str,
}

/// Splits a range of a text at its smallest indentation.
pub(super) fn split(source: &str, range: Range<usize>) -> Vec<Block> {
    let lines = lines(source, range);
    let nonblank = lines.iter().filter(|line| !line.text.is_empty());
    let Some(base) = nonblank.map(|line| line.indent).min() else { return Vec::new() };
    let mut groups: Vec<Vec<&Line<'_>>> = Vec::new();
    let mut is_open = false;
    for line in &lines {
        match groups.last_mut() {
            Some(group) if is_open && continues(group, line, base) => group.push(line),
            _ if line.text.is_empty() => is_open = false,
            _ => {
                groups.push(vec![line]);
                is_open = true;
            }
        }
    }
    groups.iter().map(|group| block(group, base)).collect()
}

fn lines(source: &str, range: Range<usize>) -> Vec<Line<'_>> {
    let mut start = range.start;
    let mut lines = Vec::new();
    for line in source[range].split_inclusive('\n') {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        lines.push(Line { start, end: start + line.len(), indent, text });
        start += line.len();
    }
    lines
}

fn continues(group: &[&Line<'_>], line: &Line<'_>, base: usize) -> bool {
    let only_comments = group.iter().all(|line| is_comment_or_attribute(line.text));
    if line.text.is_empty() {
        return !only_comments;
    }
    if line.indent > base {
        // Indented lines after a closed block have lost their opening line.
        return !is_closed(group, base);
    }
    only_comments || (is_continuation(line.text) && group[0].indent <= base)
}

/// Returns whether the last line of a group closes it.
fn is_closed(group: &[&Line<'_>], base: usize) -> bool {
    let last = group.iter().rev().find(|line| !line.text.is_empty());
    last.is_some_and(|line| {
        let is_open = line.text.ends_with(['{', '(', '[', ':', ',', '|', '=', '>']);
        group.len() > 1 && line.indent <= base && is_continuation(line.text) && !is_open
    })
}

/// Comments and attributes belong to the following item.
fn is_comment_or_attribute(text: &str) -> bool {
    const ATTRIBUTES: &[&str] = &["*", "#[", "@", "#", "--", "[", ";"];
    // Examples in docs are not code.
    const COMMENTS: &[&str] = &["//", "/*", "* ", "*/"];
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
    let is_template = text.starts_with("template") && text.ends_with('>');
    starts(COMMENTS) || is_template || starts(ATTRIBUTES) && !text.contains('{')
}

/// Lines that continue the ones above at the same indentation.
fn is_continuation(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "end", "else", "elif", "elsif", "except", "finally", "rescue", "catch", "where", "then",
        "do", "fi", "done",
    ];
    const SECTIONS: &[&str] = &["public:", "private:", "protected:"];
    let first: &str = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_section = SECTIONS.contains(&text);
    text.starts_with([')', '}', ']', '{', '>']) || WORDS.contains(&first) || is_section
}

fn block(group: &[&Line<'_>], base: usize) -> Block {
    let start = group[0].start + group[0].indent;
    let end = group[group.len() - 1].end;
    let is_header = |line: &&Line<'_>| {
        line.indent <= base && !is_comment_or_attribute(line.text) && !is_continuation(line.text)
    };
    let Some(header) = group.iter().position(is_header) else {
        // The opening line is missing; the contents are parsed on their own.
        let inner = group.iter().find(|line| line.indent > base).map_or(end, |line| line.start);
        return Block { range: start..end, inner: inner..end, is_opened: false, is_orphan: true };
    };
    let opens = |line: &&&Line<'_>| {
        let is_opener = line.text.ends_with(['{', ':']) || line.text.ends_with(" do");
        is_opener && line.indent <= base
    };
    // A signature may take several lines before its block opens.
    let opening = group[header..].iter().take(MAX_HEADER_LINES).find(opens);
    let is_opened = opening.is_some() || !group[header].text.ends_with([';', ',', ')', '"']);
    let opening = opening.unwrap_or(&group[header]).end;
    let closing = group.iter().skip(header + 1).rev();
    let closing = closing.take_while(|line| {
        line.text.is_empty() || (line.indent <= base && is_continuation(line.text))
    });
    let inner_end = closing.last().map_or(end, |line| line.start);
    let inner = if inner_end > opening { opening..inner_end } else { end..end };
    Block { range: start..end, inner, is_opened, is_orphan: false }
}

const MAX_HEADER_LINES: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[(&str, &str)]) {
        let blocks = split(source, 0..source.len());
        let texts: Vec<(&str, &str)> = blocks
            .iter()
            .map(|block| (source[block.range.clone()].trim(), source[block.inner.clone()].trim()))
            .collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn splits_by_indentation() {
        check("a {\n  b\n}\nc\n", &[("a {\n  b\n}", "b"), ("c", "")]);
        check("// says\na(\n  x,\n) {\n  b\n}\n", &[("// says\na(\n  x,\n) {\n  b\n}", "b")]);
        check(
            "// apart\n\nclass A:\n  x\n\n  y\nz\n",
            &[("// apart", ""), ("class A:\n  x\n\n  y", "x\n\n  y"), ("z", "")],
        );
        check("  in\n    deeper\n  in\n", &[("in\n    deeper", "deeper"), ("in", "")]);
        check("", &[]);
    }
}
