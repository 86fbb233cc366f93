//! Shortens the texts of rows, once their neighbours are known.

use std::borrow::Cow;

use forebay_text::cut;
use forebay_text::number::grouped;

use super::columns::{Columns, Numbered};
use super::fold::Row;

/// Bytes shown of the start of a longer line.
const SHOWN_PREFIX_BYTES: usize = 200;

/// Bytes shown of the end of a longer line.
const SHOWN_SUFFIX_BYTES: usize = 40;

/// Shortens the blanks between columns, then long lines, and appends counts.
pub(super) fn shorten_rows(rows: &mut [Row], keeps_blanks: bool) {
    let shortened = shorten_columns(rows, keeps_blanks);
    for (row, shortened) in rows.iter_mut().zip(shortened) {
        let text = shortened.as_deref().unwrap_or(&row.shown);
        let shown = [&*truncate_line(text, 0), &row.mark].concat();
        row.mark.clear();
        row.shown = shown;
    }
}

fn shorten_columns(rows: &[Row], keeps_blanks: bool) -> Vec<Option<String>> {
    if keeps_blanks {
        return vec![None; rows.len()];
    }
    let lines =
        rows.iter().map(|row| Numbered { first: row.first, last: row.last, text: &row.shown });
    let columns = Columns::new(lines.collect());
    (0..rows.len()).map(|index| columns.shortened(index)).collect()
}

/// Returns the start and the end of a long line; `cut` bytes of it are missing at its end.
pub(super) fn truncate_line(text: &str, cut: u64) -> Cow<'_, str> {
    if cut == 0 && text.len() <= SHOWN_PREFIX_BYTES + SHOWN_SUFFIX_BYTES {
        return Cow::Borrowed(text);
    }
    // The end of a long line often matters as much as its start.
    let end = if cut == 0 { cut::suffix(text, SHOWN_SUFFIX_BYTES) } else { "" };
    let start = cut::prefix(text, SHOWN_PREFIX_BYTES);
    let missing = grouped(cut + (text.len() - start.len() - end.len()) as u64);
    let before_end = if end.is_empty() { "" } else { " …" };
    Cow::Owned(format!("{start}… +{missing} bytes{before_end}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::salience::Salience;

    fn rows(lines: &[&str]) -> Vec<Row> {
        let row = |(number, text): (u64, &&str)| Row {
            first: number,
            last: number,
            has_variants: false,
            shown: (*text).to_owned(),
            mark: String::new(),
            is_blank: text.trim().is_empty(),
            salience: Salience::default(),
            score: None,
            reason: None,
        };
        (1..).zip(lines).map(row).collect()
    }

    #[track_caller]
    fn check(lines: &[&str], keeps_blanks: bool, expect: &[&str]) {
        let mut rows = rows(lines);
        shorten_rows(&mut rows, keeps_blanks);
        let shown: Vec<&str> = rows.iter().map(|row| row.shown.as_str()).collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn truncates_long_lines_with_a_byte_count() {
        let long = "x".repeat(1_300);
        let expect = format!("{}… +1,060 bytes …{}", "x".repeat(200), "x".repeat(40));
        check(&[&long], false, &[&expect]);
    }

    #[test]
    fn blanks_are_shortened_only_between_columns() {
        let quoted = ["expected: a     b", "     got: a    b"];
        check(&quoted, false, &quoted);
        let table = ["NAME      STATE", "queue     idle", "stock     failed"];
        check(&table, false, &["NAME  STATE", "queue  idle", "stock  failed"]);
        check(&table, true, &table);
    }
}
