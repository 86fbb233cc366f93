//! Names that count up: `photo-000.jpg … photo-139.jpg (140)`.

/// Fewer names than this are listed one by one.
const SHORTEST: usize = 4;

/// The names with runs that differ only in their digits written as one, as many as fit in `room` bytes.
pub(crate) fn listed(names: &[&str], separator: &str, room: usize) -> String {
    let mut shown = String::new();
    let mut left = names.len();
    for run in names.chunk_by(|one, other| alike(one, other)) {
        for piece in written(run) {
            if shown.len() + piece.0.len() + separator.len() > room && !shown.is_empty() {
                return format!("{shown}{separator}+{left} more");
            }
            if !shown.is_empty() {
                shown.push_str(separator);
            }
            shown.push_str(&piece.0);
            left -= piece.1;
        }
    }
    shown
}

/// A run as pieces, each with the number of names it stands for.
fn written(run: &[&str]) -> Vec<(String, usize)> {
    match run {
        [first, .., last] if run.len() >= SHORTEST => {
            vec![(format!("{first} … {last} ({})", run.len()), run.len())]
        }
        _ => run.iter().map(|name| ((*name).to_owned(), 1)).collect(),
    }
}

fn alike(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.bytes().filter(|byte| !byte.is_ascii_digit()).collect::<Vec<_>>();
    one.len() < other.len() + 3 && bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_count_up_are_one() {
        let names = ["a.txt", "b-1", "b-2", "b-3", "b-4", "c"];
        assert_eq!(listed(&names, ", ", 100), "a.txt, b-1 … b-4 (4), c");
        assert_eq!(listed(&names, ", ", 8), "a.txt, +5 more");
        assert_eq!(listed(&[], ", ", 8), "");
    }
}
