//! YAML: its shape, like JSON.

use super::json::{FieldId, Shape};
use super::{
    Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, terraform,
};
use crate::lines::Line;

pub(super) const FORMAT: Format = Format {
    name: "yaml",
    keeps: "number of documents; fields with types, counts, ranges and frequent values; single values",
    commands: &["yq", "kubectl get -o yaml", "helm template", "docker compose config"],
    scope: Scope::Whole(claims),
    create: || {
        Box::new(Yaml {
            shape: Shape::new(),
            levels: Vec::new(),
            documents: 1,
            block_indent: None,
            fields: 0,
            value_indent: None,
            root_indent: None,
            scalar_indent: None,
            is_over: false,
        })
    },
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    let expected = start.is_expected || start.command.reads_file(&["yaml", "yml"]);
    let nested = start.lines.iter().filter(|line| line.starts_with("  ")).count();
    let keys = start
        .lines
        .iter()
        .filter(|line| {
            !line.starts_with([' ', '-', '#'])
                && field(line).is_some_and(|(_, value)| value.is_empty())
        })
        .count();
    let reads = start.mostly(90, |line| {
        let text = line.trim_start().trim_start_matches("- ");
        field(text).is_some()
            || line.trim_start().starts_with("- ")
            || line.starts_with("---")
            || text.starts_with('#')
    });
    let is_document = reads && starts_at_the_left(start);
    (is_document && (expected || nested >= 3 && keys >= 1)).then_some(if expected {
        Claim::Sure
    } else {
        Claim::Likely
    })
}

/// Returns true if no line is left of the first field, as one is in a document whose start is missing.
fn starts_at_the_left(start: &Start<'_>) -> bool {
    let is_other = |line: &&str| !is_item(line) && field(line.trim_start()).is_none();
    let lines = start.nonblank_lines().skip_while(is_other);
    let mut indents = lines.map(|line| line.len() - line.trim_start().len());
    indents.next().is_some_and(|first| indents.all(|indent| indent >= first))
}

/// An open list or map, by the indentation of its entries.
#[derive(Debug)]
struct Level {
    indent: usize,
    field_id: FieldId,
    items: u64,
    has_fields: bool,
}

#[derive(Debug)]
struct Yaml {
    shape: Shape,
    levels: Vec<Level>,
    documents: u64,
    /// Lines with more indentation than this belong to a block scalar.
    block_indent: Option<usize>,
    fields: u64,
    /// Indentation of the fields of the document that are not in any other.
    root_indent: Option<usize>,
    /// Indentation of the last field if it has a value.
    scalar_indent: Option<usize>,
    /// Something else came.
    is_over: bool,
    /// Indentation of the previous line if it has a value.
    value_indent: Option<usize>,
}

impl Recognizer for Yaml {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim_end();
        let mut rest = text.trim_start();
        let mut indent = text.len() - rest.len();
        if self.block_indent.is_some_and(|below| indent > below)
            || rest.is_empty()
            || is_comment(rest)
        {
            return Mark::Plain;
        }
        if self.is_over {
            return Mark::Foreign;
        }
        self.block_indent = None;
        if text == "---" {
            self.documents += u64::from(self.fields > 0);
            self.close(0);
            (self.scalar_indent, self.root_indent) = (None, None);
            return Mark::Plain;
        }
        while let Some(item) = rest
            .strip_prefix("- ")
            .or_else(|| rest.strip_prefix('-').filter(|rest| rest.is_empty()))
        {
            if !self.item(indent) {
                return self.end();
            }
            indent += rest.len() - item.trim_start().len();
            rest = item.trim_start();
        }
        rest = without_anchor(rest);
        match field(rest) {
            // No field can be below a value.
            Some(_) if self.scalar_indent.is_some_and(|value| indent > value) => return self.end(),
            Some((_, value)) if is_json(value) => return self.end(),
            Some(_) if self.root_indent.is_some_and(|root| indent < root) => return self.end(),
            Some(_) if terraform::is_refreshed(text) => return self.end(),
            Some((key, value)) => self.field(indent, key, value),
            // An item of a list needs no key.
            None if rest.is_empty() || is_item(text) => self.scalar(rest),
            // A plain value may continue on the next line.
            None if self.value_indent.is_some_and(|value| indent > value) => return Mark::Plain,
            None => return self.end(),
        }
        let is_value = field(rest).is_none_or(|(_, value)| !value.is_empty());
        self.value_indent = is_value.then_some(text.len() - text.trim_start().len());
        Mark::Plain
    }

    fn can_resume(&self) -> bool {
        // Many lines of other text look like a field.
        false
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.close(0);
        if self.fields == 0 {
            return None;
        }
        let summary = match self.documents {
            1 => format!("YAML {}", self.shape.summary()),
            // The documents are described as one.
            count => format!("YAML {count} documents, in total {}", self.shape.describe_keys()),
        };
        let mut report = Report::with_summary(summary, Quotes::Sample);
        self.shape.add_facts(&mut report, if context.max_bytes > 2_000 { 10 } else { 5 });
        Some(report)
    }
}

