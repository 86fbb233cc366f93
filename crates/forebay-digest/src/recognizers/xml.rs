//! XML and JUnit reports: elements counted, values of fields, failing test cases.

use forebay_text::cut;
use forebay_text::number::counted;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Tops, Values};

pub(super) const FORMAT: Format = Format {
    name: "xml, junit",
    keeps: "the root; elements counted; values of fields and attributes; failing test cases with their message",
    commands: &["xmllint"],
    scope: Scope::Whole(claims),
    start: || Box::<Xml>::default(),
};

/// Fields beyond so many are not told apart.
const FIELDS: usize = 200;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.telling().next()?.trim_start();
    let is_html =
        first.to_ascii_lowercase().starts_with("<!doctype html") || first.starts_with("<html");
    let opens = first.starts_with("<?xml")
        || first.starts_with('<') && start.mostly(80, |line| line.trim_start().starts_with('<'));
    (opens && !is_html).then_some(Claim::Sure)
}

/// What hides elements, and what ends it.
const HIDING: [(&str, &str); 2] = [("!--", "-->"), ("![CDATA[", "]]>")];

#[derive(Debug, Default)]
struct Xml {
    root: String,
    /// Within something that hides elements, what ends it.
    hidden: Option<&'static str>,
    elements: Tops,
    fields: Vec<(String, Values)>,
    case: String,
    failed: Vec<String>,
    failures: u64,
}

impl Recognizer for Xml {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let mut rest = line.text;
        loop {
            if let Some(end) = self.hidden {
                // Nothing in a comment or a CDATA section is an element.
                let Some(at) = rest.find(end) else { break };
                self.hidden = None;
                rest = &rest[at + end.len()..];
            }
            let Some(at) = rest.find('<') else { break };
            rest = &rest[at + 1..];
            self.hidden =
                HIDING.iter().find(|(start, _)| rest.starts_with(start)).map(|(_, end)| *end);
            if self.hidden.is_some() || rest.starts_with(['/', '?', '!']) {
                continue;
            }
            let end = rest.find('>').unwrap_or(rest.len());
            let (tag, after) = (&rest[..end], &rest[(end + 1).min(rest.len())..]);
            self.element(tag, after);
            rest = after;
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.elements.is_empty() {
            return None;
        }
        let said = format!("XML {}: {}", self.root, self.elements.list(8));
        let mut report = Report::of(said, Quotes::Sample);
        report.add(99, self.tests());
        for (index, failed) in self.failed.iter().enumerate() {
            report.add(95 - index.min(20) as u32, failed.clone());
        }
        if self.failures > 0 {
            report.failing = Some(true);
        }
        let most = if end.room > 2_000 { 10 } else { 5 };
        for (index, (name, values)) in self.fields.iter().enumerate() {
            report.add(70 - index.min(60) as u32, format!("{name}: {}", values.describe(most)));
        }
        Some(report)
    }
}

impl Xml {
    /// How the test cases of a JUnit report ended, each counted by what stands in it.
    fn tests(&self) -> String {
        let [tests, failed, errors, skipped] =
            ["testcase", "failure", "error", "skipped"].map(|element| self.elements.of(element));
        if tests == 0 || failed + errors + skipped > tests {
            return String::new();
        }
        format!("tests: {tests}, {failed} failed, {}, {skipped} skipped", counted(errors, "error"))
    }

    fn element(&mut self, tag: &str, after: &str) {
        let name = tag.split([' ', '/', '\t']).next().unwrap_or_default();
        if name.is_empty() {
            return;
        }
        if self.root.is_empty() {
            name.clone_into(&mut self.root);
        }
        self.elements.add(name);
        let label = attribute(tag, "name").unwrap_or_default();
        match name {
            "testcase" => {
                let class = attribute(tag, "classname").unwrap_or_default();
                let case = format!("{class} {label}").replace("&quot;", "\"");
                case.trim().clone_into(&mut self.case);
            }
            "failure" | "error" => self.failure(tag, after),
            _ => {}
        }
        let text = after.split('<').next().unwrap_or_default().trim();
        if !text.is_empty() && !tag.ends_with('/') {
            let field = if name == "field" && !label.is_empty() { label } else { name };
            self.value(field, text);
        } else if !matches!(name, "testcase" | "testsuite" | "failure") {
            for (key, value) in attributes(tag) {
                self.value(&format!("{name} {key}"), value);
            }
        }
    }

    fn failure(&mut self, tag: &str, after: &str) {
        self.failures += 1;
        if self.failed.len() < 40 {
            let text = after.split('<').next().unwrap_or_default();
            let message = attribute(tag, "message").unwrap_or(text);
            let message = message
                .replace("&quot;", "\"")
                .replace("&#10;", " ")
                .replace("&lt;", "<")
                .replace("&gt;", ">");
            self.failed.push(format!("FAILED {}  {}", self.case, cut::one_line(&message, 120)));
        }
    }

    fn value(&mut self, field: &str, value: &str) {
        if let Some((_, values)) = self.fields.iter_mut().find(|(name, _)| name == field) {
            values.add(value);
        } else if self.fields.len() < FIELDS {
            let mut values = Values::default();
            values.add(value);
            self.fields.push((field.to_owned(), values));
        }
    }
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    attributes(tag).find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// `key="value"` pairs of a tag.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let at = rest.find("=\"")?;
        let key = rest[..at].rsplit([' ', '\t']).next()?;
        let value = &rest[at + 2..];
        let end = value.find('"')?;
        rest = &value[end + 1..];
        Some((key, &value[..end]))
    })
}
