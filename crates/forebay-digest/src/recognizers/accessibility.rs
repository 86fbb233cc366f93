//! Accessibility trees of browser tools: counts roles; names headings, fields and notices; lists what can be acted on with
//! the references by which the tool takes it (`[ref=e12]`).

use std::fmt;

use forebay_text::cut;
use forebay_text::number::grouped;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "accessibility tree",
    keeps: "page and title; elements by role, disabled ones; headings, notices, fields, buttons and links by name, with their refs",
    commands: &["playwright"],
    scope: Scope::Whole(claims),
    create: || Box::<Accessibility>::default(),
};

const ROLES: &[&str] = &[
    "link",
    "button",
    "heading",
    "row",
    "cell",
    "textbox",
    "searchbox",
    "checkbox",
    "radio",
    "combobox",
    "option",
    "img",
    "list",
    "listitem",
    "navigation",
    "banner",
    "main",
    "table",
    "alert",
    "status",
    "text",
    "paragraph",
    "generic",
    "rowgroup",
    "columnheader",
    "contentinfo",
    "form",
    "tab",
    "dialog",
    "article",
    "region",
    "document",
    "group",
];

fn claims(start: &Start<'_>) -> Option<Claim> {
    let enough = start.lines.iter().filter(|line| element(line).is_some()).count() >= 5;
    let is_part = |line: &str| element(line).is_some() || is_property(line);
    (enough && start.mostly(70, is_part)).then_some(Claim::Sure)
}

/// `- /url: https://example.org`
fn is_property(line: &str) -> bool {
    line.trim_start().starts_with("- /")
}

/// `e12` of `[level=1] [ref=e12] [cursor=pointer]`
fn reference(rest: &str) -> Option<&str> {
    let (_, after) = rest.split_once("[ref=")?;
    after.split_once(']').map(|(reference, _)| reference)
}

/// The role and the rest of `- heading "Sale" [level=1]`.
fn element(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("- ")?.trim_matches('\'');
    let end = rest.find([' ', ':', '[']).unwrap_or(rest.len());
    let role = &rest[..end];
    ROLES.contains(&role).then(|| (role, rest[end..].trim_matches([' ', ':'])))
}

/// Each list of references gets this share of the budget: one in so many.
const LIST_SHARE: usize = 7;
/// Names of elements that are kept with their references; elements with further names are counted.
const MAX_NAMES: usize = 100;
/// References that are listed behind one name.
const MAX_REFERENCES: usize = 3;
const MAX_NAME_BYTES: usize = 60;
const MAX_REFERENCE_BYTES: usize = 24;

/// Elements of a kind, by name, with the references of those that have one.
#[derive(Debug, Default)]
struct Targets {
    names: Vec<Target>,
    total: u64,
}

#[derive(Debug)]
struct Target {
    name: String,
    references: Vec<String>,
    count: u64,
}

impl Targets {
    fn add(&mut self, name: &str, reference: &str) {
        // A reference that is cut would be another one.
        if reference.len() > MAX_REFERENCE_BYTES {
            return;
        }
        self.total += 1;
        let name = cut::line(name, MAX_NAME_BYTES);
        let known = self.names.iter().position(|target| target.name == name);
        let at = match known {
            Some(at) => at,
            None if self.names.len() == MAX_NAMES => return,
            None => {
                let name = name.into_owned();
                self.names.push(Target { name, references: Vec::new(), count: 0 });
                self.names.len() - 1
            }
        };
        let target = &mut self.names[at];
        target.count += 1;
        if target.references.len() < MAX_REFERENCES {
            target.references.push(reference.to_owned());
        }
    }

    /// Lists them in order: `Go e7, Add to basket e20 e31 e44 +57, +12 more`. Nothing without references.
    fn list(&self, max_bytes: usize) -> Option<String> {
        let mut listed = String::new();
        let mut left = self.total;
        for target in &self.names {
            let item = target.to_string();
            if !listed.is_empty() && listed.len() + item.len() > max_bytes {
                break;
            }
            listed.push_str(if listed.is_empty() { "" } else { ", " });
            listed.push_str(&item);
            left -= target.count;
        }
        if left > 0 {
            listed.push_str(&format!(", +{} more", grouped(left)));
        }
        (self.total > 0).then_some(listed)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { "(unnamed)" } else { &self.name };
        write!(f, "{name} {}", self.references.join(" "))?;
        match self.count - self.references.len() as u64 {
            0 => Ok(()),
            more => write!(f, " +{}", grouped(more)),
        }
    }
}

