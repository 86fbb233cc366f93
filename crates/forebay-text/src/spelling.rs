//! How far two spellings are apart.

/// How many slips a word of this length may have and still be meant.
pub fn slips_allowed(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=6 => 1,
        _ => 2,
    }
}

/// The slips between two spellings (a letter more, less, other, or two swapped), if there are at most `most`.
pub fn slips(one: &str, other: &str, most: usize) -> Option<usize> {
    if !one.is_ascii() || !other.is_ascii() {
        let letters = |word: &str| word.chars().collect::<Vec<char>>();
        return fewest(&letters(one), &letters(other), most);
    }
    if are_surely_far(one, other, most) {
        None
    } else {
        fewest(one.as_bytes(), other.as_bytes(), most)
    }
}

/// The fewest slips, if they are at most so many. Few are asked for, so that trying each is quicker than a table.
fn fewest<Letter: PartialEq>(one: &[Letter], other: &[Letter], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let alike = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[alike..], &other[alike..]);
    let ([first, after_one @ ..], [second, after_other @ ..]) = (one, other) else {
        return Some(one.len().max(other.len()));
    };
    let left = most.checked_sub(1)?;
    let is_swapped = after_one.first() == Some(second) && after_other.first() == Some(first);
    let swapped = is_swapped.then(|| (&after_one[1..], &after_other[1..]));
    let slipped = [(after_one, after_other), (after_one, other), (one, after_other)];
    let ways = slipped.into_iter().chain(swapped);
    let further = ways.filter_map(|(one, other)| fewest(one, other, left)).min()?;
    Some(1 + further)
}

/// Whether the letters of ASCII words alone tell that there are more slips: one changes at most two of them.
fn are_surely_far(one: &str, other: &str, most: usize) -> bool {
    let letters = |word: &str| word.bytes().fold(0_u32, |all, byte| all | 1 << (byte & 31));
    one.len().abs_diff(other.len()) > most
        || (letters(one) ^ letters(other)).count_ones() as usize > 2 * most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slips_are_counted() {
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
            assert_eq!(slips(one, other, 2), expect, "{one} {other}");
        }
    }

    /// The same by a table of all beginnings.
    fn by_table(one: &str, other: &str, most: usize) -> Option<usize> {
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
        last.last().copied().filter(|slips| *slips <= most)
    }

    proptest! {
        #[test]
        fn the_fewest_slips_are_those_of_a_table(one in "[abcä]{0,9}", other in "[abcä]{0,9}", most in 0_usize..4) {
            prop_assert_eq!(slips(&one, &other, most), by_table(&one, &other, most));
        }

        #[test]
        fn one_slip_is_found(word in "[a-z]{4,12}", at in 0_usize..12, letter in "[a-z]") {
            let at = at % word.len();
            let mut other = word.clone();
            other.replace_range(at..=at, &letter);
            prop_assert!(slips(&word, &other, 1).is_some());
            other = word.clone();
            other.insert_str(at, &letter);
            prop_assert_eq!(slips(&word, &other, 2), Some(1));
            prop_assert_eq!(slips(&other, &word, 2), Some(1));
        }

        #[test]
        fn any_two_texts_are_compared(one in any::<String>(), other in any::<String>(), most in 0_usize..4) {
            prop_assert_eq!(slips(&one, &other, most), slips(&other, &one, most));
        }
    }
}
