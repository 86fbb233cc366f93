//! Result tables of SQL shells (psql, mysql, sqlite, duckdb): rows, columns and their values.

use forebay_text::number::counted;

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueStats, count};

pub(super) const FORMAT: Format = Format {
    name: "sql tables",
    keeps: "number of rows; columns with type, range and frequent values; first rows",
    commands: &["psql", "mysql", "sqlite3", "duckdb"],
    scope: Scope::Whole(claims),
    create: || Box::<Sql>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    if start.nonblank_lines().next().is_some_and(|first| first.starts_with("-[ RECORD ")) {
        return Some(Claim::Sure);
    }
    let after_separator = start.lines.iter().take(4).any(|line| is_separator(line));
    if !after_separator {
        return None;
    }
    let rows = start
        .nonblank_lines()
        .filter(|line| is_separator(line) || line.contains(['|', '│']))
        .count();
    (rows >= 4 && rows * 10 >= start.nonblank_lines().count() * 8).then_some(Claim::Sure)
}

/// Returns true for `+----+-----+`, `----+-----`, `├────┼─────┤`, `|----|-----|`.
fn is_separator(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 5
        && line.chars().all(|c| "+-|─│┌┬┐├┼┤└┴┘═ :".contains(c))
        && line.contains(['-', '─'])
}

/// One table.
#[derive(Debug, Default)]
struct Table {
    names: Vec<String>,
    columns: Vec<ValueStats>,
    rows: u64,
    /// Each row starts and ends with a line.
    is_boxed: bool,
    /// A line separates the names from the rows; without one, the first row has no names.
    has_header: bool,
    /// The types that DuckDB prints below the names, until a line shows that they are not a row.
    types: Option<Vec<String>>,
    /// Number of rows reported by the shell.
    reported_rows: Option<u64>,
    /// Number of rows of the result, as printed, if only some of them are shown.
    all_rows: Option<String>,
}

#[derive(Debug, Default)]
struct Sql {
    open: Table,
    /// Completed tables.
    tables: Vec<Table>,
    /// The previous line is a separator.
    after_separator: bool,
    /// Number of rows in expanded display, one field per line.
    records: u64,
    /// The number of the last of them.
    last_record: Option<u64>,
    /// A record came that does not follow the last one, so another result is in between.
    is_over: bool,
    errors: u64,
}

/// Maximum number of tables; with more, nothing is reported.
const MAX_TABLES: usize = 200;

/// Maximum number of fields of a record; PostgreSQL allows a few more.
const MAX_COLUMNS: usize = 1_600;

