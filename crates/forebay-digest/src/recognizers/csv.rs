//! CSV and TSV: row count; columns with types, ranges and frequent values.

use forebay_text::number::{counted, grouped};

use super::{Claim, Format, Mark, Quotes, Recognizer, Report, ReportContext, Scope, Start};
use crate::lines::Line;
use crate::tally::{ValueStats, has_other_types, looks_like_date};

pub(super) const FORMAT: Format = Format {
    name: "csv, tsv",
    keeps: "number of rows; columns with type, range, distinct and frequent values; first rows",
    commands: &["sqlite3 -csv", "xsv", "mlr", "csvcut", "csvsql"],
    scope: Scope::Whole(claims),
    create: || Box::<Csv>::default(),
};

/// Maximum number of lines of one row.
const MAX_ROW_LINES: usize = 40;

/// After this many rows, the types of the columns are known.
const MIN_TYPED_ROWS: u64 = 5;

const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// After this many rows with the same number of fields, a row has about as many.
const MIN_EQUAL_ROWS: u64 = 20;

/// Unquoted delimiters in the fields of one row; a field has no tabs.
fn max_stray_delimiters(delimiter: u8) -> usize {
    if delimiter == b'\t' { 0 } else { 2 }
}

fn claims(start: &Start<'_>) -> Option<Claim> {
    let (rows, columns) = layout(start)?;
    let expected = start.is_expected || start.command.reads_file(&["csv", "tsv"]);
    // Calls with arguments and indented code are split by commas too.
    let is_code = start.mostly(50, |line| line.contains('(') || line.starts_with([' ', '\t']));
    let enough = columns >= 3 && rows >= 4 && !is_code;
    (expected || enough).then_some(if expected { Claim::Sure } else { Claim::Likely })
}

/// Returns the numbers of rows and columns if a delimiter splits all rows equally.
fn layout(start: &Start<'_>) -> Option<(usize, usize)> {
    let is_candidate = |delimiter: &u8| {
        start
            .nonblank_lines()
            .next()
            .is_some_and(|line| line.contains([char::from(*delimiter), '"']))
    };
    DELIMITERS.into_iter().filter(is_candidate).find_map(|delimiter| {
        let rows = rows(start, delimiter);
        let first = rows.first()?;
        let columns = fields(first, delimiter).count();
        let header_is_short =
            fields(first, delimiter).all(|name| name.len() < 60 && !name.ends_with('.'));
        // Files named as CSV may have ragged rows; a commit's subject may be long.
        let is_file = start.command.reads_file(&["csv", "tsv"]);
        let header_is_short = header_is_short || start.command.matches("git log");
        let min_same = if is_file { 60 } else { 95 };
        let same = rows.iter().filter(|row| fields(row, delimiter).count() == columns).count();
        (columns >= 2 && header_is_short && same * 100 >= rows.len() * min_same)
            .then_some((rows.len(), columns))
    })
}

/// Returns the rows at the start, joining quoted fields that span lines; drops a row that is cut
/// off.
fn rows(start: &Start<'_>, delimiter: u8) -> Vec<String> {
    let (mut rows, mut open) = (Vec::new(), String::new());
    for line in start.nonblank_lines() {
        if !open.is_empty() {
            open.push('\n');
        }
        open.push_str(line);
        if !is_open(&open, delimiter) {
            rows.push(std::mem::take(&mut open));
        }
    }
    // A quote that never closes does not start a quoted field.
    if open.matches('\n').count() >= MAX_ROW_LINES {
        rows.extend(open.lines().map(str::to_owned));
    }
    rows
}

/// Returns true if a quoted field continues on the next line.
fn is_open(row: &str, delimiter: u8) -> bool {
    // Closed fields have an even number of quotes.
    if memchr::memchr_iter(b'"', row.as_bytes()).count().is_multiple_of(2) {
        return false;
    }
    let mut rest = Some(row);
    while let Some(row) = rest {
        let Some(quoted) = (if row.starts_with('"') { closing_quote(row) } else { Some(0) }) else {
            return true;
        };
        rest = row[quoted..].split_once(char::from(delimiter)).map(|(_, rest)| rest);
    }
    false
}

