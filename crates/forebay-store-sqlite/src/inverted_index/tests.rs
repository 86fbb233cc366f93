//! The index against a plain reading of the same passages.

use std::collections::{BTreeMap, HashSet};

use forebay_store::{IndexQuery, NewChunk};
use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

/// A store's index without the store.
fn database() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let tables = include_str!("../migrations/0010_words.sql");
    let (tables, _) = tables.split_once("-- What was stored before").unwrap();
    connection.execute_batch("CREATE TABLE chunk (id INTEGER PRIMARY KEY, entry INTEGER)").unwrap();
    connection.execute_batch(tables).unwrap();
    connection
}

fn chunk(title: &str, text: &str) -> NewChunk {
    NewChunk { title: title.to_owned(), text: text.to_owned(), ..NewChunk::default() }
}

fn write(connection: &mut Connection, passages: &[(i64, &str)]) {
    let chunks: Vec<NewChunk> = passages.iter().map(|(_, text)| chunk("", text)).collect();
    let chunks: Vec<&NewChunk> = chunks.iter().collect();
    let batch = Batch::of(&chunks);
    let transaction = connection.transaction().unwrap();
    let mut placed = Placed::default();
    for (id, _) in passages {
        transaction.execute("INSERT INTO chunk (id, entry) VALUES (?1, ?1)", [id]).unwrap();
        placed.add(*id);
    }
    batch.write(&transaction, &chunks, placed).unwrap();
    transaction.commit().unwrap();
}

fn found(connection: &Connection, query: &IndexQuery) -> Vec<i64> {
    let segments = Segments::default();
    let best =
        Asked::of(query).best(connection, (&segments, Side::Own), 1_000, |_| Ok(true)).unwrap();
    best.into_iter().map(|(passage, _)| passage).collect()
}

fn words(words: &[&str]) -> IndexQuery {
    IndexQuery { words: words.iter().map(ToString::to_string).collect(), ..IndexQuery::default() }
}

fn forget_passage(connection: &mut Connection, id: i64) {
    let transaction = connection.transaction().unwrap();
    unindex(&transaction, id).unwrap();
    transaction.execute("DELETE FROM chunk WHERE id = ?1", [id]).unwrap();
    transaction.commit().unwrap();
}