impl Recognizer for Sql {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if let Some(record) = text.strip_prefix("-[ RECORD ") {
            let number = count::first_number(record);
            self.is_over |= !self.follows(number);
            self.last_record = number;
            if self.is_over {
                return Mark::Foreign;
            }
            if self.records == 0 && !self.open.names.is_empty() {
                self.close();
            }
            self.records += 1;
            self.open.rows += 1;
            return Mark::Noise;
        }
        if self.is_over {
            return Mark::Foreign;
        }
        if self.records > 0 && text.starts_with('+') && is_separator(text) {
            // The box of another result.
            self.close();
        }
        let may_be_field = |name: &str| {
            self.records <= 1 && self.open.names.len() < MAX_COLUMNS
                || self.open.has_column(name.trim())
        };
        if self.records > 0
            && let Some((name, value)) = text.split_once('|')
        {
            // A row of a table has several cells.
            if !may_be_field(name) || value.contains(" | ") {
                return Mark::Foreign;
            }
            return self.record(name.trim(), value.trim());
        }
        if text.is_empty() || is_separator(text) {
            return self.separator(text);
        }
        let is_below_line = std::mem::replace(&mut self.after_separator, false);
        if !text.contains(['|', '│']) {
            return self.message_line(text);
        }
        let boxed = text.strip_prefix(['|', '│']);
        if !self.open.names.is_empty() && self.open.is_boxed != boxed.is_some() {
            return Mark::Foreign;
        }
        let bare = boxed.map_or(line.text, |text| text.strip_suffix(['|', '│']).unwrap_or(text));
        let cells: Vec<&str> = bare.split(['|', '│']).map(str::trim).collect();
        if let [footer] = cells.as_slice()
            && self.open.names.len() > 1
            && self.open.read_footer(footer)
        {
            return Mark::Weight(45);
        }
        if self.open.names.is_empty() {
            // The header of a box is below its upper line.
            if boxed.is_some() && !is_below_line || text.starts_with('{') {
                return Mark::Foreign;
            }
            self.open.names = cells.iter().map(|cell| (*cell).to_owned()).collect();
            self.open.is_boxed = boxed.is_some();
            self.open.columns = vec![ValueStats::default(); cells.len()];
            self.open.has_header = false;
            return Mark::FAILURE;
        }
        if cells.len() != self.open.names.len() {
            return Mark::Foreign;
        }
        let may_be_types =
            !self.open.has_header && self.open.types.is_none() && self.open.rows == 0;
        if may_be_types && text.starts_with('│') && are_types(&cells) {
            self.open.types = Some(cells.iter().map(|cell| (*cell).to_owned()).collect());
            return Mark::Weight(41);
        }
        if is_gap(&cells) {
            return Mark::Plain;
        }
        if !self.open.has_header {
            self.open.take_names_as_row();
        } else if cells.iter().eq(&self.open.names) {
            // The header of another result of the same query.
            return Mark::Noise;
        }
        self.open.add_row(cells);
        if self.open.rows <= 3 { Mark::Weight(40 - self.open.rows as u32) } else { Mark::Noise }
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        if self.open.rows > 0 || !self.open.names.is_empty() {
            self.close();
        }
        let agrees =
            |table: &Table| table.reported_rows.is_none_or(|reported| reported == table.rows);
        let rows: u64 = self.tables.iter().map(|table| table.rows).sum();
        if rows == 0 || !self.tables.iter().all(agrees) || self.tables.len() > MAX_TABLES {
            return None;
        }
        let max_items = if context.max_bytes > 2_000 { 10 } else { 4 };
        let mut report = match self.tables.as_slice() {
            [table] => {
                let mut report = Report::with_summary(table.summary(), Quotes::Marked);
                table.add_facts(&mut report, "", max_items);
                report
            }
            tables => {
                let mut report = Report::with_summary(
                    format!("{} results, {rows} rows in total", tables.len()),
                    Quotes::Marked,
                );
                for (number, table) in (1..).zip(tables) {
                    let prefix = format!("result {number}");
                    report.add(
                        95,
                        format!("{prefix}: {}: {}", table.summary(), table.names.join(", ")),
                    );
                    table.add_facts(&mut report, &format!("{prefix} "), max_items);
                }
                report
            }
        };
        if self.errors > 0 {
            report.add(97, counted(self.errors, "error"));
            report.failing = Some(true);
        }
        Some(report)
    }
}

impl Table {
    fn has_column(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn add_row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.rows += 1;
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.add(if cell == "NULL" { "" } else { cell });
        }
    }

    /// Counts the first row, which was taken for the names, and numbers the columns.
    fn take_names_as_row(&mut self) {
        let numbers = (1..=self.names.len()).map(|number| format!("column {number}")).collect();
        let first = std::mem::replace(&mut self.names, numbers);
        self.add_row(first.iter().map(String::as_str));
        if let Some(second) = self.types.take() {
            self.add_row(second.iter().map(String::as_str));
        }
        self.has_header = true;
    }

    /// Reads what DuckDB prints below a box: `40 rows  3 columns`, `9999 rows (40 shown)  3 columns`.
    fn read_footer(&mut self, footer: &str) -> bool {
        let Some((number, rest)) = footer.split_once(" row") else { return false };
        let shown = count::before(rest, "shown");
        let Some(reported) = shown.or_else(|| count::parse(number)) else { return false };
        self.all_rows = shown.map(|_| number.to_owned());
        self.reported_rows = Some(reported);
        true
    }

    fn summary(&self) -> String {
        let (rows, columns) = (self.rows, self.names.len());
        match &self.all_rows {
            Some(all) => format!("{rows} of {all} rows shown, {columns} columns"),
            None => format!("{rows} rows, {columns} columns"),
        }
    }

    fn add_facts(&self, report: &mut Report, prefix: &str, max_items: usize) {
        for (index, (name, values)) in self.names.iter().zip(&self.columns).enumerate() {
            report.add_field(
                80 - index.min(60) as u32,
                format!("{prefix}{name}: {}", values.describe(max_items)),
            );
        }
    }
}

