//! CSV: whole rows, the header in the title of each chunk.

use super::{Cut, Piece, lines, pack};
use crate::{cut, number};

const MAX_HEADER_BYTES: usize = 120;

/// Chunks of whole rows, titled by columns and row numbers.
pub(super) fn chunks(text: &str) -> Vec<Piece> {
    let rows = row_starts(text);
    let header_end = rows.get(1).copied().unwrap_or(text.len());
    let header = cut::one_line(&text[..header_end], MAX_HEADER_BYTES);
    let cuts = rows.iter().map(|at| Cut::within(*at)).collect();
    let mut pieces = pack(text, cuts);
    for piece in &mut pieces {
        // The header is not counted, so the first row is number 1.
        let first = rows.partition_point(|at| *at <= piece.start).saturating_sub(1).max(1);
        let last = rows.partition_point(|at| *at < piece.end).saturating_sub(1).max(first);
        let range =
            format!("rows {}-{}", number::grouped(first as u64), number::grouped(last as u64));
        piece.title = format!("{header} · {range}");
    }
    pieces
}

/// Offsets of rows; a newline inside quotes does not end one.
fn row_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut is_quoted = false;
    for (at, line) in lines(text) {
        if !is_quoted {
            starts.push(at);
        }
        is_quoted ^= line.matches('"').count() % 2 == 1;
    }
    starts
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, chunks};

    #[test]
    fn chunks_are_titled_by_header_and_rows() {
        let row = |id: usize| format!("{id},\"a\nb {}\"\n", "x".repeat(700));
        let text = format!("id,note\n{}{}{}", row(1), row(2), row(3));
        let pieces = chunks(&text, Format::Csv);
        let titles: Vec<&str> = pieces.iter().map(|piece| piece.title.as_str()).collect();
        assert_eq!(titles, ["id,note · rows 1-2", "id,note · rows 3-3"]);
        assert_eq!(pieces[1].lines, (6, 7));
    }
}
