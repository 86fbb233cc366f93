//! Markdown: outline with line numbers; counts of code blocks, tables and links.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    keeps: "headings with line numbers; counts of code blocks, links and table rows; start of the text",
    commands: &["glow", "mdcat"],
    scope: Scope::Whole(claims),
    create: || Box::new(Markdown { after_blank: true, ..Markdown::default() }),
};

/// Maximum number of headings listed.
const MAX_HEADINGS: usize = 400;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let expected = start.is_expected || start.command.reads_file(&["md", "mdx", "markdown"]);
    let headings = start.lines.iter().filter(|line| heading(line).is_some()).count();
    if expected {
        return (headings >= 1).then_some(Claim::Sure);
    }
    let opens = start.nonblank_lines().next().is_some_and(|first| heading(first).is_some());
    let is_document = opens && headings >= 3 && has_document_layout(&start.lines);
    is_document.then_some(Claim::Likely)
}

/// Returns true if headings stand apart and have text of other kinds below; comments in
/// configuration and scripts also start with `#`.
fn has_document_layout(lines: &[&str]) -> bool {
    let (mut headings, mut apart, mut texts) = (0, 0, 0);
    let mut in_code = false;
    for (index, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            texts += 1;
        } else if in_code || line.trim().is_empty() {
        } else if heading(line).is_some() {
            headings += 1;
            let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
            let before = index.checked_sub(1).and_then(|index| lines.get(index));
            apart += usize::from(is_blank(before) && is_blank(lines.get(index + 1)));
        } else if line.starts_with('#') {
            return false;
        } else {
            texts += usize::from(is_document_text(line));
        }
    }
    apart * 3 >= headings * 2 && texts > 0
}

/// Returns true for prose, an item of a list, a quote or a row of a table.
fn is_document_text(line: &str) -> bool {
    let text = line.trim_start();
    let is_item = ["- ", "* ", "+ ", "> ", "|", "1. "].iter().any(|mark| text.starts_with(mark));
    let is_setting = text.contains(['=', '\t']) || text.contains("  ");
    let is_prose =
        text.starts_with(char::is_uppercase) && text.split(' ').count() >= 4 && !is_setting;
    is_item || is_prose || text.contains("](")
}

/// Parses level and text of `## Text`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let text = line[level..].strip_prefix(' ')?;
    ((1..=6).contains(&level) && !text.trim().is_empty()).then(|| (level, text.trim()))
}

#[derive(Debug, Default)]
struct Markdown {
    outline: Vec<(usize, String, u64)>,
    headings: u64,
    code_blocks: u64,
    /// The character and length of the open code fence.
    fence: Option<(char, usize)>,
    links: u64,
    images: u64,
    table_rows: u64,
    /// The previous line is blank, a heading or a code fence.
    after_blank: bool,
    /// A paragraph of one line so far.
    paragraph: Option<String>,
    /// Within the front matter.
    in_front_matter: bool,
}

impl Recognizer for Markdown {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text;
        let underlined = self.paragraph.take();
        if self.in_front_matter || line.number == 1 && text == "---" {
            self.in_front_matter = line.number == 1 || text != "---";
            return Mark::Plain;
        }
        if self.in_code(text) {
            return Mark::Plain;
        }
        if let (Some(level), Some(title)) = (underline(text), underlined) {
            return self.heading(level, &title, line.number - 1);
        }
        // A badge is an image within a link.
        let images = text.matches("![").count() as u64;
        self.images += images;
        self.links += (text.matches("](").count() as u64).saturating_sub(images);
        self.table_rows += u64::from(text.starts_with('|'));
        if let Some((level, title)) = heading(text) {
            return self.heading(level, title, line.number);
        }
        if self.after_blank && is_paragraph(text) {
            self.paragraph = Some(text.trim().to_owned());
        }
        self.after_blank = text.trim().is_empty();
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.headings == 0 {
            return None;
        }
        let counts = [
            (self.code_blocks, "code block"),
            (self.links, "link"),
            (self.images, "image"),
            (self.table_rows, "table row"),
        ];
        let mut summary = forebay_text::number::counted(self.headings, "heading");
        for (count, noun) in counts.iter().filter(|(count, _)| *count > 0) {
            summary += &format!(", {}", forebay_text::number::counted(*count, noun));
        }
        let mut report =
            Report::with_summary(format!("markdown: {summary}"), Quotes::Default).failing(false);
        let unlisted = self.headings - self.outline.len() as u64;
        for (level, title, line) in &self.outline {
            let marks = "#".repeat(*level);
            report.add_item(90 - 10 * *level as u32, format!("{line}: {marks} {title}"));
        }
        report.add_unlisted(unlisted);
        Some(report)
    }
}

impl Markdown {
    fn heading(&mut self, level: usize, title: &str, line: u64) -> Mark {
        self.after_blank = true;
        self.headings += 1;
        if self.outline.len() < MAX_HEADINGS {
            self.outline.push((level, title.to_owned(), line));
        }
        Mark::Noise
    }

    /// Returns true if the line is in a code block, or opens or closes one.
    fn in_code(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        let mark = text.chars().next().unwrap_or(' ');
        let length = text.len() - text.trim_start_matches(mark).len();
        let is_fence = matches!(mark, '`' | '~') && length >= 3;
        match self.fence {
            None if is_fence && is_language(&text[length..]) => {
                self.fence = Some((mark, length));
                self.code_blocks += 1;
            }
            None => return false,
            // A fence is closed by at least as many of the same character, and nothing else.
            Some((open, min_length))
                if is_fence
                    && mark == open
                    && length >= min_length
                    && text.trim_end().len() == length =>
            {
                self.fence = None;
                self.after_blank = true;
            }
            Some(_) => {}
        }
        true
    }
}

/// Returns true for the text behind an opening fence, which names a language.
fn is_language(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || " \t_-+#.,:={}\"'/".contains(c))
}

/// Returns the level of the heading above `===` or `---`.
fn underline(line: &str) -> Option<usize> {
    let mark = line.chars().next()?;
    let is_line = line.trim_end().chars().all(|c| c == mark) && line.trim_end().len() >= 2;
    match mark {
        '=' if is_line => Some(1),
        '-' if is_line => Some(2),
        _ => None,
    }
}

/// Returns true if an underline could turn the line into a heading.
fn is_paragraph(line: &str) -> bool {
    let text = line.trim_start();
    !text.is_empty()
        && line.len() - text.len() < 4
        && !text.starts_with(['|', '>', '#', '=', '-', '*', '+', '<', '`', '~'])
}
