//! Markdown: split at headings; code fences and tables stay whole.

use std::borrow::Cow;

use super::{Cut, TITLE_SEPARATOR, lines};
use crate::{cut, trim};

/// The deepest heading.
const MAX_LEVEL: usize = 6;
const MAX_HEADING_BYTES: usize = 80;
/// Typical minimum distance between cuts, for sizing buffers.
const TYPICAL_BLOCK_BYTES: usize = 100;

/// Cuts before headings, and soft cuts before paragraphs, fences and tables.
pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut reader =
        Reader { cuts: Vec::with_capacity(text.len() / TYPICAL_BLOCK_BYTES), ..Reader::default() };
    for (at, line) in lines(text) {
        let line = Line { at, content: trim(line) };
        reader.take(line);
        reader.previous = Some(line);
    }
    reader.cuts
}

/// A trimmed line and its offset.
#[derive(Clone, Copy)]
struct Line<'text> {
    at: usize,
    content: &'text str,
}

#[derive(Default)]
struct Reader<'text> {
    cuts: Vec<Cut>,
    previous: Option<Line<'text>>,
    /// Enclosing headings by level; empty where a level is skipped.
    path: Vec<Cow<'text, str>>,
    /// The marks that close the current fence.
    fence: Option<&'text str>,
    /// Whether the next text starts a block.
    opens_block: bool,
    in_front_matter: bool,
}

impl<'text> Reader<'text> {
    fn take(&mut self, line: Line<'text>) {
        let Line { at, content } = line;
        if self.in_front_matter || (at == 0 && content == "---") {
            self.in_front_matter = at == 0 || content != "---";
            self.opens_block = !self.in_front_matter;
            return;
        }
        if let Some(marks) = self.fence {
            if content.starts_with(marks) && content.trim_matches(|c| marks.contains(c)).is_empty()
            {
                self.fence = None;
                self.opens_block = true;
            }
            return;
        }
        match content.as_bytes().first() {
            Some(b'`' | b'~') if let Some(marks) = fence(content) => {
                self.open_block(at);
                self.fence = Some(marks);
            }
            Some(b'#') if let Some((level, name)) = heading(content) => {
                self.open_section(at, level, name);
            }
            Some(b'=' | b'-')
                if !self.opens_block
                    && let Some((level, above)) = underlined(content, self.previous) =>
            {
                self.open_section(above.at, level, above.content);
            }
            Some(_) => self.open_block(at),
            None => {
                // Text after a heading belongs to it.
                let follows_text = |line: Line<'_>| heading(line.content).is_none();
                self.opens_block = self.opens_block || self.previous.is_some_and(follows_text);
            }
        }
    }

    fn open_block(&mut self, at: usize) {
        if std::mem::take(&mut self.opens_block) {
            self.cuts.push(Cut::within(at));
        }
    }

    fn open_section(&mut self, at: usize, level: usize, name: &'text str) {
        // A setext heading replaces the block that its first line opened.
        while self.cuts.last().is_some_and(|last| last.at >= at) {
            self.cuts.pop();
        }
        self.path.truncate(level - 1);
        self.path.resize(level - 1, Cow::Borrowed(""));
        self.path.push(cut::line(name, MAX_HEADING_BYTES));
        self.cuts.push(Cut::new(at, level as u8, title(&self.path)));
        self.opens_block = false;
    }
}

fn title(path: &[Cow<'_, str>]) -> String {
    let mut title =
        String::with_capacity(path.iter().map(|name| name.len() + TITLE_SEPARATOR.len()).sum());
    for name in path.iter().filter(|name| !name.is_empty()) {
        if !title.is_empty() {
            title.push_str(TITLE_SEPARATOR);
        }
        title.push_str(name);
    }
    title
}

/// The marks that open a fence.
fn fence(content: &str) -> Option<&str> {
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = content.trim_start_matches(mark);
    let marks = &content[..content.len() - rest.len()];
    (marks.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(marks)
}

/// Level and text of an ATX heading.
fn heading(content: &str) -> Option<(usize, &str)> {
    let name = content.trim_start_matches('#');
    let level = content.len() - name.len();
    let is_one =
        (1..=MAX_LEVEL).contains(&level) && (name.is_empty() || name.starts_with([' ', '\t']));
    is_one.then(|| (level, name.trim().trim_end_matches('#').trim_end()))
}

/// Level and text of a setext heading, given its underline.
fn underlined<'text>(content: &str, above: Option<Line<'text>>) -> Option<(usize, Line<'text>)> {
    let line_of = |mark: char| content.len() >= 2 && content.chars().all(|c| c == mark);
    let level = match content.bytes().next()? {
        b'=' if line_of('=') => 1,
        b'-' if line_of('-') => 2,
        _ => return None,
    };
    let above = above?;
    let is_text = !above.content.is_empty()
        && heading(above.content).is_none()
        && !above.content.starts_with(['|', '-', '*', '+', '>', '=']);
    is_text.then_some((level, above))
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, Piece, chunks};

    fn titles(text: &str) -> Vec<(String, (u64, u64))> {
        let told = |piece: Piece| (piece.title, piece.lines);
        chunks(text, Format::Markdown).into_iter().map(told).collect()
    }

    #[test]
    fn sections_are_titled_by_heading_path() {
        let long = "word ".repeat(200);
        let text = format!(
            "# Guide\n\n{long}\n\n## Install\n{long}\n\nLinux\n-----\n\n{long}\n### Deep\n{long}\n"
        );
        assert_eq!(
            titles(&text),
            [
                ("Guide".to_owned(), (1, 4)),
                ("Guide > Install".to_owned(), (5, 7)),
                ("Guide > Linux".to_owned(), (8, 11)),
                ("Guide > Linux > Deep".to_owned(), (12, 13)),
            ]
        );
    }

    #[test]
    fn fences_and_tables_stay_whole() {
        let code = "let x = 1;\n\n# no heading\n".repeat(100);
        let table = "| a | b |\n".repeat(150);
        let text = format!("# T\n\nBefore.\n\n```rust\n{code}```\n\n{table}\nAfter.\n");
        let pieces = chunks(&text, Format::Markdown);
        let bodies: Vec<&str> = pieces.iter().map(|piece| &text[piece.start..piece.end]).collect();
        let fence = format!("```rust\n{code}```");
        assert!(bodies.iter().any(|body| body.contains(&fence)), "{bodies:#?}");
        assert!(bodies.iter().any(|body| body.matches("| a |").count() == 150), "{bodies:#?}");
    }

    #[test]
    fn short_sections_share_a_chunk_and_its_title() {
        let text = "# A\n\n## One\ntext\n\n## Two\ntext\n";
        assert_eq!(titles(text), [("A > One, Two".to_owned(), (1, 7))]);
    }

    #[test]
    fn front_matter_and_thematic_breaks_are_not_headings() {
        let text = "---\ntitle: x\n---\n\ntext\n\n---\n\nmore\n";
        assert_eq!(titles(text), [(String::new(), (1, 9))]);
    }
}
