//! CSV and TSV: columns with types, ranges, frequent values; the number of rows.

use forebay_domain::text::number::grouped;

use super::{Claim, End, Format, Mark, Quotes, Recognizer, Report, Scope, Start};
use crate::lines::Line;
use crate::tally::Values;

pub(super) const FORMAT: Format = Format {
    name: "csv, tsv",
    keeps: "the number of rows; columns with type, range, distinct and most frequent values; the first rows",
    commands: &["sqlite3 -csv", "xsv", "mlr", "csvcut", "csvsql"],
    scope: Scope::Whole(claims),
    start: || Box::<Csv>::default(),
};

const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

fn claims(start: &Start<'_>) -> Option<Claim> {
    let (_, columns) = layout(start)?;
    let expected = start.expected || start.command.reads_file(&["csv", "tsv"]);
    let enough = columns >= 3 && start.telling().count() >= 4;
    (expected || enough).then_some(if expected { Claim::Sure } else { Claim::Likely })
}

/// The delimiter that cuts all lines into the same number of fields, and that number.
fn layout(start: &Start<'_>) -> Option<(char, usize)> {
    let first = start.telling().next()?;
    DELIMITERS.into_iter().find_map(|delimiter| {
        let columns = fields(first, delimiter).count();
        let header_is_short = fields(first, delimiter).all(|name| name.len() < 60 && !name.ends_with('.'));
        let same = start.mostly(95, |line| fields(line, delimiter).count() == columns);
        (columns >= 2 && header_is_short && same).then_some((delimiter, columns))
    })
}

/// The fields of a row; a quoted one may hold delimiters.
fn fields(row: &str, delimiter: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(row);
    std::iter::from_fn(move || {
        let row = rest?;
        let quoted = row.starts_with('"').then(|| closing_quote(row)).flatten().unwrap_or(0);
        let end = row[quoted..].find(delimiter).map(|at| quoted + at);
        rest = end.map(|end| &row[end + delimiter.len_utf8()..]);
        Some(unquoted(&row[..end.unwrap_or(row.len())]))
    })
}

/// The position after the quote that ends a field.
fn closing_quote(row: &str) -> Option<usize> {
    let mut from = 1;
    loop {
        let at = from + row[from..].find('"')?;
        if row[at + 1..].starts_with('"') {
            from = at + 2;
        } else {
            return Some(at + 1);
        }
    }
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

#[derive(Debug, Default)]
struct Csv {
    delimiter: Option<char>,
    names: Vec<String>,
    columns: Vec<Values>,
    rows: u64,
    odd: u64,
}

impl Recognizer for Csv {
    fn take(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim().is_empty() {
            return Mark::Noise;
        }
        let Some(delimiter) = self.delimiter else {
            self.header(line.text);
            return Mark::FAILURE;
        };
        let count = fields(line.text, delimiter).count();
        if count != self.names.len() {
            self.odd += 1;
            return Mark::REASON;
        }
        self.rows += 1;
        for (column, value) in self.columns.iter_mut().zip(fields(line.text, delimiter)) {
            column.add(value);
        }
        if self.rows <= 3 { Mark::Weight(40 - self.rows as u32) } else { Mark::Noise }
    }

    fn report(self: Box<Self>, end: &End) -> Option<Report> {
        if self.rows == 0 || self.odd * 20 > self.rows {
            return None;
        }
        let odd = match self.odd {
            0 => String::new(),
            count => format!(", {} lines with another number of fields", grouped(count)),
        };
        let said = format!("{} rows, {} columns{odd}", grouped(self.rows), self.names.len());
        let mut report = Report::of(said, Quotes::Marked);
        let most = if end.room > 2_000 { 10 } else { 4 };
        for (index, (name, values)) in self.names.iter().zip(&self.columns).enumerate() {
            report.add(80 - index.min(60) as u32, format!("{name}: {}", values.describe(most)));
        }
        Some(report)
    }
}

impl Csv {
    fn header(&mut self, line: &str) {
        let delimiter = DELIMITERS.into_iter().max_by_key(|delimiter| fields(line, *delimiter).count()).unwrap_or(',');
        self.delimiter = Some(delimiter);
        self.names = fields(line, delimiter).map(str::to_owned).collect();
        self.columns = vec![Values::default(); self.names.len()];
    }
}
