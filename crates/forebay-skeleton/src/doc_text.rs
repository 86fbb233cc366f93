//! Text of comments and docstrings, without their markers.

/// Returns the lines of a comment or docstring, without markers and without blank lines at both ends.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let text = strip_quotes(text.trim());
    let is_block = BLOCK_MARKERS.iter().any(|(open, _)| text.starts_with(open));
    let mut lines: Vec<&str> = text.lines().map(|line| strip_markers(line, is_block)).collect();
    while lines.last().is_some_and(|line| is_decoration(line)) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !is_decoration(line)).unwrap_or(lines.len());
    lines.drain(..first);
    lines
}

/// Returns the first sentence of docs, which may span lines; a long one is cut between words, with a mark.
pub(crate) fn first_sentence(lines: &[&str]) -> Option<String> {
    let start = lines.iter().position(|line| !line.is_empty())?;
    let more = lines[start + 1..].iter().take_while(|line| !line.is_empty() && !opens_block(line));
    let text = lines[start..=start].iter().chain(more).copied().collect::<Vec<_>>().join(" ");
    let sentence = &text[..sentence_end(&text)];
    if sentence.len() <= MAX_SENTENCE_BYTES {
        return Some(sentence.to_owned()).filter(|sentence| !sentence.is_empty());
    }
    let cut = sentence.floor_char_boundary(MAX_SENTENCE_BYTES);
    let end = sentence[..cut].rfind(' ').unwrap_or(cut);
    Some(format!("{} ...", sentence[..end].trim_end_matches([',', ';', ':'])))
}

/// Returns whether a line starts something other than more of a sentence: a tag, a list, a heading, code.
fn opens_block(line: &str) -> bool {
    is_fence(line) || line.starts_with(['@', ':', '\\', '-', '*', '#', '>', '|', '<'])
}

/// Returns the end of the first sentence.
fn sentence_end(text: &str) -> usize {
    sentence_ends(text).next().unwrap_or(text.len())
}

/// Returns the end of the last whole sentence.
pub(crate) fn last_sentence_end(text: &str) -> Option<usize> {
    sentence_ends(text).last()
}

/// Returns where sentences end: after a full stop before white space that does not end an abbreviation.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let stops = text.match_indices(['.', '!', '?', '。']);
    stops.filter_map(|(at, stop)| {
        let end = at + stop.len();
        let word = text[..at].rsplit(|c: char| c.is_whitespace() || c == '(').next();
        let word = word.unwrap_or_default();
        let is_short = word.chars().count() < 2 || ABBREVIATIONS.contains(&word);
        let ends_word = text[end..].chars().next().is_none_or(char::is_whitespace);
        // Scripts without spaces have their own full stop.
        let is_unspaced = stop.len() > 1;
        (is_unspaced || ends_word && !is_short).then_some(end)
    })
}

/// Words that end with a full stop within a sentence, without it.
const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "incl"];
/// Longer sentences are cut.
const MAX_SENTENCE_BYTES: usize = 240;

/// Returns all lines of the docs of an item, including blank lines, examples and their indentation.
pub(crate) fn full_lines<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = texts.flat_map(lines_without_markers).collect();
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
    for line in &mut lines {
        *line = line.get(margin.unwrap_or(0)..).unwrap_or_default().trim_end();
    }
    let is_decoration_line = |line: &&str| is_decoration(line) && !is_fence(line);
    while lines.last().is_some_and(is_decoration_line) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !is_decoration_line(line)).unwrap_or(lines.len());
    lines.drain(..first);
    lines
}

/// Returns the lines of a comment or docstring without markers, with a common margin removed.
fn lines_without_markers(text: &str) -> Vec<&str> {
    let inner = strip_quotes(text.trim());
    let is_string = inner.len() < text.trim().len();
    let is_block = BLOCK_MARKERS.iter().any(|(open, _)| inner.starts_with(open));
    let lines: Vec<&str> = inner.lines().map(|line| after_marker(line, is_block)).collect();
    let Some((first, rest)) = lines.split_first() else { return vec![""] };
    if !(is_string || is_block) {
        return lines;
    }
    // The text after the opening marker has no margin.
    let nonblank = rest.iter().filter(|line| !line.trim().is_empty());
    let margin = nonblank.map(|line| indent(line)).min().unwrap_or(0);
    let rest = rest.iter().map(|line| line.get(margin..).unwrap_or_default());
    std::iter::once(first.trim_start()).chain(rest).collect()
}

