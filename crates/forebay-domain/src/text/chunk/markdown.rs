//! Markdown: by headings, with fences and tables whole.

use super::{Cut, SOFT, STEP, lines};
use crate::text::cut;

/// The deepest heading.
const DEEPEST: usize = 6;
const MOST_HEADING_BYTES: usize = 80;

/// Where a markdown text may be cut: before headings, and softly before paragraphs, fences and tables.
pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut reader = Reader::default();
    let mut previous: Option<(usize, &str)> = None;
    for (at, line) in lines(text) {
        reader.take(at, line, previous);
        previous = Some((at, line));
    }
    reader.cuts
}

#[derive(Default)]
struct Reader {
    cuts: Vec<Cut>,
    /// The headings a line stands under, by level; empty where a level is skipped.
    path: Vec<String>,
    /// The marks that close the fence a line stands in.
    fence: Option<String>,
    /// Whether the next text opens a block of its own.
    opens_block: bool,
    in_front_matter: bool,
}

impl Reader {
    fn take(&mut self, at: usize, line: &str, previous: Option<(usize, &str)>) {
        let content = line.trim();
        if self.in_front_matter || (at == 0 && content == "---") {
            self.in_front_matter = at == 0 || content != "---";
            self.opens_block = !self.in_front_matter;
            return;
        }
        if let Some(marks) = &self.fence {
            if content.starts_with(marks.as_str())
                && content.trim_matches(|c| marks.contains(c)).is_empty()
            {
                self.fence = None;
                self.opens_block = true;
            }
            return;
        }
        if let Some(marks) = fence(content) {
            self.open_block(at);
            self.fence = Some(marks);
        } else if let Some((level, name)) = heading(content) {
            self.open_section(at, level, name);
        } else if let Some((level, (start, name))) = underlined(content, previous).zip(previous)
            && !self.opens_block
        {
            self.open_section(start, level, name.trim());
        } else if content.is_empty() {
            // What follows a heading belongs to it.
            self.opens_block =
                self.opens_block || previous.is_some_and(|(_, line)| !is_heading(line));
        } else {
            self.open_block(at);
        }
    }

    fn open_block(&mut self, at: usize) {
        if std::mem::take(&mut self.opens_block) {
            self.cuts.push(Cut::new(at, SOFT, self.title()));
        }
    }

    fn open_section(&mut self, at: usize, level: usize, name: &str) {
        // An underlined heading takes back the block its first line opened.
        while self.cuts.last().is_some_and(|last| last.at >= at) {
            self.cuts.pop();
        }
        self.path.truncate(level - 1);
        self.path.resize(level - 1, String::new());
        self.path.push(cut::one_line(name, MOST_HEADING_BYTES));
        self.cuts.push(Cut::new(at, level as u8, self.title()));
        self.opens_block = false;
    }

    fn title(&self) -> String {
        let named: Vec<&str> =
            self.path.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        named.join(STEP)
    }
}

/// The marks that a fence begins with.
fn fence(content: &str) -> Option<String> {
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks: String = content.chars().take_while(|c| *c == mark).collect();
    let rest = &content[marks.len()..];
    (marks.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(marks)
}

/// Level and text of a heading that begins with hashes.
fn heading(content: &str) -> Option<(usize, &str)> {
    let name = content.trim_start_matches('#');
    let level = content.len() - name.len();
    let is_one =
        (1..=DEEPEST).contains(&level) && (name.is_empty() || name.starts_with([' ', '\t']));
    is_one.then(|| (level, name.trim().trim_end_matches('#').trim_end()))
}

/// The level that a line gives to the text above it.
fn underlined(content: &str, above: Option<(usize, &str)>) -> Option<usize> {
    let above = above?.1.trim();
    let is_text = !above.is_empty()
        && heading(above).is_none()
        && !above.starts_with(['|', '-', '*', '+', '>', '=']);
    let line_of = |mark: char| content.len() >= 2 && content.chars().all(|c| c == mark);
    match (is_text, line_of('='), line_of('-')) {
        (true, true, _) => Some(1),
        (true, _, true) => Some(2),
        _ => None,
    }
}

fn is_heading(line: &str) -> bool {
    heading(line.trim()).is_some()
}

#[cfg(test)]
mod tests {
    use crate::text::chunk::{Format, Piece, passages};

    fn titles(text: &str) -> Vec<(String, (u64, u64))> {
        let told = |piece: Piece| (piece.title, piece.lines);
        passages(text, Format::Markdown).into_iter().map(told).collect()
    }

    #[test]
    fn a_section_has_the_path_of_its_headings() {
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
        let pieces = passages(&text, Format::Markdown);
        let bodies: Vec<&str> = pieces.iter().map(|piece| &text[piece.start..piece.end]).collect();
        let fence = format!("```rust\n{code}```");
        assert!(bodies.iter().any(|body| body.contains(&fence)), "{bodies:#?}");
        assert!(bodies.iter().any(|body| body.matches("| a |").count() == 150), "{bodies:#?}");
    }

    #[test]
    fn short_sections_share_a_passage_and_all_are_told() {
        let text = "# A\n\n## One\ntext\n\n## Two\ntext\n";
        assert_eq!(titles(text), [("A > One, Two".to_owned(), (1, 7))]);
    }

    #[test]
    fn front_matter_and_rules_are_no_headings() {
        let text = "---\ntitle: x\n---\n\ntext\n\n---\n\nmore\n";
        assert_eq!(titles(text), [(String::new(), (1, 9))]);
    }
}
