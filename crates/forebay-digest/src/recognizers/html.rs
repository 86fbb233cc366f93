//! HTML: title, headings, landmarks, forms, tables and links counted; what the page says first.

use forebay_domain::text::cut;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::Tops;

pub(super) const FORMAT: Format = Format {
    name: "html",
    keeps: "title, headings, captions, notices; links, forms, buttons, tables and rows counted; form actions; text",
    commands: &[],
    scope: Scope::Whole(claims),
    start: || Box::<Html>::default(),
};

/// Texts beyond so many are not held.
const HELD: usize = 120;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.telling().next()?.trim_start().get(..14)?.to_ascii_lowercase();
    (first.starts_with("<!doctype html") || first.starts_with("<html")).then_some(Claim::Sure)
}

#[derive(Debug, Default)]
struct Html {
    tags: Tops,
    title: String,
    headings: Vec<(u32, String)>,
    notices: Vec<String>,
    actions: Tops,
    texts: Vec<String>,
    /// The tag whose text is being read, and the text so far.
    open: Option<(String, String)>,
    /// Within a script or style sheet.
    skipping: bool,
}

impl Recognizer for Html {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let mut rest = line.text;
        while !rest.is_empty() {
            let at = rest.find('<').unwrap_or(rest.len());
            self.text(&rest[..at]);
            rest = &rest[at..];
            let Some(end) = rest.find('>') else { break };
            self.tag(&rest[1..end]);
            rest = &rest[end + 1..];
        }
        self.text(" ");
        Mark::Plain
    }

    fn report(self: Box<Self>, _end: &End) -> Option<Report> {
        if self.tags.is_empty() {
            return None;
        }
        let mut report = Report::of(format!("HTML page: {}", self.title.trim()), Quotes::Nothing);
        report.add(95, self.counts());
        if !self.actions.is_empty() {
            report.add(85, format!("form actions: {}", self.actions.names(6)));
        }
        for notice in self.notices.iter().take(4) {
            report.add(88, format!("notice: {notice}"));
        }
        for (level, heading) in &self.headings {
            report.add(84_u32.saturating_sub(8 * level), format!("h{level} {heading}"));
        }
        for (index, text) in self.texts.iter().enumerate() {
            report.add(30_u32.saturating_sub(index as u32), text.clone());
        }
        Some(report)
    }
}

impl Html {
    fn counts(&self) -> String {
        let known = [
            ("a", "links"), ("form", "forms"), ("button", "buttons"), ("input", "inputs"), ("table", "tables"),
            ("tr", "rows"), ("img", "images"), ("h1", "h1"), ("h2", "h2"), ("h3", "h3"), ("li", "list items"),
        ];
        let said = known.iter().filter(|(tag, _)| self.tags.of(tag) > 0);
        let said = said.map(|(tag, noun)| match self.tags.of(tag) {
            1 => format!("1 {}", noun.trim_end_matches('s')),
            count => format!("{count} {noun}"),
        });
        said.collect::<Vec<_>>().join(", ")
    }

    fn tag(&mut self, tag: &str) {
        let lower = tag.split([' ', '\t', '/']).find(|part| !part.is_empty()).unwrap_or_default().to_ascii_lowercase();
        if tag.starts_with('/') {
            self.skipping &= !matches!(lower.as_str(), "script" | "style");
            if self.open.as_ref().is_some_and(|(open, _)| *open == lower) {
                self.close();
            }
            return;
        }
        self.tags.add(&lower);
        match lower.as_str() {
            "script" | "style" => self.skipping = true,
            _ if tag.contains("role=\"alert\"") || tag.contains("role=\"status\"") => self.open = Some((lower, "!".to_owned())),
            "form" => self.actions.add(tag.split("action=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("(itself)")),
            "title" | "h1" | "h2" | "h3" | "h4" | "caption" | "p" | "td" | "legend" | "label" => self.open = Some((lower, String::new())),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, open)) = self.open.as_mut().filter(|(_, open)| !self.skipping && open.len() < 400) {
            open.push_str(text);
        }
    }

    fn close(&mut self) {
        let Some((tag, text)) = self.open.take() else { return };
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let text = cut::one_line(&text, 140);
        match tag.as_str() {
            _ if text.is_empty() => {}
            "title" => self.title = text,
            "h1" | "h2" | "h3" | "h4" if self.headings.len() < HELD => {
                self.headings.push((u32::from(tag.as_bytes()[1] - b'0'), text));
            }
            _ if text.starts_with('!') => self.notices.push(text.trim_start_matches('!').trim().to_owned()),
            "caption" => self.headings.push((2, text)),
            _ if self.texts.len() < HELD && !self.texts.contains(&text) => self.texts.push(text),
            _ => {}
        }
    }
}