/// Returns a line after its marker, keeping the indentation that follows.
fn after_marker(line: &str, is_block: bool) -> &str {
    let text = line.trim();
    if !is_block {
        let inner = LINE_MARKERS.iter().find_map(|marker| text.strip_prefix(marker));
        return inner.unwrap_or(line);
    }
    let end = BLOCK_MARKERS.iter().find_map(|(_, close)| text.strip_suffix(close)).unwrap_or(text);
    let opened = BLOCK_MARKERS.iter().find_map(|(open, _)| end.strip_prefix(open));
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

/// Delimiters of block comments, longer ones first.
const BLOCK_MARKERS: &[(&str, &str)] = &[
    ("/**", "*/"),
    ("/*!", "*/"),
    ("/*", "*/"),
    ("{-|", "-}"),
    ("{-", "-}"),
    ("<!--", "-->"),
    ("--[[", "]]"),
    ("=begin", "=end"),
];
/// Prefixes of line comments, longer ones first.
const LINE_MARKERS: &[&str] =
    &["///", "//!", "//", "#'", "##", "#", "-- |", "---", "--", ";;", ";", "%"];
/// Quotes of docstrings, longer ones first.
const QUOTES: &[&str] = &["\"\"\"", "'''", "\"", "'"];

fn strip_quotes(text: &str) -> &str {
    // Python and Elixir have prefixes before the quotes.
    let text = text.strip_prefix("@doc").map_or(text, str::trim_start);
    let quoted = text.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 's', 'S', '~']);
    for quote in QUOTES {
        if let Some(inner) = quoted.strip_prefix(quote) {
            return inner.strip_suffix(quote).unwrap_or(inner);
        }
    }
    text
}

fn strip_markers(line: &str, is_block: bool) -> &str {
    let mut line = line.trim();
    if is_block {
        for (open, close) in BLOCK_MARKERS {
            line = line.strip_suffix(close).unwrap_or(line);
            if let Some(inner) = line.strip_prefix(open) {
                return inner.trim();
            }
        }
        // Lines of doc blocks start with a star.
        return line.strip_prefix('*').unwrap_or(line).trim();
    }
    for marker in LINE_MARKERS {
        if let Some(inner) = line.strip_prefix(marker) {
            return inner.trim();
        }
    }
    line
}

/// Returns whether a line is empty or only decorative.
fn is_decoration(line: &str) -> bool {
    !line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_docs_after_the_first_sentence() {
        let check = |lines: &[&str], expected: &str| {
            assert_eq!(first_sentence(lines).as_deref(), Some(expected), "{lines:?}");
        };
        check(&["Reads a file that", "may be large. Slowly."], "Reads a file that may be large.");
        check(&["", "No full stop", "", "More."], "No full stop");
        check(&["Uses v1.2, e.g. here. Then."], "Uses v1.2, e.g. here.");
        check(&["Adds one", "@param a - what"], "Adds one");
        check(&["Prüft es。Danach mehr。"], "Prüft es。");
        let long = "word ".repeat(80);
        let cut = first_sentence(&[&long]).unwrap();
        assert!(cut.ends_with("word ...") && cut.len() <= MAX_SENTENCE_BYTES + 4, "{cut}");
        assert_eq!(first_sentence(&["", ""]), None);
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(lines(text), expected, "{text}");
    }

    #[test]
    fn keeps_examples_unchanged() {
        let each =
            ["/// Says it.", "///", "/// ```", "/// if a {", "///     b();", "/// }", "/// ```"];
        let expected = ["Says it.", "", "```", "if a {", "    b();", "}", "```"];
        assert_eq!(full_lines(each.into_iter()), expected);
        let block = "/**\n     * Says it.\n     *\n     *     code();\n     */";
        assert_eq!(full_lines([block].into_iter()), ["Says it.", "", "    code();"]);
        let docstring = "\"\"\"Says it.\n\n    >>> if a:\n    ...     b()\n    \"\"\"";
        assert_eq!(
            full_lines([docstring].into_iter()),
            ["Says it.", "", ">>> if a:", "...     b()"]
        );
        assert_eq!(full_lines(["# ====", "# Title", "# ===="].into_iter()), ["Title"]);
        assert_eq!(full_lines(["//"].into_iter()), Vec::<&str>::new());
    }

    #[test]
    fn strips_comment_markers() {
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
