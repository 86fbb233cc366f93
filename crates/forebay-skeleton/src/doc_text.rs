//! The words in comments, without the marks around them.

/// The lines of a comment or a docstring, without marks, without empty lines at both ends.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let text = without_string_marks(text.trim());
    let is_block = BLOCKS.iter().any(|(open, _)| text.starts_with(open));
    let mut lines: Vec<&str> = text.lines().map(|line| without_marks(line, is_block)).collect();
    while lines.last().is_some_and(|line| is_rule(line)) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !is_rule(line)).unwrap_or(lines.len());
    lines.drain(..first);
    lines
}

/// All lines of the comments or the docstring before an item, as they are meant to be read: with empty lines, with
/// examples and their indentation.
pub(crate) fn whole<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = texts.flat_map(unmarked).collect();
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
    for line in &mut lines {
        *line = line.get(margin.unwrap_or(0)..).unwrap_or_default().trim_end();
    }
    let says_nothing = |line: &&str| is_rule(line) && !is_fence(line);
    while lines.last().is_some_and(says_nothing) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !says_nothing(line)).unwrap_or(lines.len());
    lines.drain(..first);
    lines
}

/// The lines of one comment or docstring without marks, all from one margin on.
fn unmarked(text: &str) -> Vec<&str> {
    let inner = without_string_marks(text.trim());
    let is_string = inner.len() < text.trim().len();
    let is_block = BLOCKS.iter().any(|(open, _)| inner.starts_with(open));
    let lines: Vec<&str> = inner.lines().map(|line| behind_marks(line, is_block)).collect();
    let Some((first, rest)) = lines.split_first() else { return vec![""] };
    if !(is_string || is_block) {
        return lines;
    }
    // What follows the opening mark has no margin of its own.
    let written = rest.iter().filter(|line| !line.trim().is_empty());
    let margin = written.map(|line| indent(line)).min().unwrap_or(0);
    let rest = rest.iter().map(|line| line.get(margin..).unwrap_or_default());
    std::iter::once(first.trim_start()).chain(rest).collect()
}

/// A line behind its mark, with the indentation that follows.
fn behind_marks(line: &str, is_block: bool) -> &str {
    let text = line.trim();
    if !is_block {
        let inner = LINES.iter().find_map(|mark| text.strip_prefix(mark));
        return inner.unwrap_or(line);
    }
    let end = BLOCKS.iter().find_map(|(_, close)| text.strip_suffix(close)).unwrap_or(text);
    let opened = BLOCKS.iter().find_map(|(open, _)| end.strip_prefix(open));
    match opened.or_else(|| end.strip_prefix('*')) {
        Some(inner) => inner,
        None if end.len() < text.len() => end,
        None => line,
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_fence(line: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence))
}

/// Marks around a comment of several lines, the longer before the shorter.
const BLOCKS: &[(&str, &str)] = &[
    ("/**", "*/"),
    ("/*!", "*/"),
    ("/*", "*/"),
    ("{-|", "-}"),
    ("{-", "-}"),
    ("<!--", "-->"),
    ("--[[", "]]"),
    ("=begin", "=end"),
];
/// Marks before each line of a comment, the longer before the shorter.
const LINES: &[&str] = &["///", "//!", "//", "#'", "##", "#", "-- |", "---", "--", ";;", ";", "%"];
/// Marks around texts that serve as docs, the longer before the shorter.
const STRINGS: &[&str] = &["\"\"\"", "'''", "\"", "'"];

fn without_string_marks(text: &str) -> &str {
    // Letters before the quotes say how Python and Elixir read the text.
    let text = text.strip_prefix("@doc").map_or(text, str::trim_start);
    let quoted = text.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 's', 'S', '~']);
    for marks in STRINGS {
        if let Some(inner) = quoted.strip_prefix(marks) {
            return inner.strip_suffix(marks).unwrap_or(inner);
        }
    }
    text
}

fn without_marks(line: &str, is_block: bool) -> &str {
    let mut line = line.trim();
    if is_block {
        for (open, close) in BLOCKS {
            line = line.strip_suffix(close).unwrap_or(line);
            if let Some(inner) = line.strip_prefix(open) {
                return inner.trim();
            }
        }
        // Doc blocks begin each line with a star.
        return line.strip_prefix('*').unwrap_or(line).trim();
    }
    for mark in LINES {
        if let Some(inner) = line.strip_prefix(mark) {
            return inner.trim();
        }
    }
    line
}

/// Whether a line only draws, or is empty.
fn is_rule(line: &str) -> bool {
    !line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(lines(text), expected, "{text}");
    }

    #[test]
    fn examples_stay_as_they_are() {
        let each =
            ["/// Says it.", "///", "/// ```", "/// if a {", "///     b();", "/// }", "/// ```"];
        let expected = ["Says it.", "", "```", "if a {", "    b();", "}", "```"];
        assert_eq!(whole(each.into_iter()), expected);
        let block = "/**\n     * Says it.\n     *\n     *     code();\n     */";
        assert_eq!(whole([block].into_iter()), ["Says it.", "", "    code();"]);
        let docstring = "\"\"\"Says it.\n\n    >>> if a:\n    ...     b()\n    \"\"\"";
        assert_eq!(whole([docstring].into_iter()), ["Says it.", "", ">>> if a:", "...     b()"]);
        assert_eq!(whole(["# ====", "# Title", "# ===="].into_iter()), ["Title"]);
        assert_eq!(whole(["//"].into_iter()), Vec::<&str>::new());
    }

    #[test]
    fn marks_go_and_words_stay() {
        check("/// Says it.", &["Says it."]);
        check("/**\n * First.\n *\n * Second.\n */", &["First.", "", "Second."]);
        check("/* one line */", &["one line"]);
        check("\"\"\"Docs.\n\n    More.\n    \"\"\"", &["Docs.", "", "More."]);
        check("r'''raw'''", &["raw"]);
        check("# =====\n# Title\n# =====", &["Title"]);
        check("-- | Haskell", &["Haskell"]);
        check("--[[ Lua ]]", &["Lua"]);
        check("//", &[]);
        check("/**/", &[]);
    }
}