/// Returns the fields of a row; a quoted field may contain delimiters.
fn fields(row: &str, delimiter: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(row);
    std::iter::from_fn(move || {
        let row = rest?;
        let quoted = row.starts_with('"').then(|| closing_quote(row)).flatten().unwrap_or(0);
        let end = memchr::memchr(delimiter, &row.as_bytes()[quoted..]).map(|at| quoted + at);
        rest = end.map(|end| &row[end + 1..]);
        Some(unquoted(&row[..end.unwrap_or(row.len())]))
    })
}

/// Returns the position after the closing quote of a field.
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
    // Fast path: most fields start and end with a visible character.
    let field = match field.as_bytes() {
        [b'!'..=b'~', .., b'!'..=b'~'] => field,
        _ => field.trim(),
    };
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

#[derive(Debug, Default)]
struct Csv {
    delimiter: Option<u8>,
    names: Vec<String>,
    /// True if the first line contains values instead of column names.
    is_headerless: bool,
    /// Fields of the first line if some are years, which may be names or values.
    year_header: Vec<String>,
    columns: Vec<ValueStats>,
    rows: u64,
    malformed: u64,
    /// Lines of a row with an unclosed quoted field.
    open: String,
    open_lines: usize,
}

impl Recognizer for Csv {
    fn push_line(&mut self, line: Line<'_>) -> Mark {
        if line.text.trim().is_empty() && self.open.is_empty() {
            return Mark::Noise;
        }
        let is_first = self.delimiter.is_none();
        let delimiter = *self.delimiter.get_or_insert_with(|| guess_delimiter(line.text));
        if self.has_stray_quote(line.text, delimiter) {
            let row = std::mem::take(&mut self.open);
            self.open_lines = 0;
            self.row(&row, false);
        }
        if self.open.is_empty() && !is_open(line.text, delimiter) {
            return self.row(line.text, is_first);
        }
        if !self.open.is_empty() {
            self.open.push('\n');
        }
        self.open.push_str(line.text);
        self.open_lines += 1;
        if is_open(&self.open, delimiter) && self.open_lines < MAX_ROW_LINES {
            return if self.rows <= 3 { Mark::Weight(36) } else { Mark::Noise };
        }
        let (row, lines) = (std::mem::take(&mut self.open), std::mem::take(&mut self.open_lines));
        if lines >= MAX_ROW_LINES {
            self.malformed += lines as u64;
            return Mark::Plain;
        }
        self.row(&row, self.names.is_empty())
    }

    fn can_resume(&self) -> bool {
        // Any line with enough commas may be a row.
        false
    }

    fn report(mut self: Box<Self>, context: &ReportContext) -> Option<Report> {
        self.malformed += self.open_lines as u64;
        self.resolve_year_header();
        if self.rows == 0 || self.malformed > self.rows {
            return None;
        }
        let malformed = match self.malformed {
            0 => String::new(),
            count if count * 20 > self.rows && self.delimiter != Some(b'\t') => format!(
                ", {} with a different number of fields (not in the values below)",
                counted(count, "line")
            ),
            count => format!(", {} with a different number of fields", counted(count, "line")),
        };
        let mut report = Report::with_summary(
            format!("{}, {} columns{malformed}", self.describe_rows(), self.names.len()),
            Quotes::Marked,
        );
        let max_items = if context.max_bytes > 2_000 { 10 } else { 4 };
        for (index, (name, values)) in self.names.iter().zip(&self.columns).enumerate() {
            report.add_field(
                80 - index.min(60) as u32,
                format!("{name}: {}", values.describe(max_items)),
            );
        }
        Some(report)
    }
}

impl Csv {
    /// Returns true if the open row is complete without its quote, and so is the next line.
    fn has_stray_quote(&self, next: &str, delimiter: u8) -> bool {
        let is_row = |text: &str| text.split(char::from(delimiter)).count() == self.names.len();
        self.open_lines == 1 && is_row(&self.open) && is_row(next)
    }

