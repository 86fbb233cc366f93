//! Accessibility trees of browser tools: counts roles; names headings, fields and notices.

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "accessibility tree",
    keeps: "page and title; elements by role, disabled ones; headings, notices, fields and buttons by name",
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
    (enough && start.mostly(70, |line| element(line).is_some())).then_some(Claim::Sure)
}

/// The role and the rest of `- heading "Sale" [level=1]`.
fn element(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("- ")?.trim_matches('\'');
    let end = rest.find([' ', ':', '[']).unwrap_or(rest.len());
    let role = &rest[..end];
    ROLES.contains(&role).then(|| (role, rest[end..].trim_matches([' ', ':'])))
}

#[derive(Debug, Default)]
struct Accessibility {
    roles: ValueCounts,
    disabled: u64,
    headings: ValueCounts,
    fields: ValueCounts,
    buttons: ValueCounts,
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
        if !self.fields.is_empty() {
            report.add(78, format!("fields: {}", self.fields.names(max_items)));
        }
        if !self.buttons.is_empty() {
            report.add(70, format!("buttons: {}", self.buttons.list(max_items)));
        }
        Some(report)
    }
}
