//! TOML and INI files: tables with counts, field values.

use std::collections::BTreeSet;

use super::json::{FieldId, Shape};
use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start, yaml};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "toml, ini",
    keeps: "tables with counts; fields with types, ranges and frequent values; duplicated names",
    commands: &["git config --list"],
    scope: Scope::Whole(claims),
    create: || Box::new(Toml::new()),
};

/// Maximum number of keys held of a table; further ones are not compared.
const MAX_KEYS: usize = 1_000;

fn claims(start: &Start<'_>) -> Option<Claim> {
    let has_table = start.lines.iter().any(|line| header(line).is_some());
    let fields = start.lines.iter().filter(|line| field(line).is_some()).count();
    let reads = start.mostly(90, |line| {
        header(line).is_some() || field(line).is_some() || line.starts_with(['#', ' ', ']', ';'])
    });
    (has_table && fields >= 3 && reads).then_some(Claim::Sure)
}

#[derive(Debug)]
struct Toml {
    shape: Shape,
    table: Option<FieldId>,
    /// The keys of the current `[[table]]`; one that comes again is of another file. INI files have no such tables, but
    /// may repeat a key.
    keys: Option<BTreeSet<String>>,
    tables: ValueCounts,
    names: ValueCounts,
    /// Number of unclosed brackets.
    open_brackets: i32,
    fields: u64,
    /// Something else came.
    is_over: bool,
}

impl Recognizer for Toml {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.is_empty() || text.starts_with(';') || yaml::is_comment(text) {
            return Mark::Noise;
        }
        if self.is_over {
            return Mark::Foreign;
        }
        if self.open_brackets > 0 {
            self.open_brackets += balance(text);
        } else if let Some(name) = header(line.text) {
            self.open_table(name);
            self.keys = line.text.starts_with("[[").then(BTreeSet::new);
        } else if let Some((key, value)) = field(line.text).filter(|(key, _)| !self.repeats(key)) {
            self.field(key, value);
        } else {
            self.is_over = self.fields > 0;
            return Mark::Foreign;
        }
        Mark::Plain
    }

    fn can_resume(&self) -> bool {
        // Lines of other text look like a field.
        false
    }

    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.fields == 0 {
            return None;
        }
        let mut report = Report::with_summary(
            format!("TOML: tables {}; {} fields", self.tables.list(10), self.fields),
            Quotes::Sample,
        );
        let duplicates: Vec<&str> = self
            .names
            .in_order()
            .into_iter()
            .filter(|(_, count)| *count > 1)
            .map(|(name, _)| name)
            .collect();
        if !duplicates.is_empty() {
            let shown = duplicates.iter().take(6).copied().collect::<Vec<_>>().join(", ");
            report.add(85, format!("{} duplicated names: {shown}", duplicates.len()));
        }
        self.shape.add_facts(&mut report, if context.max_bytes > 2_000 { 10 } else { 5 });
        Some(report)
    }
}

impl Toml {
    fn new() -> Self {
        Self {
            shape: Shape::new(),
            table: None,
            keys: None,
            tables: ValueCounts::default(),
            names: ValueCounts::default(),
            open_brackets: 0,
            fields: 0,
            is_over: false,
        }
    }

    fn open_table(&mut self, name: &str) {
        self.tables.add(name);
        let root = self.shape.root();
        let mut field_id = root;
        for part in name.split('.') {
            field_id = self.shape.child(field_id, part.trim_matches('"'));
        }
        self.shape.open_container(field_id, true);
        self.table = Some(field_id);
    }

    fn repeats(&self, key: &str) -> bool {
        self.keys.as_ref().is_some_and(|keys| keys.contains(key))
    }

    fn field(&mut self, key: &str, value: &str) {
        self.fields += 1;
        if let Some(keys) = self.keys.as_mut().filter(|keys| keys.len() < MAX_KEYS) {
            keys.insert(key.to_owned());
        }
        let parent = self.table.unwrap_or(self.shape.root());
        let field_id = self.shape.child(parent, key);
        if key == "name" && self.table.is_some() {
            self.names.add(value.trim_matches('"'));
        }
        self.open_brackets = balance(value).max(0);
        if !value.starts_with(['[', '{']) {
            self.shape.scalar(field_id, value.trim_matches('"'));
        }
    }
}

fn balance(text: &str) -> i32 {
    text.bytes()
        .map(|byte| match byte {
            b'[' | b'{' => 1,
            b']' | b'}' => -1,
            _ => 0,
        })
        .sum()
}

/// Returns the name of `[table]` or `[[table]]`.
fn header(line: &str) -> Option<&str> {
    let inside = line.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    let name = inside.trim_start_matches('[').trim_end_matches(']');
    (!name.is_empty()
        && !name.contains([',', ':', '=', '(', '/', '%', '#', '!', '?'])
        && (!name.contains(' ') || name.contains('"')))
    .then_some(name)
}

fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim_end();
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.\"".contains(&byte));
    (is_key && !line.starts_with(' ')).then(|| (key, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_a_bounded_number_of_keys() {
        let mut toml = Toml::new();
        let mut push = |text: &str| {
            toml.push_line(Line { number: 1, text, cut: 0, has_newline: true }) == Mark::Foreign
        };
        assert!(!push("[[a]]"));
        assert!((0..3 * MAX_KEYS).all(|key| !push(&format!("key{key} = 1"))));
        assert!(push("key7 = 1"));
        assert_eq!(toml.keys.map(|keys| keys.len()), Some(MAX_KEYS));
    }
}
