//! Cuts a text into blocks by its indentation.

use std::ops::Range;

/// A line with what is indented below it, and the comments and attributes before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) range: Range<usize>,
    /// What stands between the first line and the closing ones.
    pub(super) inner: Range<usize>,
    /// The first line opens something, as far as can be seen.
    pub(super) is_opened: bool,
    /// What stands in it has lost the line it stood under.
    pub(super) is_orphan: bool,
}

struct Line<'a> {
    start: usize,
    end: usize,
    indent: usize,
    text: &'a str,
}

/// The blocks of a part of a text, at the smallest indentation in it.
pub(super) fn split(source: &str, range: Range<usize>) -> Vec<Block> {
    let lines = lines(source, range);
    let written = lines.iter().filter(|line| !line.text.is_empty());
    let Some(base) = written.map(|line| line.indent).min() else { return Vec::new() };
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
    let only_remarks = group.iter().all(|line| is_remark(line.text));
    if line.text.is_empty() {
        return !only_remarks;
    }
    if line.indent > base {
        // What is indented after a block was closed has lost the line it stood under.
        return !is_closed(group, base);
    }
    only_remarks || (is_closing(line.text) && group[0].indent <= base)
}

/// Whether the last line of a group closes it.
fn is_closed(group: &[&Line<'_>], base: usize) -> bool {
    let last = group.iter().rev().find(|line| !line.text.is_empty());
    last.is_some_and(|line| {
        let goes_on = line.text.ends_with(['{', '(', '[', ':', ',', '|', '=', '>']);
        group.len() > 1 && line.indent <= base && is_closing(line.text) && !goes_on
    })
}

/// Comments and attributes belong to what follows.
fn is_remark(text: &str) -> bool {
    const REMARKS: &[&str] = &["*", "#[", "@", "#", "--", "[", ";"];
    // Examples in docs are no code.
    const COMMENTS: &[&str] = &["//", "/*", "* ", "*/"];
    let starts = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark));
    let is_template = text.starts_with("template") && text.ends_with('>');
    starts(COMMENTS) || is_template || starts(REMARKS) && !text.contains('{')
}

/// Lines that go on with what stands above them at the same indentation.
fn is_closing(text: &str) -> bool {
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
    let is_head =
        |line: &&Line<'_>| line.indent <= base && !is_remark(line.text) && !is_closing(line.text);
    let Some(head) = group.iter().position(is_head) else {
        // Nothing opens this; what stands in it is read on its own.
        let inner = group.iter().find(|line| line.indent > base).map_or(end, |line| line.start);
        return Block { range: start..end, inner: inner..end, is_opened: false, is_orphan: true };
    };
    let opens = |line: &&&Line<'_>| {
        let is_opener = line.text.ends_with(['{', ':']) || line.text.ends_with(" do");
        is_opener && line.indent <= base
    };
    // A signature may take several lines before its block opens.
    let opening = group[head..].iter().take(MOST_HEAD_LINES).find(opens);
    let is_opened = opening.is_some() || !group[head].text.ends_with([';', ',', ')', '"']);
    let opening = opening.unwrap_or(&group[head]).end;
    let closing = group.iter().skip(head + 1).rev();
    let closing = closing
        .take_while(|line| line.text.is_empty() || (line.indent <= base && is_closing(line.text)));
    let inner_end = closing.last().map_or(end, |line| line.start);
    let inner = if inner_end > opening { opening..inner_end } else { end..end };
    Block { range: start..end, inner, is_opened, is_orphan: false }
}

const MOST_HEAD_LINES: usize = 12;

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
    fn lines_with_what_stands_in_them_are_blocks() {
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
