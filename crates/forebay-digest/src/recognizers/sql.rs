//! Result tables of SQL shells: psql, mysql, sqlite, duckdb: rows, columns and what they hold.

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::{Values, count};

pub(super) const FORMAT: Format = Format {
    name: "sql tables",
    keeps: "rows; columns with type, range and frequent values; the first rows",
    commands: &["psql", "mysql", "sqlite3", "duckdb"],
    scope: Scope::Whole(claims),
    start: || Box::<Sql>::default(),
};

fn claims(start: &Start<'_>) -> Option<Claim> {
    if start.telling().next().is_some_and(|first| first.starts_with("-[ RECORD ")) {
        return Some(Claim::Sure);
    }
    let ruled = start.lines.iter().take(4).any(|line| is_rule(line));
    let rows = start.telling().filter(|line| is_rule(line) || line.contains(['|', '│'])).count();
    (ruled && rows >= 4 && rows * 10 >= start.telling().count() * 8).then_some(Claim::Sure)
}

/// `+----+-----+`, `----+-----`, `├────┼─────┤`, `|----|-----|`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 5 && line.chars().all(|c| "+-|─│┌┬┐├┼┤└┴┘═ :".contains(c)) && line.contains(['-', '─'])
}

#[derive(Debug, Default)]
struct Sql {
    names: Vec<String>,
    columns: Vec<Values>,
    rows: u64,
    odd: u64,
    /// Rules seen: the header stands above the first or between the first two.
    ruled: u64,
    said: Option<u64>,
    /// Rows written one field a line.
    records: u64,
}

impl Recognizer for Sql {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.starts_with("-[ RECORD ") {
            self.records += 1;
            self.rows += 1;
            return Mark::Noise;
        }
        if let Some((name, value)) = text.split_once('|').filter(|_| self.records > 0) {
            return self.record(name.trim(), value.trim());
        }
        if text.is_empty() || is_rule(text) {
            self.ruled += u64::from(!text.is_empty());
            return Mark::Noise;
        }
        if !text.contains(['|', '│']) {
            self.said = count::before(text, "rows").or(count::before(text, "row")).or(self.said);
            self.said = text.strip_prefix('(').and_then(count::first_number).or(self.said);
            return Mark::Weight(45);
        }
        let boxed = text.strip_prefix(['|', '│']);
        let bare = boxed.map_or(line.text, |text| text.strip_suffix(['|', '│']).unwrap_or(text));
        let cells: Vec<&str> = bare.split(['|', '│']).map(str::trim).collect();
        if self.names.is_empty() {
            self.names = cells.iter().map(|cell| (*cell).to_owned()).collect();
            self.columns = vec![Values::default(); cells.len()];
            return Mark::FAILURE;
        }
        if cells.len() != self.names.len() {
            self.odd += 1;
            return Mark::Plain;
        }
        self.rows += 1;
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.add(if cell == "NULL" { "" } else { cell });
        }
        if self.rows <= 3 { Mark::Weight(40 - self.rows as u32) } else { Mark::Noise }
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        let agrees = self.said.is_none_or(|said| said == self.rows);
        if self.rows == 0 || self.odd > 0 || !agrees {
            return None;
        }
        let mut report = Report::of(format!("{} rows, {} columns", self.rows, self.names.len()), Quotes::Marked);
        let most = if end.room > 2_000 { 10 } else { 4 };
        for (index, (name, values)) in self.names.iter().zip(&self.columns).enumerate() {
            report.add(80 - index.min(60) as u32, format!("{name}: {}", values.describe(most)));
        }
        Some(report)
    }
}

impl Sql {
    fn record(&mut self, name: &str, value: &str) -> Mark {
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.columns.push(Values::default());
            self.names.len() - 1
        });
        self.columns[at].add(value);
        if self.records <= 1 { Mark::Weight(30) } else { Mark::Noise }
    }
}
