//! Folds runs of repeated lines into one row with a count.

use forebay_text::cut;
use forebay_text::number::grouped;

use super::shown_text::truncate_line;
use crate::lines::Line;
use crate::salience::Salience;

/// Longer lines are not compared, and only this many bytes of them are kept.
const MAX_COMPARED_BYTES: usize = 2 * 1024;

/// A longer line is cut when its row is made; a shorter one keeps its blanks until its neighbours are known.
const MAX_HELD_BYTES: usize = 600;

/// Up to this many blank lines are shown as one.
const MAX_BLANK_LINES: u64 = 3;

/// The last of similar lines is shown beside the first if it is at most this long.
const MAX_VARIANT_BYTES: usize = 80;

/// Consecutive lines that are equal, or equal except for digits.
#[derive(Debug)]
pub(crate) struct LineRun {
    first: u64,
    count: u64,
    text: String,
    cut: u64,
    salience: Salience,
    /// The last line, if it differs from the first.
    last_variant: Option<String>,
}

/// A run of lines as shown in a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The raw lines it represents.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// True if the lines after the first differ from it in digits.
    pub(crate) has_variants: bool,
    pub(crate) shown: String,
    /// What follows the shown text: the last of similar lines, and the count.
    pub(crate) mark: String,
    pub(crate) is_blank: bool,
    pub(crate) salience: Salience,
    /// Score of the ranked line that it shows.
    pub(crate) score: Option<i32>,
    /// Why that line is ranked so, if asked for.
    pub(crate) reason: Option<String>,
}

impl LineRun {
    pub(crate) fn new(line: Line<'_>, salience: Salience) -> Self {
        let text = cut::prefix(line.text, MAX_COMPARED_BYTES);
        Self {
            first: line.number,
            count: 1,
            text: text.to_owned(),
            cut: line.cut + (line.text.len() - text.len()) as u64,
            salience,
            last_variant: None,
        }
    }

    /// Returns the mask of intent words that its lines contain.
    pub(crate) fn intent_mask(&self) -> u32 {
        self.salience.intent_mask
    }

    /// Returns true if a recognizer considers its lines unnecessary.
    pub(crate) fn is_noise(&self) -> bool {
        self.salience.is_noise
    }

    /// Adds the line if it repeats the run; returns false if it does not.
    ///
    /// Lines that name a failure or a location are only folded if equal, because their numbers
    /// matter.
    pub(crate) fn try_extend(&mut self, line: Line<'_>, is_weighted: bool) -> bool {
        if self.cut > 0 || line.cut > 0 {
            return false;
        }
        let equal = self.text == line.text;
        // A marked line represents only itself.
        let is_distinct = is_weighted || self.salience.is_marked || self.salience.is_specific();
        if !equal && (is_distinct || !equal_except_digits(&self.text, line.text)) {
            return false;
        }
        if !equal || self.last_variant.is_some() {
            let last = self.last_variant.get_or_insert_default();
            last.clear();
            last.push_str(cut::prefix(line.text, MAX_COMPARED_BYTES));
        }
        self.count += 1;
        true
    }

    /// Returns the rows to show: one, or two if folding a pair would hide the second.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = Row> {
        let Self { first, count, text, cut, salience, last_variant } = self;
        let last = first + count - 1;
        let mut row = Row {
            first,
            last,
            has_variants: last_variant.is_some(),
            is_blank: text.trim().is_empty(),
            shown: held_text(text, cut),
            mark: String::new(),
            salience,
            score: None,
            reason: None,
        };
        let end =
            last_variant.as_deref().filter(|text| count > 2 && text.len() <= MAX_VARIANT_BYTES);
        if let Some(end) = end.filter(|end| row.shown.trim() != end.trim()) {
            row.mark = format!(" … {}", end.trim());
        }
        let second = last_variant.filter(|_| count == 2).map(|text| {
            (row.last, row.has_variants) = (first, false);
            Row { first: last, last, shown: held_text(text, 0), ..row.clone() }
        });
        row.append_count();
        std::iter::once(row).chain(second)
    }
}

impl Row {
    pub(crate) fn is_nonblank(&self) -> bool {
        !self.is_blank
    }

    /// Appends the number of lines the row represents; that of blank lines would read as one of the line above.
    fn append_count(&mut self) {
        let count = self.last - self.first + 1;
        if count == 1 || self.is_blank && count <= MAX_BLANK_LINES {
            return;
        }
        if self.is_blank {
            self.shown = format!("×{} blank lines", grouped(count));
            return;
        }
        let count = grouped(count);
        let mark = if self.has_variants {
            format!(" … ×{count} similar")
        } else {
            format!(" ×{count}")
        };
        self.mark.push_str(&mark);
    }
}

fn held_text(text: String, cut: u64) -> String {
    let is_held = cut == 0 && text.len() <= MAX_HELD_BYTES;
    if is_held { text } else { truncate_line(&text, cut).into_owned() }
}

/// Returns true if two texts differ only in their numbers.
fn equal_except_digits(one: &str, other: &str) -> bool {
    let ends = |text: &str| text.as_bytes().last().copied().filter(|byte| !byte.is_ascii_digit());
    if ends(one) != ends(other) {
        return false;
    }
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    let mut in_number = false;
    loop {
        let equal = common_prefix_len(one, other);
        if let Some(last) = equal.checked_sub(1) {
            in_number = one[last].is_ascii_digit();
        }
        let digits = [&one[equal..], &other[equal..]].map(leading_digits);
        // The texts differ here, which is only allowed within numbers.
        if digits == [0, 0] || !in_number && digits.contains(&0) {
            return one.len() == equal && other.len() == equal;
        }
        (one, other) = (&one[equal + digits[0]..], &other[equal + digits[1]..]);
        in_number = true;
    }
}

/// Returns the length of the common prefix.
fn common_prefix_len(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let chunks = 8 * chunks.take_while(|(one, other)| one == other).count();
    let rest = one[chunks..].iter().zip(&other[chunks..]);
    chunks + rest.take_while(|(one, other)| one == other).count()
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], expect: &[&str]) {
        let mut rows = Vec::new();
        let mut open: Option<LineRun> = None;
        for (number, text) in (1..).zip(lines) {
            let line = Line { number, text, cut: 0, has_newline: true };
            if !open.as_mut().is_some_and(|run| run.try_extend(line, false)) {
                rows.extend(open.replace(LineRun::new(line, Salience::default())));
            }
        }
        rows.extend(open);
        let shown: Vec<_> = rows
            .into_iter()
            .flat_map(LineRun::into_rows)
            .map(|row| row.shown + &row.mark)
            .collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn repeated_lines_fold() {
        check(&["a", "a", "b", "a"], &["a ×2", "b", "a"]);
        check(&["at 1", "at 22", "at 3"], &["at 1 … at 3 … ×3 similar"]);
        check(&["at 1", "at 22"], &["at 1", "at 22"]);
        check(&["a1b", "a1c", "ab"], &["a1b", "a1c", "ab"]);
        check(&["a", "", "", "b"], &["a", "", "b"]);
        check(&["a", "", "", "", "", "b"], &["a", "×4 blank lines", "b"]);
    }
}