#[derive(Debug, Default)]
struct Accessibility {
    roles: ValueCounts,
    disabled: u64,
    headings: ValueCounts,
    fields: ValueCounts,
    buttons: ValueCounts,
    targets: TargetsByKind,
}

/// What can be acted on.
#[derive(Debug, Default)]
struct TargetsByKind {
    fields: Targets,
    buttons: Targets,
    links: Targets,
}

impl Recognizer for Accessibility {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let Some((role, rest)) = element(line.text) else {
            let is_page_line = line.text.contains("Page ") || line.text.starts_with("- Page");
            let text = line.text.trim_start();
            let is_own =
                text.starts_with("- ") || text.starts_with("```") || text.starts_with("### ");
            return match () {
                () if is_page_line => Mark::OUTCOME,
                () if is_own => Mark::Plain,
                () => Mark::Foreign,
            };
        };
        self.roles.add(role);
        self.disabled += u64::from(rest.contains("[disabled]"));
        let name = rest.split('"').nth(1).unwrap_or_default();
        if let Some(reference) = reference(rest) {
            self.targets.add(role, name, reference);
        }
        match role {
            "heading" => {
                self.headings.add(name);
                let upper = rest.contains("[level=1]") || rest.contains("[level=2]");
                Mark::Weight(if upper { 50 } else { 12 })
            }
            "textbox" | "searchbox" | "checkbox" | "radio" | "combobox" => {
                self.fields.add(&format!("{role} {name}"));
                Mark::Weight(20)
            }
            "button" => {
                self.buttons.add(name);
                Mark::Plain
            }
            "alert" | "status" | "dialog" => Mark::Weight(55),
            "row" => Mark::Weight(if self.roles.count_of("row") <= 3 { 18 } else { 9 }),
            _ => Mark::Plain,
        }
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        let counted: Vec<String> = self
            .roles
            .ranked()
            .into_iter()
            .filter(|(role, _)| !matches!(*role, "text" | "generic" | "paragraph" | "listitem"))
            .take(10)
            .map(|(role, count)| match count {
                1 => format!("1 {role}"),
                _ => format!("{count} {role}s"),
            })
            .collect();
        let disabled =
            if self.disabled > 0 { format!(", {} disabled", self.disabled) } else { String::new() };
        let mut report =
            Report::with_summary(format!("page: {}{disabled}", counted.join(", ")), Quotes::Marked);
        let max_items = context.max_bytes / 120;
        report.add(80, format!("headings: {}", self.headings.names(max_items)));
        let max_bytes = context.max_bytes / LIST_SHARE;
        let TargetsByKind { fields, buttons, links } = &self.targets;
        let listed = |targets: &Targets| targets.list(max_bytes);
        if let Some(fields) = listed(fields) {
            report.add(78, format!("fields with refs: {fields}"));
        } else if !self.fields.is_empty() {
            report.add(78, format!("fields: {}", self.fields.names(max_items)));
        }
        if let Some(buttons) = listed(buttons) {
            report.add(70, format!("buttons with refs: {buttons}"));
        } else if !self.buttons.is_empty() {
            report.add(70, format!("buttons: {}", self.buttons.list(max_items)));
        }
        if let Some(links) = listed(links) {
            report.add(68, format!("links with refs: {links}"));
        }
        Some(report)
    }
}

impl TargetsByKind {
    fn add(&mut self, role: &str, name: &str, reference: &str) {
        match role {
            "textbox" | "searchbox" | "checkbox" | "radio" | "combobox" => {
                self.fields.add(&format!("{role} {name}"), reference);
            }
            "button" => self.buttons.add(name, reference),
            "link" => self.links.add(name, reference),
            _ => {}
        }
    }
}
