//! YAML: its shape, as that of JSON; kinds and names of Kubernetes objects are fields like others.

use super::json::{Shape, Spot};
use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "yaml",
    keeps: "documents; fields with types, counts, ranges and frequent values; single values themselves",
    commands: &["yq", "kubectl get -o yaml", "helm template", "docker compose config"],
    scope: Scope::Whole(claims),
    start: || Box::new(Yaml { shape: Shape::new(), levels: Vec::new(), documents: 1, text_below: None, unread: 0, fields: 0 }),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let expected = start.expected || start.command.reads_file(&["yaml", "yml"]);
    let nested = start.lines.iter().filter(|line| line.starts_with("  ")).count();
    let keys = start.lines.iter().filter(|line| !line.starts_with([' ', '-', '#']) && field(line).is_some_and(|(_, value)| value.is_empty())).count();
    let reads = start.mostly(90, |line| {
        let text = line.trim_start().trim_start_matches("- ");
        field(text).is_some() || line.trim_start().starts_with("- ") || line.starts_with("---") || text.starts_with('#')
    });
    (reads && (expected || nested >= 3 && keys >= 1)).then_some(if expected { Claim::Sure } else { Claim::Likely })
}

/// A list or a map that is open, by how far its entries are indented.
#[derive(Debug)]
struct Level {
    indent: usize,
    spot: Spot,
    items: u64,
}

#[derive(Debug)]
struct Yaml {
    shape: Shape,
    levels: Vec<Level>,
    documents: u64,
    /// Lines indented more than this are a text.
    text_below: Option<usize>,
    unread: u64,
    fields: u64,
}

impl Recognizer for Yaml {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        let mut rest = text.trim_start();
        let mut indent = text.len() - rest.len();
        if self.text_below.is_some_and(|below| indent > below) || rest.is_empty() || rest.starts_with('#') {
            return Mark::Plain;
        }
        self.text_below = None;
        if text == "---" {
            self.documents += u64::from(self.fields > 0);
            self.close_to(0);
            return Mark::Plain;
        }
        while let Some(item) = rest.strip_prefix("- ").or_else(|| rest.strip_prefix('-').filter(|rest| rest.is_empty())) {
            self.item(indent);
            indent += rest.len() - item.trim_start().len();
            rest = item.trim_start();
        }
        match field(rest) {
            Some((key, value)) => self.field(indent, key, value),
            None if rest.is_empty() => {}
            None => self.scalar(rest),
        }
        Mark::Plain
    }

    fn report(mut self: Box<Self>, end: &End) -> Option<Report> {
        self.close_to(0);
        if self.fields == 0 || self.unread * 20 > self.fields {
            return None;
        }
        let documents = if self.documents > 1 { format!("{} documents, ", self.documents) } else { String::new() };
        let mut report = Report::of(format!("YAML {documents}{}", self.shape.headline()), Quotes::Sample);
        self.shape.tell(&mut report, if end.room > 2_000 { 10 } else { 5 });
        Some(report)
    }
}

impl Yaml {
    /// Closes what is indented more than a line at `indent`, and lists at the same depth.
    fn close_to(&mut self, indent: usize) {
        while let Some(level) = self.levels.last().filter(|level| level.indent > indent || indent == 0 && level.indent == 0 && self.levels.len() == 1 && level.items == u64::MAX) {
            let (spot, items) = (level.spot, level.items);
            if items > 0 {
                self.shape.closed(spot, false, items);
            }
            self.levels.pop();
        }
    }

    fn parent(&mut self, indent: usize) -> Spot {
        self.close_to(indent);
        self.levels.last().map_or(self.shape.root(), |level| level.spot)
    }

    fn item(&mut self, indent: usize) {
        self.close_to(indent + 1);
        // The list is the value of the last field that is not deeper.
        while self.levels.last().is_some_and(|level| level.indent > indent) {
            self.levels.pop();
        }
        let of = self.levels.last().map_or(self.shape.root(), |level| level.spot);
        if let Some(level) = self.levels.last_mut() {
            if level.items == 0 {
                self.shape.container(level.spot, false);
            }
            level.items += 1;
        }
        let spot = self.shape.item(of);
        self.levels.push(Level { indent: indent + 1, spot, items: 0 });
    }

    fn field(&mut self, indent: usize, key: &str, value: &str) {
        self.fields += 1;
        while self.levels.last().is_some_and(|level| level.indent > indent || level.indent == indent && !is_item_of(level, indent)) {
            if let Some(level) = self.levels.pop() && level.items > 0 {
                self.shape.closed(level.spot, false, level.items);
            }
        }
        let of = self.parent(indent);
        let spot = self.shape.child(of, key.trim_matches(['"', '\'']));
        match value {
            "|" | ">" | "|-" | ">-" | "|+" => self.text_below = Some(indent),
            "" => {
                self.shape.container(spot, true);
                self.levels.push(Level { indent, spot, items: 0 });
            }
            _ => self.shape.scalar(spot, value.trim_matches(['"', '\''])),
        }
    }

    fn scalar(&mut self, text: &str) {
        match self.levels.last() {
            Some(level) => self.shape.scalar(level.spot, text.trim_matches(['"', '\''])),
            None => self.unread += 1,
        }
    }
}

/// A level pushed for an item stands one to the right of its dash.
fn is_item_of(level: &Level, indent: usize) -> bool {
    level.indent < indent
}

/// `key: value`, `key:`.
fn field(text: &str) -> Option<(&str, &str)> {
    let quoted = text.starts_with(['"', '\'']).then(|| text[1..].find(&text[..1]).map(|at| at + 2)).flatten().unwrap_or(0);
    let at = quoted + text[quoted..].find(':')?;
    let (key, value) = (&text[..at], &text[at + 1..]);
    let is_key = !key.is_empty() && key.len() < 120 && (quoted > 0 || !key.contains([' ', '{', '"', '=']) || key.split(' ').count() <= 2 && !key.contains(['{', '"', '(', '=']));
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}