impl Sql {
    /// Returns true if a record continues the result or starts one.
    fn follows(&self, number: Option<u64>) -> bool {
        let is_start = self.records == 0 && (number == Some(1) || self.is_empty());
        let next = self.last_record.map(|last| last + 1);
        is_start || self.records > 0 && number.is_some() && number == next
    }

    /// Returns true if there was no result so far.
    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.open.names.is_empty()
    }

    /// Handles a separator; two in a row separate tables.
    fn separator(&mut self, text: &str) -> Mark {
        if self.after_separator && is_separator(text) && self.open.rows > 0 {
            self.close();
        }
        self.after_separator = !text.is_empty();
        // What is above the line at the end of a box is a row.
        let is_end = text.starts_with('└');
        self.open.has_header |= self.after_separator
            && !self.open.names.is_empty()
            && !(is_end && self.open.types.is_some());
        Mark::Noise
    }

    /// Handles a line that is not a row: row count, status or error.
    fn message_line(&mut self, text: &str) -> Mark {
        let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        if text.starts_with("ERROR:  ")
            || text.contains(": ERROR:  ")
            || text.strip_prefix("ERROR ").is_some_and(is_numbered)
        {
            self.errors += 1;
            return Mark::OUTCOME;
        }
        let rows = text.strip_prefix('(').and_then(count::first_number);
        let rows =
            rows.or_else(|| count::before(text, "rows")).or_else(|| count::before(text, "row"));
        if rows.is_some() && !self.open.names.is_empty() {
            self.open.reported_rows = rows;
            self.close();
            return Mark::Weight(45);
        }
        if is_status(text) { Mark::Weight(45) } else { Mark::Foreign }
    }

    fn close(&mut self) {
        self.after_separator = false;
        self.records = 0;
        let mut table = std::mem::take(&mut self.open);
        if !table.has_header && table.types.is_some() {
            table.take_names_as_row();
        }
        if self.tables.len() <= MAX_TABLES {
            self.tables.push(table);
        }
    }

    fn record(&mut self, name: &str, value: &str) -> Mark {
        let table = &mut self.open;
        let at = table.names.iter().position(|known| known == name).unwrap_or_else(|| {
            table.names.push(name.to_owned());
            table.columns.push(ValueStats::default());
            table.names.len() - 1
        });
        table.columns[at].add(value);
        if self.records <= 1 { Mark::Weight(30) } else { Mark::Noise }
    }
}

/// Returns true if the cells name types of columns; those of hidden columns are empty.
fn are_types(cells: &[&str]) -> bool {
    const TYPES: &[&str] = &[
        "bigint",
        "bignum",
        "bit",
        "blob",
        "boolean",
        "date",
        "double",
        "float",
        "geometry",
        "hugeint",
        "int128",
        "int16",
        "int32",
        "int64",
        "int8",
        "interval",
        "json",
        "time",
        "timestamp",
        "uhugeint",
        "uint128",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "uuid",
        "varchar",
        "varint",
    ];
    const NESTED: &[&str] = &["decimal(", "enum(", "map(", "struct(", "union("];
    let is_type = |cell: &&str| {
        let name = cell.split(['(', '[', ' ', '_']).next().unwrap_or_default();
        TYPES.contains(&name) || NESTED.iter().any(|start| cell.starts_with(start))
    };
    cells.iter().any(|cell| !cell.is_empty())
        && cells.iter().all(|cell| cell.is_empty() || is_type(cell))
}

/// Returns true for the cells that stand for rows that are not shown.
fn is_gap(cells: &[&str]) -> bool {
    cells.len() > 1
        && cells.contains(&"·")
        && cells.iter().all(|cell| matches!(*cell, "·" | "…" | ""))
}

