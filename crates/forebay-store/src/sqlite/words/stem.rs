//! The stem that the forms of an English word share, as Porter found it in 1980.

/// Shorter words are stems already, longer ones are no words.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=64;

/// Endings that are replaced where something stands before them.
const DERIVED: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];
const QUALITIES: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];
/// Endings that go where a longer word stands before them; longer ones first.
const LAST: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti",
    "ous", "ive", "ize", "al", "er", "ic", "ou",
];

/// Cuts a word in lower case down to its stem; what is not ASCII stays.
pub(super) fn stem(word: &mut String) {
    if !LETTERS.contains(&word.len()) || !word.is_ascii() {
        return;
    }
    plurals(word);
    past_and_present(word);
    if let Some(rest) = before(word, "y").filter(|rest| has_vowel(rest)) {
        let length = rest.len();
        word.replace_range(length.., "i");
    }
    replace_first(word, DERIVED);
    replace_first(word, QUALITIES);
    drop_last(word);
    tidy_up(word);
}

fn before<'a>(word: &'a str, ending: &str) -> Option<&'a str> {
    word.strip_suffix(ending)
}

fn plurals(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

fn past_and_present(word: &mut String) {
    if let Some(rest) = before(word, "eed") {
        if measure(rest) > 0 {
            word.pop();
        }
        return;
    }
    let rest = before(word, "ed").or_else(|| before(word, "ing"));
    let Some(length) = rest.filter(|rest| has_vowel(rest)).map(str::len) else { return };
    word.truncate(length);
    let is_doubled = ends_doubled(word) && !word.ends_with(['l', 's', 'z']);
    if is_doubled {
        word.pop();
    } else if ["at", "bl", "iz"].iter().any(|ending| word.ends_with(ending))
        || measure(word) == 1 && ends_short(word)
    {
        word.push('e');
    }
}

fn replace_first(word: &mut String, endings: &[(&str, &str)]) {
    let found =
        endings.iter().find_map(|(ending, new)| before(word, ending).map(|rest| (rest, new)));
    if let Some((rest, new)) = found.filter(|(rest, _)| measure(rest) > 0) {
        let length = rest.len();
        word.replace_range(length.., new);
    }
}

fn drop_last(word: &mut String) {
    let found = LAST.iter().find_map(|ending| before(word, ending).map(|rest| (*ending, rest)));
    let Some((ending, rest)) = found else { return };
    if measure(rest) > 1 && (ending != "ion" || rest.ends_with(['s', 't'])) {
        let length = rest.len();
        word.truncate(length);
    }
}

fn tidy_up(word: &mut String) {
    if let Some(rest) = before(word, "e") {
        let measure = measure(rest);
        if measure > 1 || measure == 1 && !ends_short(rest) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.pop();
    }
}

fn is_vowel(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(bytes, at - 1),
        _ => false,
    }
}

/// How often consonants follow vowels.
fn measure(word: &str) -> usize {
    let bytes = word.as_bytes();
    let (mut measure, mut after_vowel) = (0, false);
    for at in 0..bytes.len() {
        // A `y` is a vowel after a consonant.
        let vowel = match bytes[at] {
            b'y' => at > 0 && !after_vowel,
            _ => is_vowel(bytes, at),
        };
        measure += usize::from(after_vowel && !vowel);
        after_vowel = vowel;
    }
    measure
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|at| is_vowel(word.as_bytes(), at))
}

fn ends_doubled(word: &str) -> bool {
    let bytes = word.as_bytes();
    let length = bytes.len();
    length > 1 && bytes[length - 1] == bytes[length - 2] && !is_vowel(bytes, length - 1)
}

/// Consonant, vowel, consonant, and the last none of `w`, `x`, `y`.
fn ends_short(word: &str) -> bool {
    let bytes = word.as_bytes();
    let Some(third) = bytes.len().checked_sub(3) else { return false };
    !is_vowel(bytes, third)
        && is_vowel(bytes, third + 1)
        && !is_vowel(bytes, third + 2)
        && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn forms_of_a_word_share_their_stem() {
        let rows = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("vietnamization", "vietnam"),
            ("decisiveness", "decis"),
            ("hopefulness", "hope"),
            ("electrical", "electr"),
            ("revival", "reviv"),
            ("adjustable", "adjust"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("controll", "control"),
            ("roll", "roll"),
            ("generalizations", "gener"),
            ("oscillators", "oscil"),
            ("is", "is"),
        ];
        for (word, expect) in rows {
            assert_eq!(stemmed(word), expect, "{word}");
        }
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "[a-z0-9äß日]{1,40}") {
            prop_assert!(!stemmed(&word).is_empty());
        }
    }
}
