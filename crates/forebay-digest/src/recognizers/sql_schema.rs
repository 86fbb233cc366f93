//! SQL schemas (`.schema`, `pg_dump --schema-only`): tables with their columns, numbers of indexes and other objects.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::ValueCounts;

pub(super) const FORMAT: Format = Format {
    name: "sql schema",
    keeps: "number of tables, indexes and other objects; each table with its columns and foreign keys",
    commands: &["sqlite3 .schema", "pg_dump"],
    scope: Scope::Whole(claims),
    create: || Box::<Schema>::default(),
};

/// Fewer statements are quoted as they are.
const MIN_STATEMENTS: usize = 3;

/// Tables with columns of which more are held, and bytes of a statement.
const MAX_TABLES: usize = 400;
const MAX_STATEMENT_BYTES: usize = 64 * 1024;

/// Bytes shown of the columns of a table.
const MAX_COLUMNS_BYTES: usize = 160;

/// Objects that are counted, and their plurals.
const OBJECTS: &[(&str, &str)] = &[
    ("TABLE", "tables"),
    ("INDEX", "indexes"),
    ("VIEW", "views"),
    ("TRIGGER", "triggers"),
    ("FUNCTION", "functions"),
    ("SEQUENCE", "sequences"),
    ("TYPE", "types"),
];

/// Words between `CREATE` and the kind of an object, or between the kind and its name.
const MODIFIERS: &[&str] = &[
    "UNIQUE",
    "TEMP",
    "TEMPORARY",
    "OR",
    "REPLACE",
    "VIRTUAL",
    "MATERIALIZED",
    "UNLOGGED",
    "IF",
    "NOT",
    "EXISTS",
    "CONCURRENTLY",
];

/// Words that start a constraint in place of a column.
const CONSTRAINTS: &[&str] =
    &["CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "EXCLUDE", "KEY", "INDEX"];

fn claims(start: &Start<'_>) -> Option<Claim> {
    let mut schema = Schema::default();
    let mut is_own = |text: &str| {
        schema.push_line(Line { number: 0, text, cut: 0, has_newline: true }) != Mark::Foreign
    };
    let is_schema = start.nonblank_lines().all(&mut is_own)
        && start.nonblank_lines().filter(|line| created(line).is_some()).count() >= MIN_STATEMENTS;
    is_schema.then_some(Claim::Likely)
}

#[derive(Debug, Default)]
struct Schema {
    objects: ValueCounts,
    tables: Vec<Table>,
    more_tables: u64,
    /// A statement that goes on.
    open: String,
}

#[derive(Debug)]
struct Table {
    name: String,
    columns: String,
}

impl Recognizer for Schema {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.is_empty() || text.starts_with("--") {
            return Mark::Noise;
        }
        let is_start = created(text).is_some() || is_other_statement(text);
        let goes_on = !self.open.is_empty() && line.text.starts_with([' ', '\t', ')', ',']);
        if !is_start && !goes_on {
            return Mark::Foreign;
        }
        // The statement before was cut off; it is not counted.
        if is_start {
            self.open.clear();
        }
        if self.open.len() < MAX_STATEMENT_BYTES {
            self.open.push_str(text);
            self.open.push(' ');
        }
        if text.ends_with(';') {
            self.close();
        }
        Mark::Noise
    }

    fn report(self: Box<Self>, _context: &ReportContext) -> Option<Report> {
        let counted = |(object, plural): &(&str, &str)| match self.objects.count_of(object) {
            0 => None,
            1 => Some(format!("1 {}", object.to_lowercase())),
            count => Some(format!("{} {plural}", grouped(count))),
        };
        let counts = OBJECTS.iter().filter_map(counted).collect::<Vec<_>>().join(", ");
        if counts.is_empty() {
            return None;
        }
        let mut report = Report::with_summary(format!("schema: {counts}"), Quotes::None);
        let names: Vec<&str> = self.tables.iter().map(|table| table.name.as_str()).collect();
        report.add(95, format!("tables: {}", names.join(", ")));
        for (index, table) in self.tables.iter().enumerate() {
            let weight = 90_u32.saturating_sub(index as u32).max(1);
            report.add_item(weight, format!("{}({})", table.name, table.columns));
        }
        report.add_unlisted(self.more_tables);
        Some(report)
    }
}

impl Schema {
    fn close(&mut self) {
        let statement = std::mem::take(&mut self.open);
        let Some((object, rest)) = created(&statement) else { return };
        self.objects.add(object);
        if object != "TABLE" {
            return;
        }
        let (name, body) = rest.split_once('(').unwrap_or((rest, ""));
        let name = unquoted(name.split_ascii_whitespace().next().unwrap_or_default());
        if self.tables.len() == MAX_TABLES {
            self.more_tables += 1;
            return;
        }
        let columns = cut::one_line(&columns(body), MAX_COLUMNS_BYTES);
        self.tables.push(Table { name, columns });
    }
}

/// Returns the kind of the object that a statement creates, and what follows it.
fn created(text: &str) -> Option<(&'static str, &str)> {
    let mut rest = text.trim_start().strip_prefix("CREATE ")?.trim_start();
    let mut object = None;
    loop {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        if object.is_none()
            && let Some((found, _)) = OBJECTS.iter().find(|(object, _)| *object == word)
        {
            object = Some(*found);
        } else if !MODIFIERS.contains(&word) {
            return object.map(|object| (object, rest));
        }
        rest = after.trim_start();
    }
}

/// Returns true for a statement of a dump that creates nothing.
fn is_other_statement(text: &str) -> bool {
    [
        "SET ", "SELECT ", "ALTER ", "COMMENT ", "INSERT ", "PRAGMA ", "BEGIN", "COMMIT", "GRANT ",
        "REVOKE ", "\\",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// Returns the names of the columns in the body of a table, with the tables they refer to: `id, user_id -> user`.
fn columns(body: &str) -> String {
    let mut names = Vec::new();
    for definition in definitions(body) {
        let mut words = definition.split_ascii_whitespace();
        let Some(first) = words.next() else { continue };
        if CONSTRAINTS.contains(&first) {
            continue;
        }
        let target = words.skip_while(|word| *word != "REFERENCES").nth(1);
        let name = unquoted(first);
        names.push(match target {
            Some(target) => {
                format!("{name} -> {}", unquoted(target.split('(').next().unwrap_or(target)))
            }
            None => name,
        });
    }
    names.join(", ")
}

/// Splits the body at commas outside parentheses, up to the closing one.
fn definitions(body: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_u32, 0, Vec::new());
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => {
                found.push(&body[start..at]);
                return found;
            }
            b')' => depth -= 1,
            b',' if depth == 0 => {
                found.push(&body[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&body[start..]);
    found
}

fn unquoted(name: &str) -> String {
    name.chars().filter(|c| !"\"`[]".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_columns_and_what_they_refer_to() {
        let body = r#""id" integer NOT NULL, "g" integer REFERENCES "auth_group" ("id"), UNIQUE (id, g), p decimal(3, 2));"#;
        assert_eq!(columns(body), "id, g -> auth_group, p");
        assert_eq!(
            created("CREATE UNIQUE INDEX IF NOT EXISTS x ON y (z);"),
            Some(("INDEX", "x ON y (z);"))
        );
    }
}
