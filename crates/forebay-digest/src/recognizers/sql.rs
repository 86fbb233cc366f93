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
}

impl Recognizer for Sql {
    fn take(&mut self, line: Line<'_>) -> Mark {
        let text = line.text.trim();
        if text.is_empty() || is_rule(text) {
            self.ruled += u64::from(!text.is_empty());
            return Mark::Noise;
        }
        if !text.contains(['|', '│']) {
            self.said = count::before(text, "rows").or(count::before(text, "row")).or(self.said);
            self.said = text.strip_prefix('(').and_then(count::first_number).or(self.said);
            return Mark::Weight(45);
        }
        let bare = text.trim_matches(['|', '│']);
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