fn count(connection: &Connection, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    connection.query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn rare_words_and_short_passages_come_first() {
    let mut connection = database();
    let texts = ["walrus", "walrus and many other words that tell little", "other words", "words"];
    let fill = ["nothing of the kind"; 6];
    let passages: Vec<(i64, &str)> = (1..).zip(texts.into_iter().chain(fill)).collect();
    write(&mut connection, &passages);
    assert_eq!(found(&connection, &words(&["Walrus"])), [1, 2]);
    assert_eq!(found(&connection, &words(&["walrus", "words"]))[0], 1);
    assert!(found(&connection, &words(&["seal"])).is_empty());
}

#[test]
fn phrases_beginnings_and_unwanted_words_are_seen() {
    let mut connection = database();
    write(&mut connection, &[(1, "the HTTP response parser"), (2, "response to an HTTP parser")]);
    write(&mut connection, &[(3, "parseHTTPResponse is quick")]);
    let phrase = IndexQuery { phrases: vec!["http response".into()], ..IndexQuery::default() };
    assert_eq!(HashSet::from_iter(found(&connection, &phrase)), HashSet::from([1, 3]));
    let beginning = IndexQuery { beginnings: vec!["quic".into()], ..IndexQuery::default() };
    assert_eq!(found(&connection, &beginning), [3]);
    let without = IndexQuery { without: vec!["quick".into(), "to an".into()], ..words(&["http"]) };
    assert_eq!(found(&connection, &without), [1]);
}

#[test]
fn what_another_process_has_written_is_left_out() {
    let mut connection = database();
    let chunks = [chunk("", "walrus"), chunk("", "seal"), chunk("", "walrus seal")];
    let chunks: Vec<&NewChunk> = chunks.iter().collect();
    let mut placed = Placed::default();
    placed.skip(1);
    placed.add(7);
    let transaction = connection.transaction().unwrap();
    Batch::of(&chunks).write(&transaction, &chunks, placed).unwrap();
    transaction.commit().unwrap();
    assert_eq!(found(&connection, &words(&["walrus", "seal"])), [7]);
}

#[test]
fn more_passages_than_a_segment_holds_are_all_found() {
    let mut connection = database();
    let (mut gathered, mut ids) = (Gathered::default(), Vec::new());
    let few = builder::MOST_PASSAGES - 1;
    for number in 0..few + 3 {
        let text = if number < few { "walrus" } else { "seal" };
        gathered.add(number as i64, &chunk("", text));
        ids.push(number as i64 + 1);
    }
    let transaction = connection.transaction().unwrap();
    gathered.close().write_as(&transaction, &ids).unwrap();
    transaction.commit().unwrap();
    assert_eq!(count(&connection, "word_segment"), 2);
    let mut seals = found(&connection, &words(&["seal"]));
    seals.sort_unstable();
    assert_eq!(seals, ids[few..]);
}

/// All that there is as one segment, which nobody sees yet.
fn merge_all(connection: &Connection) -> Merged {
    let mut segments = connection.prepare("SELECT id FROM word_segment ORDER BY id").unwrap();
    let ids = segments.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    Merged::of(connection, Side::Own, ids).unwrap()
}

fn put_in_place(connection: &mut Connection, merged: Merged) -> bool {
    let transaction = connection.transaction().unwrap();
    let is_in_place = merged.put_in_place(&transaction).unwrap();
    transaction.commit().unwrap();
    is_in_place
}

#[test]
fn of_two_who_merge_the_same_one_is_in_time() {
    let mut connection = database();
    for id in 1..4 {
        write(&mut connection, &[(id, "walrus tusk")]);
    }
    let (first, second) = (merge_all(&connection), merge_all(&connection));
    write(&mut connection, &[(4, "walrus")]);
    assert!(put_in_place(&mut connection, first));
    assert!(!put_in_place(&mut connection, second));
    assert_eq!(count(&connection, "word_segment"), 2);
    assert_eq!(found(&connection, &words(&["tusk"])).len(), 3);
    assert_eq!(found(&connection, &words(&["walrus"])).len(), 4);
}

#[test]
fn what_was_forgotten_is_not_found_and_goes_with_the_next_merge() {
    let mut connection = database();
    write(&mut connection, &[(1, "walrus tusk"), (2, "walrus")]);
    forget_passage(&mut connection, 1);
    assert_eq!(found(&connection, &words(&["walrus", "tusk"])), [2]);
    let (segments, vocabulary) = (Segments::default(), Vocabulary::default());
    assert_eq!(unknown(&connection, &segments, &["tusk".into()]).unwrap(), ["tusk"]);
    assert!(similar(&connection, (&segments, &vocabulary), "tus").unwrap().is_empty());

    let transaction = connection.transaction().unwrap();
    forget(&transaction).unwrap();
    transaction.commit().unwrap();
    assert_eq!(count(&connection, "word_gone"), 0);
    assert_eq!(found(&connection, &words(&["walrus", "tusk"])), [2]);
    for (table, column) in
        [("word_page", "terms"), ("word_segment", "directory"), ("word_segment", "vocabulary")]
    {
        let sql =
            format!("SELECT count(*) FROM {table} WHERE instr({column}, CAST('tusk' AS BLOB))");
        let left: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}.{column}");
    }
    forget_passage(&mut connection, 2);
    let transaction = connection.transaction().unwrap();
    forget(&transaction).unwrap();
    transaction.commit().unwrap();
    assert_eq!(count(&connection, "word_page") + count(&connection, "word_segment"), 0);
}