    fn row(&mut self, row: &str, is_first: bool) -> Mark {
        let delimiter = self.delimiter.unwrap_or(b',');
        if is_first && self.header(row, delimiter) {
            return Mark::FAILURE;
        }
        let fields: Vec<&str> = fields(row, delimiter).collect();
        let count = fields.len();
        // A row with some fields more or less is still a row.
        if count * 2 <= self.names.len()
            || count == 1 && self.names.len() > 1 && !row.contains(char::from(delimiter))
            || self.has_other_types(&fields)
        {
            return Mark::Foreign;
        }
        if fields == self.names {
            // The header of another file of the same kind.
            return Mark::Noise;
        }
        let is_ragged = count != self.names.len();
        let is_far = count.abs_diff(self.names.len()) > max_stray_delimiters(delimiter);
        if is_far && self.rows >= MIN_EQUAL_ROWS && self.malformed == 0 {
            return Mark::Foreign;
        }
        self.malformed += u64::from(is_ragged);
        // A comma may be part of a field without quotes, so it is unknown which columns the values are in. A tab is not.
        if !is_ragged || delimiter == b'\t' {
            self.rows += 1;
            for (column, value) in self.columns.iter_mut().zip(fields) {
                column.add(value);
            }
        }
        match is_ragged {
            // Only the first are examples.
            true if self.malformed <= 3 => Mark::REASON,
            false if self.rows <= 3 => Mark::Weight(40 - self.rows as u32),
            _ => Mark::Noise,
        }
    }

    /// Returns true if most columns that had only numbers so far have something else in this row.
    fn has_other_types(&self, fields: &[&str]) -> bool {
        self.rows >= MIN_TYPED_ROWS
            && fields.len() == self.names.len()
            && has_other_types(&self.columns, fields.iter().copied())
    }

    /// Reads the first row; returns true if it contains column names.
    fn header(&mut self, row: &str, delimiter: u8) -> bool {
        self.is_headerless = fields(row, delimiter).any(is_value);
        if !self.is_headerless && fields(row, delimiter).any(is_year) {
            self.year_header = fields(row, delimiter).map(str::to_owned).collect();
        }
        self.names = if self.is_headerless {
            (1..=fields(row, delimiter).count()).map(|number| format!("column {number}")).collect()
        } else {
            fields(row, delimiter).map(str::to_owned).collect()
        };
        self.columns = vec![ValueStats::default(); self.names.len()];
        !self.is_headerless
    }

    /// Treats years in the first line as values if the columns below contain years, else as names.
    fn resolve_year_header(&mut self) {
        let first = std::mem::take(&mut self.year_header);
        let mut year_columns = first.iter().zip(&self.columns).filter(|(field, _)| is_year(field));
        if first.is_empty() || !year_columns.all(|(_, values)| values.is_within(YEARS)) {
            return;
        }
        self.is_headerless = true;
        self.rows += 1;
        for ((column, name), value) in self.columns.iter_mut().zip(&mut self.names).zip(&first) {
            column.add(value);
            *name = format!("column of {value}");
        }
    }

    /// Describes the row count; if all columns are text, the first line may be a header or a row.
    fn describe_rows(&self) -> String {
        match () {
            () if self.is_headerless => format!("{} rows without a header", grouped(self.rows)),
            () if self.columns.iter().all(|values| values.type_name() == "text") => {
                format!("{} rows below the first line", grouped(self.rows))
            }
            () => format!("{} rows", grouped(self.rows)),
        }
    }
}

fn guess_delimiter(row: &str) -> u8 {
    DELIMITERS.into_iter().max_by_key(|delimiter| fields(row, *delimiter).count()).unwrap_or(b',')
}

const YEARS: std::ops::RangeInclusive<f64> = 1900.0..=2100.0;

/// Returns true for a number or a date, which is not a column name; years may be either.
fn is_value(field: &str) -> bool {
    let is_number = !field.is_empty() && field.parse::<f64>().is_ok_and(f64::is_finite);
    is_number && !is_year(field) || looks_like_date(field)
}

fn is_year(field: &str) -> bool {
    field.len() == 4
        && field.parse().is_ok_and(|number: f64| number.fract() == 0.0 && YEARS.contains(&number))
}
