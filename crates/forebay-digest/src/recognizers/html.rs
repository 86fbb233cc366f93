//! HTML: title, headings and first texts; counts of links, forms, tables and other elements.

use forebay_text::cut;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "html",
    keeps: "title, headings, captions, notices; counts of links, forms, buttons, tables and rows; form actions; text",
    commands: &[],
    scope: Scope::Whole(claims),
    create: || Box::<Html>::default(),
};

/// Maximum number of texts held.
const MAX_TEXTS: usize = 120;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.nonblank_lines().next()?.trim_start().get(..14)?.to_ascii_lowercase();
    (first.starts_with("<!doctype html") || first.starts_with("<html")).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Html {
    tags: ValueCounts,
    title: String,
    headings: Vec<(u32, String)>,
    notices: Vec<String>,
    actions: ValueCounts,
    texts: Vec<String>,
    /// The element whose text is being read, and its text so far.
    open: Option<(String, String)>,
    /// End of the comment, script or style sheet being skipped.
    skipping_to: Option<&'static str>,
    /// Start of a tag that continues on the next line.
    partial_tag: String,
    /// True after the end of the page.
    is_complete: bool,
}

/// Maximum length of a tag.
const MAX_TAG_BYTES: usize = 64 * 1024;

impl Recognizer for Html {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if self.is_complete && !line.text.trim().is_empty() {
            return Mark::Foreign;
        }
        self.is_complete = self.skipping_to.is_none()
            && line.text.trim_end().to_ascii_lowercase().ends_with("</html>");
        let mut rest = line.text;
        while !rest.is_empty() {
            rest = match self.skipping_to {
                Some(end) => self.skip(rest, end),
                None if !self.partial_tag.is_empty() => self.continue_tag(rest),
                None => self.read(rest),
            };
        }
        self.text(" ");
        Mark::Plain
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        if self.tags.is_empty() {
            return None;
        }
        let mut report =
            Report::with_summary(format!("HTML page: {}", self.title.trim()), Quotes::None);
        report.add(95, self.counts());
        if !self.actions.is_empty() {
            report.add(85, format!("form actions: {}", self.actions.names(6)));
        }
        for notice in self.notices.iter().take(4) {
            report.add_item(88, format!("notice: {notice}"));
        }
        for (level, heading) in &self.headings {
            report.add_item(84_u32.saturating_sub(8 * level), format!("h{level} {heading}"));
        }
        for (index, text) in self.texts.iter().enumerate() {
            report.add(30_u32.saturating_sub(index as u32), text.clone());
        }
        Some(report)
    }
}

