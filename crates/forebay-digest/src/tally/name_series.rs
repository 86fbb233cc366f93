//! Collapses numbered names: `photo-000.jpg … photo-139.jpg (140)`.

/// Shorter series are listed name by name.
const MIN_SERIES_LEN: usize = 4;

/// Lists names with series that differ only in digits collapsed, as many as fit in `max_bytes`.
pub(crate) fn list_series(names: &[&str], separator: &str, max_bytes: usize) -> String {
    let mut shown = String::new();
    let mut remaining = names.len();
    for run in names.chunk_by(|one, other| equal_except_digits(one, other)) {
        for piece in format_run(run) {
            if shown.len() + piece.0.len() + separator.len() > max_bytes && !shown.is_empty() {
                return format!("{shown}{separator}+{remaining} more");
            }
            if !shown.is_empty() {
                shown.push_str(separator);
            }
            shown.push_str(&piece.0);
            remaining -= piece.1;
        }
    }
    shown
}

/// Formats a run as pieces, each with the number of names it covers.
fn format_run(run: &[&str]) -> Vec<(String, usize)> {
    match run {
        [first, .., last] if run.len() >= MIN_SERIES_LEN => {
            vec![(format!("{first} … {last} ({})", run.len()), run.len())]
        }
        _ => run.iter().map(|name| ((*name).to_owned(), 1)).collect(),
    }
}

fn equal_except_digits(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.bytes().filter(|byte| !byte.is_ascii_digit()).collect::<Vec<_>>();
    one.len() < other.len() + 3 && bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapses_numbered_names() {
        let names = ["a.txt", "b-1", "b-2", "b-3", "b-4", "c"];
        assert_eq!(list_series(&names, ", ", 100), "a.txt, b-1 … b-4 (4), c");
        assert_eq!(list_series(&names, ", ", 8), "a.txt, +5 more");
        assert_eq!(list_series(&[], ", ", 8), "");
    }
}