#[test]
fn many_small_writes_make_few_segments_and_nothing_is_lost() {
    let mut connection = database();
    for id in 1..=700 {
        write(&mut connection, &[(id, &format!("walrus number w{id} of w{}", id % 7))]);
    }
    assert!(count(&connection, "word_segment") < 30, "{}", count(&connection, "word_segment"));
    assert_eq!(found(&connection, &words(&["walrus"])).len(), 700);
    assert_eq!(found(&connection, &words(&["w333"])), [333]);
    let next = connection.transaction().unwrap();
    assert_eq!(next_passage(&next).unwrap(), 701);
}

#[test]
fn the_id_of_a_forgotten_passage_is_not_given_out_again() {
    let mut connection = database();
    write(&mut connection, &[(1, "walrus"), (2, "seal")]);
    forget_passage(&mut connection, 2);
    let transaction = connection.transaction().unwrap();
    assert_eq!(next_passage(&transaction).unwrap(), 3);
}

#[test]
fn a_slip_and_a_part_lead_to_words_of_any_segment() {
    let mut connection = database();
    write(&mut connection, &[(1, "configuration of the migration")]);
    write(&mut connection, &[(2, "reconfigured sagemaker Übergröße")]);
    let known = (&Segments::default(), &Vocabulary::default());
    let similar = |word: &str| -> Vec<String> {
        let similar = similar(&connection, known, word).unwrap();
        similar.into_iter().map(|similar| similar.word).collect()
    };
    assert_eq!(similar("migratoin"), ["migration"]);
    assert_eq!(similar("onfigur"), ["configuration", "reconfigured"]);
    assert_eq!(similar("maker"), ["sagemaker"]);
    assert_eq!(similar("übergrösse"), ["übergröße"]);
    assert!(similar("zzzzzz").is_empty() && similar("").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_index_finds_what_a_plain_reading_finds(
        texts in prop::collection::vec(prop::collection::vec("[abc]{1,2}", 0..12), 1..40),
        per_write in 1_usize..9,
        gone in prop::collection::vec(0_i64..40, 0..10),
        asked in prop::collection::vec("[abc]{1,2}", 1..4),
        merges in any::<bool>(),
        cleans in any::<bool>(),
    ) {
        let mut connection = database();
        let joined: BTreeMap<i64, String> =
            (1..).zip(texts.iter().map(|words| words.join(" "))).collect();
        let passages: Vec<(i64, &str)> =
            joined.iter().map(|(id, text)| (*id, text.as_str())).collect();
        for some in passages.chunks(per_write) {
            write(&mut connection, some);
        }
        // A merge is made while others write, and put in place when they have.
        let merged = merges.then(|| merge_all(&connection));
        for id in &gone {
            forget_passage(&mut connection, *id);
        }
        if let Some(merged) = merged {
            prop_assert!(put_in_place(&mut connection, merged));
            prop_assert_eq!(count(&connection, "word_segment"), 1);
        }
        if cleans {
            let transaction = connection.transaction().unwrap();
            forget(&transaction).unwrap();
            transaction.commit().unwrap();
        }
        let stands = |id: &i64| !gone.contains(id);
        let any: HashSet<i64> = joined
            .iter()
            .filter(|(id, text)| stands(id) && text.split(' ').any(|word| asked.iter().any(|a| a == word)))
            .map(|(id, _)| *id)
            .collect();
        let asked_words: Vec<&str> = asked.iter().map(String::as_str).collect();
        prop_assert_eq!(HashSet::from_iter(found(&connection, &words(&asked_words))), any);

        let phrase = asked.join(" ");
        let exact: HashSet<i64> = joined
            .iter()
            .filter(|(id, text)| stands(id) && format!(" {text} ").contains(&format!(" {phrase} ")))
            .map(|(id, _)| *id)
            .collect();
        let query = IndexQuery { phrases: vec![phrase], ..IndexQuery::default() };
        prop_assert_eq!(HashSet::from_iter(found(&connection, &query)), exact);
    }
}
