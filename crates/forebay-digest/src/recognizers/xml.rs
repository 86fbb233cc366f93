//! XML and JUnit reports: element counts, field values, failing test cases.

use forebay_text::cut;
use forebay_text::number::counted;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueCounts, ValueStats};

pub(super) const FORMAT: Format = Format {
    name: "xml, junit",
    keeps: "root; element counts; values of fields and attributes; failing test cases with messages",
    commands: &["xmllint"],
    scope: Scope::Whole(claims),
    create: || Box::<Xml>::default(),
};

/// Maximum number of nested elements.
const MAX_DEPTH: usize = 512;

/// Maximum number of fields tracked.
const MAX_FIELDS: usize = 200;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let first = start.nonblank_lines().next()?.trim_start();
    let is_html =
        first.to_ascii_lowercase().starts_with("<!doctype html") || first.starts_with("<html");
    let opens = first.starts_with("<?xml")
        || first.starts_with('<') && start.mostly(80, |line| line.trim_start().starts_with('<'));
    (opens && !is_html).then_some(Claim::Sure)
}

/// Sections that contain no elements: their start and end.
const HIDDEN_SECTIONS: [(&str, &str); 2] = [("!--", "-->"), ("![CDATA[", "]]>")];

#[derive(Debug, Default)]
struct Xml {
    root: String,
    /// End of the section being skipped.
    hidden_until: Option<&'static str>,
    elements: ValueCounts,
    fields: Vec<(String, ValueStats)>,
    test_case: String,
    failed: Vec<String>,
    failures: u64,
    /// The open elements.
    open: Vec<String>,
    /// The last tag opened an element, so text may follow.
    in_text: bool,
    /// A tag does not fit the ones before, so this is not, or no longer, XML.
    is_invalid: bool,
}

impl Recognizer for Xml {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if (self.is_complete() || self.is_invalid) && !line.text.trim().is_empty() {
            return Mark::Foreign;
        }
        if !self.may_follow(line.text.trim()) {
            return Mark::Foreign;
        }
        let mut rest = line.text;
        loop {
            if let Some(end) = self.hidden_until {
                // Comments and CDATA sections contain no elements.
                let Some(at) = rest.find(end) else { break };
                self.hidden_until = None;
                rest = &rest[at + end.len()..];
            }
            let Some(at) = rest.find('<') else { break };
            rest = &rest[at + 1..];
            self.hidden_until = HIDDEN_SECTIONS
                .iter()
                .find(|(start, _)| rest.starts_with(start))
                .map(|(_, end)| *end);
            if let Some(closing) = rest.strip_prefix('/').filter(|_| self.hidden_until.is_none()) {
                let name = closing.split(['>', ' ']).next().unwrap_or_default();
                self.is_invalid |= self.open.pop().as_deref() != Some(name);
                self.in_text = false;
            }
            if self.hidden_until.is_some() || rest.starts_with(['/', '?', '!']) {
                continue;
            }
            let end = rest.find('>').unwrap_or(rest.len());
            let (tag, after) = (&rest[..end], &rest[(end + 1).min(rest.len())..]);
            let name = tag.split([' ', '/', '\t']).next().unwrap_or_default();
            if !is_name(name) || self.open.len() > MAX_DEPTH {
                self.is_invalid = true;
                return Mark::Foreign;
            }
            self.in_text = !tag.ends_with('/');
            if self.in_text {
                self.open.push(name.to_owned());
            }
            self.element(tag, after);
            rest = after;
        }
        Mark::Plain
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.elements.is_empty() || self.is_invalid {
            return None;
        }
        let summary = format!("XML {}: {}", self.root, self.elements.list(8));
        let mut report = Report::with_summary(summary, Quotes::Sample);
        report.add(99, self.tests());
        for (index, failed) in self.failed.iter().enumerate() {
            report.add_item(95 - index.min(20) as u32, failed.clone());
        }
        report.add_unlisted(self.failures - self.failed.len() as u64);
        if self.failures > 0 {
            report.failing = Some(true);
        }
        let max_items = if context.max_bytes > 2_000 { 10 } else { 5 };
        for (index, (name, values)) in self.fields.iter().enumerate() {
            report.add_field(
                70 - index.min(60) as u32,
                format!("{name}: {}", values.describe(max_items)),
            );
        }
        Some(report)
    }
}

impl Xml {
    /// Returns true if the root element is closed.
    fn is_complete(&self) -> bool {
        self.open.is_empty() && !self.elements.is_empty() && self.hidden_until.is_none()
    }

    /// Returns true for a line of tags, and for text where text may be.
    fn may_follow(&self, line: &str) -> bool {
        let opens_tag = line.contains('<') && !line.contains("</") && !line.contains("/>");
        let is_text = self.in_text && !opens_tag || self.elements.is_empty();
        line.is_empty() || line.starts_with('<') || self.hidden_until.is_some() || is_text
    }

    /// Summarizes the test cases of a JUnit report.
    fn tests(&self) -> String {
        let [tests, failed, errors, skipped] = ["testcase", "failure", "error", "skipped"]
            .map(|element| self.elements.count_of(element));
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
                let test_case = format!("{class} {label}").replace("&quot;", "\"");
                test_case.trim().clone_into(&mut self.test_case);
            }
            "failure" | "error" => self.failure(tag, after),
            _ => {}
        }
        let text = after.split('<').next().unwrap_or_default().trim();
        if !text.is_empty() && !tag.ends_with('/') {
            let field = if name == "field" && !label.is_empty() { label } else { name };
            self.add_value(field, text);
        } else if !matches!(name, "testcase" | "testsuite" | "failure") {
            for (key, value) in attributes(tag) {
                self.add_value(&format!("{name} {key}"), value);
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
            self.failed.push(format!(
                "FAILED {}  {}",
                self.test_case,
                cut::one_line(&message, 120)
            ));
        }
    }

    fn add_value(&mut self, field: &str, value: &str) {
        if let Some((_, values)) = self.fields.iter_mut().find(|(name, _)| name == field) {
            values.add(value);
        } else if self.fields.len() < MAX_FIELDS {
            let mut values = ValueStats::default();
            values.add(value);
            self.fields.push((field.to_owned(), values));
        }
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c))
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    attributes(tag).find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Returns the `key="value"` pairs of a tag.
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
