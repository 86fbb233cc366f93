//! Edit distance between two spellings (optimal string alignment).

/// Maximum edit distance at which a word of this length still counts as a typo.
pub fn max_edits(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=6 => 1,
        _ => 2,
    }
}

/// Finds the name that a misspelt one most likely means, if one is near enough.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let max = max_edits(name);
    let near =
        names.into_iter().filter_map(|known| Some((edit_distance(name, known, max)?, known)));
    near.min().map(|(_, known)| known)
}

/// Edit distance (insertion, deletion, substitution, transposition), if at max `max`.
pub fn edit_distance(one: &str, other: &str, max: usize) -> Option<usize> {
    if !one.is_ascii() || !other.is_ascii() {
        let letters = |word: &str| word.chars().collect::<Vec<char>>();
        return bounded_distance(&letters(one), &letters(other), max);
    }
    if exceeds_by_letters(one, other, max) {
        None
    } else {
        bounded_distance(one.as_bytes(), other.as_bytes(), max)
    }
}

/// Recursive search; for the small maxima used here it is faster than a dynamic programming table.
fn bounded_distance<Letter: PartialEq>(
    one: &[Letter],
    other: &[Letter],
    max: usize,
) -> Option<usize> {
    if one.len().abs_diff(other.len()) > max {
        return None;
    }
    let alike = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[alike..], &other[alike..]);
    let ([first, after_one @ ..], [second, after_other @ ..]) = (one, other) else {
        return Some(one.len().max(other.len()));
    };
    let left = max.checked_sub(1)?;
    let is_swapped = after_one.first() == Some(second) && after_other.first() == Some(first);
    let swapped = is_swapped.then(|| (&after_one[1..], &after_other[1..]));
    let edited = [(after_one, after_other), (after_one, other), (one, after_other)];
    let ways = edited.into_iter().chain(swapped);
    let further = ways.filter_map(|(one, other)| bounded_distance(one, other, left)).min()?;
    Some(1 + further)
}

/// Lower bound from the letter sets of ASCII words: one edit changes at max two of them.
fn exceeds_by_letters(one: &str, other: &str, max: usize) -> bool {
    let letters = |word: &str| word.bytes().fold(0_u32, |all, byte| all | 1 << (byte & 31));
    one.len().abs_diff(other.len()) > max
        || (letters(one) ^ letters(other)).count_ones() as usize > 2 * max
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_nearest_name() {
        let names = ["digest.budget", "get.budget", "run.timeout_ms"];
        assert_eq!(nearest("digest.budgt", names), Some("digest.budget"));
        assert_eq!(nearest("gte.budget", names), Some("get.budget"));
        assert_eq!(nearest("colour", names), None);
    }

    #[test]
    fn counts_edits() {
        for (one, other, expect) in [
            ("store", "store", Some(0)),
            ("stroe", "store", Some(1)),
            ("stoe", "store", Some(1)),
            ("storre", "store", Some(1)),
            ("stare", "store", Some(1)),
            ("migratoin", "migrations", Some(2)),
            ("receive", "believe", None),
            ("über", "uber", Some(1)),
            ("", "ab", Some(2)),
        ] {
            assert_eq!(edit_distance(one, other, 2), expect, "{one} {other}");
        }
    }

    /// Reference implementation by dynamic programming.
    fn distance_by_table(one: &str, other: &str, max: usize) -> Option<usize> {
        let one: Vec<char> = one.chars().collect();
        let other: Vec<char> = other.chars().collect();
        let mut before: Vec<usize> = Vec::new();
        let mut last: Vec<usize> = (0..=other.len()).collect();
        for at in 1..=one.len() {
            let mut row = vec![at; other.len() + 1];
            for to in 1..=other.len() {
                let differs = usize::from(one[at - 1] != other[to - 1]);
                row[to] = (last[to - 1] + differs).min(last[to] + 1).min(row[to - 1] + 1);
                let swapped = at > 1
                    && to > 1
                    && one[at - 1] == other[to - 2]
                    && one[at - 2] == other[to - 1];
                if swapped {
                    row[to] = row[to].min(before[to - 2] + 1);
                }
            }
            before = std::mem::replace(&mut last, row);
        }
        last.last().copied().filter(|edits| *edits <= max)
    }

    proptest! {
        #[test]
        fn matches_the_dynamic_programming_table(one in "[abcä]{0,9}", other in "[abcä]{0,9}", max in 0_usize..4) {
            prop_assert_eq!(edit_distance(&one, &other, max), distance_by_table(&one, &other, max));
        }

        #[test]
        fn finds_a_single_edit(word in "[a-z]{4,12}", at in 0_usize..12, letter in "[a-z]") {
            let at = at % word.len();
            let mut other = word.clone();
            other.replace_range(at..=at, &letter);
            prop_assert!(edit_distance(&word, &other, 1).is_some());
            other = word.clone();
            other.insert_str(at, &letter);
            prop_assert_eq!(edit_distance(&word, &other, 2), Some(1));
            prop_assert_eq!(edit_distance(&other, &word, 2), Some(1));
        }

        #[test]
        fn accepts_any_two_texts(one in any::<String>(), other in any::<String>(), max in 0_usize..4) {
            prop_assert_eq!(edit_distance(&one, &other, max), edit_distance(&other, &one, max));
        }
    }
}
