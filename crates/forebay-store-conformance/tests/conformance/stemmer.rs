//! The stemmer agrees with SQLite's porter stemmer, which earlier versions used.

use forebay_text::stem::stem;
use proptest::prelude::*;

const ENDINGS: &[&str] = &[
    "", "s", "es", "ies", "ed", "eed", "ing", "y", "ational", "tional", "enci", "anci", "izer",
    "bli", "ably", "alli", "entli", "eli", "ousli", "ization", "ation", "ator", "alism", "iveness",
    "fulness", "ousness", "aliti", "iviti", "biliti", "logi", "logy", "icate", "ative", "alize",
    "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant",
    "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "e", "ll",
    "sses",
];

const BEGINNINGS: &[&str] = &[
    "connect", "hop", "tann", "fil", "fall", "hiss", "fizz", "conflat", "troubl", "siz", "relat",
    "cond", "vaul", "digit", "conform", "radic", "differ", "vile", "analog", "vietnam", "predic",
    "oper", "feud", "decis", "hope", "call", "form", "sens", "triplic", "electr", "good", "reviv",
    "allow", "infer", "airlin", "gyroscop", "adjust", "defens", "irrit", "replac", "adopt",
    "homolog", "commun", "activ", "angul", "effect", "bowdl", "prob", "rat", "ceas", "controll",
    "roll", "sky", "happ", "a", "be", "yy", "tr", "abil", "parse", "quer", "index", "token",
];

/// Returns the terms of SQLite's own index for these words.
fn stems_by_sqlite(words: &[String]) -> Vec<String> {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE VIRTUAL TABLE t USING fts5 (w, tokenize = 'porter unicode61');
             CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')",
        )
        .unwrap();
    for (index, word) in words.iter().enumerate() {
        let row = (index as i64 + 1, word);
        connection.execute("INSERT INTO t (rowid, w) VALUES (?1, ?2)", row).unwrap();
    }
    let mut statement = connection.prepare("SELECT term FROM v ORDER BY doc").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[track_caller]
fn assert_stems(words: &[String]) {
    for (word, expect) in words.iter().zip(stems_by_sqlite(words)) {
        assert_eq!(stem(word), expect, "{word}");
    }
}

#[test]
fn stems_agree_with_sqlite() {
    let words: Vec<String> = BEGINNINGS
        .iter()
        .flat_map(|prefix_key| ENDINGS.iter().map(move |ending| format!("{prefix_key}{ending}")))
        .collect();
    assert_stems(&words);
}

proptest! {
    #[test]
    fn stems_of_random_letters_agree_with_sqlite(words in proptest::collection::vec("[a-z]{1,12}", 1..50)) {
        assert_stems(&words);
    }
}
