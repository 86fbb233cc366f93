//! Parses counts in a line: `3 failed`, `Failures: 1`.

/// A larger number is no count of anything; sums and differences of a few smaller ones cannot overflow.
const MAX: u64 = 1_000_000_000_000;

/// Parses a number that is small enough for a count.
pub(crate) fn parse(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|number| *number <= MAX)
}

/// Returns the number right before a word: 3 in `3 failed`.
pub(crate) fn before(line: &str, word: &str) -> Option<u64> {
    let mut from = 0;
    while let Some(found) = line[from..].find(word) {
        let at = from + found;
        from = at + word.len();
        let ends = !line[from..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(number) = ends.then(|| last_number(&line[..at])).flatten() {
            return Some(number);
        }
    }
    None
}

/// Returns the number right after a label: 1 in `Failures: 1`.
pub(crate) fn after(line: &str, label: &str) -> Option<u64> {
    let at = line.find(label)? + label.len();
    first_number(line[at..].trim_start_matches([' ', ':', '=']))
}

/// Parses the number at the start of a text.
pub(crate) fn first_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len());
    parse(&text[..end].trim_end_matches(',').replace(',', ""))
}

fn last_number(text: &str) -> Option<u64> {
    let text = text.strip_suffix(' ')?;
    let start = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',').len();
    parse(&text[start..].trim_start_matches(',').replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_counts_beside_words() {
        assert_eq!(before("test result: ok. 12 passed; 1,003 failed", "failed"), Some(1_003));
        assert_eq!(before("no test failed, 2 failed", "failed"), Some(2));
        assert_eq!(before("failed", "failed"), None);
        assert_eq!(before("3 failed_tests", "failed"), None);
        assert_eq!(after("Tests run: 5, Failures: 1", "Failures:"), Some(1));
        assert_eq!(after("Failures: none", "Failures:"), None);
        assert_eq!(before("18446744073709551615 failed", "failed"), None);
    }
}
