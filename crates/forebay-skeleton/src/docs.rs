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
