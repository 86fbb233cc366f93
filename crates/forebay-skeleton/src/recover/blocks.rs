//! Cuts a text into blocks by its indentation.

use std::ops::Range;

/// A line with what is indented below it, and the comments and attributes before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) range: Range<usize>,
    /// What stands between the first line and the closing ones.
    pub(super) inner: Range<usize>,
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
    line.indent > base || only_remarks || is_closing(line.text)
}

/// Comments and attributes belong to what follows.
fn is_remark(text: &str) -> bool {
    const REMARKS: &[&str] = &["//", "/*", "*", "#[", "@", "#", "--", "[", ";"];
    REMARKS.iter().any(|mark| text.starts_with(mark)) && !text.contains('{')
}

/// Lines that go on with what stands above them at the same indentation.
fn is_closing(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "end", "else", "elif", "elsif", "except", "finally", "rescue", "catch", "where", "then",
        "do", "fi", "done",
    ];
    let first: &str = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    text.starts_with([')', '}', ']', '{']) || WORDS.contains(&first)
}

fn block(group: &[&Line<'_>], base: usize) -> Block {
    let head = group.iter().position(|line| !is_remark(line.text)).unwrap_or(0);
    let opens = |line: &&&Line<'_>| line.text.ends_with(['{', ':']) || line.text.ends_with(" do");
    // A signature may take several lines before its block opens.
    let opening = group[head..].iter().take(MOST_HEAD_LINES).find(opens);
    let opening = opening.or(group.get(head)).map_or(0, |line| line.end);
    let closing = group.iter().skip(head + 1).rev();
    let closing = closing
        .take_while(|line| line.text.is_empty() || (line.indent <= base && is_closing(line.text)));
    let inner_end = closing.last().map_or(group[group.len() - 1].end, |line| line.start);
    let start = group[0].start + group[0].indent;
    let end = group[group.len() - 1].end;
    let inner = if inner_end > opening { opening..inner_end } else { end..end };
    Block { range: start..end, inner }
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