impl Yaml {
    /// Ends the document at a line that is not YAML.
    fn end(&mut self) -> Mark {
        self.is_over = self.fields > 0;
        Mark::Foreign
    }

    /// Closes levels with at least this indentation.
    fn close(&mut self, from: usize) {
        while let Some(level) = self.levels.pop_if(|level| level.indent >= from) {
            if level.items > 0 {
                self.shape.close_container(level.field_id, false, level.items);
            }
        }
    }

    /// Adds an item to the list that is the value of the last field; items may have the same
    /// indentation as the field.
    ///
    /// Returns false if it has fields, so that it cannot have items.
    fn item(&mut self, indent: usize) -> bool {
        self.close(indent + 1);
        self.scalar_indent = None;
        if self.levels.last().map_or(self.root_indent.is_some(), |level| level.has_fields) {
            return false;
        }
        if self.levels.is_empty() {
            let root = self.shape.root();
            self.levels.push(Level { indent: 0, field_id: root, items: 0, has_fields: false });
        }
        let Some(list) = self.levels.last_mut() else { return false };
        if list.items == 0 {
            self.shape.open_container(list.field_id, false);
        }
        list.items += 1;
        let field_id = self.shape.item(list.field_id);
        self.levels.push(Level { indent: indent + 1, field_id, items: 0, has_fields: false });
        true
    }

    fn field(&mut self, indent: usize, key: &str, value: &str) {
        self.fields += 1;
        self.scalar_indent = None;
        self.close(indent);
        match self.levels.last_mut() {
            Some(level) => level.has_fields = true,
            None => self.root_indent = Some(indent),
        }
        let parent = self.levels.last().map_or(self.shape.root(), |level| level.field_id);
        let field_id = self.shape.child(parent, key.trim_matches(['"', '\'']));
        match without_anchor(value) {
            value if is_block(value) => self.block_indent = Some(indent),
            "" => {
                self.shape.open_container(field_id, true);
                self.levels.push(Level { indent, field_id, items: 0, has_fields: false });
            }
            value => {
                // A map in braces may go on with fields of its own.
                self.scalar_indent = (!value.starts_with(['{', '['])).then_some(indent);
                self.value(field_id, value);
            }
        }
    }

    /// Adds a value; quoted values are text.
    fn value(&mut self, field_id: FieldId, value: &str) {
        match value.strip_prefix(['"', '\'']) {
            Some(text) => self.shape.string(field_id, text.trim_end_matches(['"', '\''])),
            None => self.shape.scalar(field_id, value),
        }
    }

    fn scalar(&mut self, text: &str) {
        if let Some(level) = self.levels.last().filter(|_| !text.is_empty()) {
            let field_id = level.field_id;
            self.value(field_id, text);
        }
    }
}

/// Returns true for a comment; gdb writes `#12` before a frame.
pub(super) fn is_comment(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Strips the anchor `&name` and the `!tag` of a value.
fn without_anchor(value: &str) -> &str {
    let mut rest = value;
    while rest.starts_with(['&', '!']) {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
    }
    rest
}

/// Returns true for `"text",`: a comma ends a value only in JSON.
fn is_json(value: &str) -> bool {
    value.starts_with('"') && value.ends_with("\",")
}

fn is_item(line: &str) -> bool {
    let text = line.trim_start();
    text == "-" || text.starts_with("- ")
}

/// Returns true for the start of a block scalar: `|`, `>-`, `|2+`.
fn is_block(value: &str) -> bool {
    value
        .strip_prefix(['|', '>'])
        .is_some_and(|how| how.bytes().all(|byte| byte.is_ascii_digit() || b"+-".contains(&byte)))
}

/// Parses `key: value` or `key:`.
fn field(text: &str) -> Option<(&str, &str)> {
    let quoted = text
        .starts_with(['"', '\''])
        .then(|| text[1..].find(&text[..1]).map(|at| at + 2))
        .flatten()
        .unwrap_or(0);
    let at = quoted + text[quoted..].find(':')?;
    let (key, value) = (&text[..at], &text[at + 1..]);
    let is_key = !key.is_empty()
        && key.len() < 120
        && (quoted > 0 || !key.contains([' ', '{', '[', '(', '"', '=']));
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}