impl Html {
    /// Reads text and the tag after it; returns the rest.
    fn read<'a>(&mut self, rest: &'a str) -> &'a str {
        let at = rest.find('<').unwrap_or(rest.len());
        self.text(&rest[..at]);
        let rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            self.skipping_to = Some("-->");
            return comment;
        }
        if !rest[rest.len().min(1)..]
            .starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c))
        {
            // A literal `<`, not the start of a tag.
            self.text(&rest[..rest.len().min(1)]);
            return &rest[rest.len().min(1)..];
        }
        let Some(end) = end_of_tag(rest) else {
            self.partial_tag.push_str(rest);
            return "";
        };
        self.read_tag(&rest[1..end]);
        &rest[end + 1..]
    }

    /// Completes a tag that started on an earlier line.
    fn continue_tag<'a>(&mut self, rest: &'a str) -> &'a str {
        let before = self.partial_tag.len() + 1;
        self.partial_tag.push(' ');
        self.partial_tag.push_str(rest);
        let Some(end) = end_of_tag(&self.partial_tag) else {
            if self.partial_tag.len() > MAX_TAG_BYTES {
                self.partial_tag.clear();
            }
            return "";
        };
        let tag = std::mem::take(&mut self.partial_tag);
        self.read_tag(&tag[1..end]);
        &rest[end + 1 - before..]
    }

    /// Skips a comment, script or style sheet up to its end.
    fn skip<'a>(&mut self, rest: &'a str, end: &str) -> &'a str {
        let Some(at) = find_ignoring_case(rest, end) else { return "" };
        self.skipping_to = None;
        // The closing tag of a script is read as a tag; the end of a comment is consumed.
        if end.starts_with('<') { &rest[at..] } else { &rest[at + end.len()..] }
    }

    fn counts(&self) -> String {
        let known = [
            ("a", "links"),
            ("form", "forms"),
            ("button", "buttons"),
            ("input", "inputs"),
            ("table", "tables"),
            ("tr", "rows"),
            ("img", "images"),
            ("h1", "h1"),
            ("h2", "h2"),
            ("h3", "h3"),
            ("li", "list items"),
        ];
        let counts = known.iter().filter(|(tag, _)| self.tags.count_of(tag) > 0);
        let counts = counts.map(|(tag, noun)| match self.tags.count_of(tag) {
            1 => format!("1 {}", noun.trim_end_matches('s')),
            count => format!("{count} {noun}"),
        });
        counts.collect::<Vec<_>>().join(", ")
    }

    fn read_tag(&mut self, tag: &str) {
        let lower = tag
            .split([' ', '\t', '/'])
            .find(|part| !part.is_empty())
            .unwrap_or_default()
            .to_ascii_lowercase();
        if tag.starts_with('/') {
            if self.open.as_ref().is_some_and(|(open, _)| *open == lower) {
                self.close_element();
            }
            return;
        }
        self.tags.add(&lower);
        match lower.as_str() {
            "script" if !tag.ends_with('/') => self.skipping_to = Some("</script"),
            "style" if !tag.ends_with('/') => self.skipping_to = Some("</style"),
            _ if tag.contains("role=\"alert\"") || tag.contains("role=\"status\"") => {
                self.open = Some((lower, "!".to_owned()));
            }
            "form" => self.actions.add(
                tag.split("action=\"")
                    .nth(1)
                    .and_then(|rest| rest.split('"').next())
                    .unwrap_or("(self)"),
            ),
            "title" | "h1" | "h2" | "h3" | "h4" | "caption" | "p" | "td" | "legend" | "label" => {
                self.open = Some((lower, String::new()));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, open)) = self.open.as_mut().filter(|(_, open)| open.len() < 400) {
            open.push_str(text);
        }
    }

    fn close_element(&mut self) {
        let Some((tag, text)) = self.open.take() else { return };
        let text = decode_entities(&text).split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let text = cut::one_line(&text, 140);
        match tag.as_str() {
            _ if text.is_empty() => {}
            "title" => self.title = text,
            "h1" | "h2" | "h3" | "h4" if self.headings.len() < MAX_TEXTS => {
                self.headings.push((u32::from(tag.as_bytes()[1] - b'0'), text));
            }
            _ if text.starts_with('!') => {
                self.notices.push(text.trim_start_matches('!').trim().to_owned());
            }
            "caption" => self.headings.push((2, text)),
            _ if self.texts.len() < MAX_TEXTS && !self.texts.contains(&text) => {
                self.texts.push(text);
            }
            _ => {}
        }
    }
}

/// Returns the end of a tag, ignoring `>` in quoted values.
fn end_of_tag(tag: &str) -> Option<usize> {
    let bytes = tag.as_bytes();
    let mut from = 0;
    loop {
        let at = from + memchr::memchr3(b'>', b'"', b'\'', &bytes[from..])?;
        // A quote opens a value only after an equals sign.
        from = match bytes[at] {
            b'>' => return Some(at),
            quote if bytes[..at].trim_ascii_end().ends_with(b"=") => {
                at + 2 + memchr::memchr(quote, &bytes[at + 1..])?
            }
            _ => at + 1,
        };
    }
}

fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    let first = word.as_bytes()[0];
    memchr::memchr_iter(first, text.as_bytes()).find(|at| {
        text.as_bytes()
            .get(*at..at + word.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    })
}

/// Decodes HTML entities; `&amp;` last, so that it does not create others.
fn decode_entities(text: &str) -> String {
    const ENTITIES: &[(&str, &str)] = &[
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    if !text.contains('&') {
        return text.to_owned();
    }
    ENTITIES.iter().fold(text.to_owned(), |text, (written, sign)| text.replace(written, sign))
}