/// Returns true for messages of a shell: `INSERT 0 1`, `Time: 3 ms`, `Query OK`.
fn is_status(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "CREATE",
        "DROP",
        "ALTER",
        "BEGIN",
        "COMMIT",
        "SET",
        "ROLLBACK",
        "TRUNCATE",
        "Time:",
        "Timing",
        "Query OK",
        "Empty set",
        "DETAIL:",
        "HINT:",
        "LINE ",
        "NOTICE:",
        "WARNING:",
        "Run Time:",
        "psql:",
        "mysql:",
    ];
    STARTS.iter().any(|start| text.starts_with(start)) || text == "^"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_has_no_names_unless_a_line_follows_it() {
        let text =
            ["|-----|-------|", "| a.py | MISSED |", "| b.py | COVERED |", "| c.py | MISSED |"];
        let mut table = Sql::default();
        for (number, text) in (1..).zip(text) {
            table.push_line(Line { number, text, cut: 0, has_newline: true });
        }
        let report = Box::new(table).report(&ReportContext::new(4, 1_200));
        let facts = report.map(|report| report.facts).unwrap_or_default();
        let facts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(facts[0], "3 rows, 2 columns");
        assert_eq!(facts[2], "column 2: text MISSED: 2, COVERED: 1");
    }

    fn facts(text: &str) -> Vec<String> {
        let mut sql = Sql::default();
        for (number, text) in (1..).zip(text.lines()) {
            assert_ne!(
                sql.push_line(Line { number, text, cut: 0, has_newline: true }),
                Mark::Foreign,
                "{text}"
            );
        }
        let report = Box::new(sql).report(&ReportContext::new(9, 1_200));
        let facts = report.map(|report| report.facts).unwrap_or_default();
        facts.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn types_below_the_names_are_no_row() {
        let head =
            "┌───────┬─────────┐\n│  id   │ status  │\n│ int32 │ varchar │\n├───────┼─────────┤\n";
        let rows = "│     1 │ paid    │\n│     2 │ open    │\n│     7 │ paid    │\n";
        let end = "└───────┴─────────┘\n";
        let expect =
            ["3 rows, 2 columns", "id: int 1..7, mean 3.33", "status: text paid: 2, open: 1"];
        assert_eq!(facts(&format!("{head}{rows}{end}")), expect);
        let two = facts(&format!("{head}{rows}{end}{head}{rows}{end}"));
        assert_eq!(
            two[..2],
            ["2 results, 6 rows in total", "result 1: 3 rows, 2 columns: id, status"]
        );
        let rule = "├───────┴─────────┤\n";
        let counted = format!("{head}{rows}{rule}│ 3 rows 2 columns│\n{end}");
        assert_eq!(facts(&counted), expect);
    }

    #[test]
    fn a_part_of_the_rows_is_not_taken_for_all() {
        let head =
            "┌───────┬─────────┐\n│  id   │ status  │\n│ int32 │ varchar │\n├───────┼─────────┤\n";
        let rows =
            "│     1 │ paid    │\n│   ·   │  ·      │\n│   ·   │  ·      │\n│     7 │ open    │\n";
        let end = "├───────┴─────────┤\n│ 900 rows (2 shown)   2 columns │\n└─────────────────┘\n";
        assert_eq!(facts(&format!("{head}{rows}{end}"))[0], "2 of 900 rows shown, 2 columns");
    }

    #[test]
    fn a_row_of_words_that_name_types_is_a_row() {
        let text = "┌──────┬──────┐\n│ x    │ y    │\n│ date │ time │\n└──────┴──────┘\n";
        assert_eq!(facts(text)[0], "2 rows, 2 columns");
    }

    #[test]
    fn records_follow_only_by_their_number() {
        let mut sql = Sql::default();
        let mut push = |text| sql.push_line(Line { number: 1, text, cut: 0, has_newline: true });
        assert_ne!(push("-[ RECORD 18446744073709551615 ]----"), Mark::Foreign);
        assert_ne!(push("id | 1"), Mark::Foreign);
        assert_eq!(push("-[ RECORD 18446744073709551615 ]----"), Mark::Foreign);
    }

    #[test]
    fn a_record_has_a_bounded_number_of_fields() {
        let mut sql = Sql::default();
        let mut push = |text: &str| {
            sql.push_line(Line { number: 1, text, cut: 0, has_newline: true }) == Mark::Foreign
        };
        assert!(!push("-[ RECORD 1 ]----"));
        let foreign = (0..2 * MAX_COLUMNS).filter(|name| push(&format!("c{name} | 1"))).count();
        assert_eq!(foreign, MAX_COLUMNS);
    }
}
