//! Format detection, by file name and by content.

use super::{json, log};

/// How a text is chunked. Source code is chunked by grammar, elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Json,
    JsonLines,
    Yaml,
    Csv,
    Log,
    /// Pages separated by form feeds.
    Pages,
    Plain,
}

/// File name extensions in lower case.
const EXTENSIONS: &[(&str, Format)] = &[
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("mdown", Format::Markdown),
    ("mdx", Format::Markdown),
    ("mkd", Format::Markdown),
    ("rst", Format::Markdown),
    ("json", Format::Json),
    ("jsonc", Format::Json),
    ("json5", Format::Json),
    ("geojson", Format::Json),
    ("ipynb", Format::Json),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("yaml", Format::Yaml),
    ("yml", Format::Yaml),
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("log", Format::Log),
];

/// Bytes inspected when the name does not decide.
const HEAD_BYTES: usize = 16 * 1024;

impl Format {
    pub const ALL: [Self; 8] = [
        Self::Markdown,
        Self::Json,
        Self::JsonLines,
        Self::Yaml,
        Self::Csv,
        Self::Log,
        Self::Pages,
        Self::Plain,
    ];

    /// Detects the format by extension, else by content.
    pub fn detect(name: &str, text: &str) -> Self {
        Self::by_name(name).unwrap_or_else(|| Self::by_content(text))
    }

    /// The format that a file name's extension implies.
    pub fn by_name(name: &str) -> Option<Self> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let extension = file.rsplit_once('.')?.1.to_ascii_lowercase();
        EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format)
    }

    fn by_content(text: &str) -> Self {
        let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
        if head.trim_start().starts_with(['{', '[']) {
            let line = head.trim_start().lines().next().unwrap_or_default().trim_end();
            let is_record = json::value_end(line.as_bytes(), 0) == Some(line.len());
            let has_more =
                head.trim_start().lines().nth(1).is_some_and(|next| next.starts_with('{'));
            if is_record && has_more {
                return Self::JsonLines;
            }
            if json::Members::new(head, head.len() - head.trim_start().len()).next().is_some() {
                return Self::Json;
            }
        }
        if log::is_likely(head) {
            return Self::Log;
        }
        if has_headings(head) { Self::Markdown } else { Self::Plain }
    }
}

/// Distinguishes Markdown headings from `#` comments of a script.
fn has_headings(head: &str) -> bool {
    let is_heading = |line: &&str| {
        let name = line.trim_start_matches('#');
        name.len() < line.len() && line.len() - name.len() <= 6 && name.starts_with(' ')
    };
    let headings = head.lines().filter(is_heading).count();
    let fences = head.lines().filter(|line| line.starts_with("```")).count();
    headings >= 2 || (headings >= 1 && (fences >= 2 || head.starts_with('#')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expect: Format) {
        assert_eq!(Format::detect(name, text), expect, "{name} {text}");
    }

    #[test]
    fn detects_by_name() {
        check("docs/README.MD", "", Format::Markdown);
        check("a.b.yml", "# x", Format::Yaml);
        check("notes", "", Format::Plain);
    }

    #[test]
    fn detects_by_content() {
        check("", "{\"a\": 1}\n", Format::Json);
        check("", "{\"a\":1}\n{\"a\":2}\n", Format::JsonLines);
        check("", "[1, 2]", Format::Json);
        check("", "[see below] text", Format::Json);
        check("", "# Title\n\ntext", Format::Markdown);
        check("", "plain text\nof two lines", Format::Plain);
    }
}
