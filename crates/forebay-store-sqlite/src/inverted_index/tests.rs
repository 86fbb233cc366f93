//! Compares the index with a linear scan of the same chunks.

use std::collections::BTreeMap;

use foldhash::HashSet;
use forebay_store::{IndexQuery, NewChunk};
use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

/// Returns a database with the tables of the index only.
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

fn write(connection: &mut Connection, texts: &[(i64, &str)]) {
    let chunks: Vec<NewChunk> = texts.iter().map(|(_, text)| chunk("", text)).collect();
    let chunks: Vec<&NewChunk> = chunks.iter().collect();
    let batch = Batch::new(&chunks);
    let transaction = connection.transaction().unwrap();
    let mut assigned = AssignedIds::default();
    for (id, _) in texts {
        transaction.execute("INSERT INTO chunk (id, entry) VALUES (?1, ?1)", [id]).unwrap();
        assigned.add(*id);
    }
    batch.write(&transaction, &chunks, assigned).unwrap();
    transaction.commit().unwrap();
}

fn found(connection: &Connection, query: &IndexQuery) -> Vec<i64> {
    let segments = SegmentCache::default();
    let scores = TermQuery::new(query).score_field(connection, &segments, Field::Text).unwrap();
    let best = scores.top(1_000, |_| Ok(true)).unwrap();
    best.into_iter().map(|(chunk_id, _)| chunk_id).collect()
}

fn words(words: &[&str]) -> IndexQuery {
    IndexQuery { words: words.iter().map(ToString::to_string).collect(), ..IndexQuery::default() }
}

fn delete_chunk(connection: &mut Connection, id: i64) {
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
fn ranks_rare_words_and_short_chunks_first() {
    let mut connection = database();
    let texts = ["walrus", "walrus and many other words that tell little", "other words", "words"];
    let fill = ["nothing of the kind"; 6];
    let chunks: Vec<(i64, &str)> = (1..).zip(texts.into_iter().chain(fill)).collect();
    write(&mut connection, &chunks);
    assert_eq!(found(&connection, &words(&["Walrus"])), [1, 2]);
    assert_eq!(found(&connection, &words(&["walrus", "words"]))[0], 1);
    assert!(found(&connection, &words(&["seal"])).is_empty());
}

#[test]
fn matches_phrases_prefixes_and_exclusions() {
    let mut connection = database();
    write(&mut connection, &[(1, "the HTTP response parser"), (2, "response to an HTTP parser")]);
    write(&mut connection, &[(3, "parseHTTPResponse is quick")]);
    let phrase = IndexQuery { phrases: vec!["http response".into()], ..IndexQuery::default() };
    assert_eq!(HashSet::from_iter(found(&connection, &phrase)), HashSet::from_iter([1, 3]));
    let prefix_key = IndexQuery { prefixes: vec!["quic".into()], ..IndexQuery::default() };
    assert_eq!(found(&connection, &prefix_key), [3]);
    let without = IndexQuery { excluded: vec!["quick".into(), "to an".into()], ..words(&["http"]) };
    assert_eq!(found(&connection, &without), [1]);
}

#[test]
fn skips_chunks_that_another_process_wrote() {
    let mut connection = database();
    let chunks = [chunk("", "walrus"), chunk("", "seal"), chunk("", "walrus seal")];
    let chunks: Vec<&NewChunk> = chunks.iter().collect();
    let mut assigned = AssignedIds::default();
    assigned.skip(1);
    assigned.add(7);
    let transaction = connection.transaction().unwrap();
    Batch::new(&chunks).write(&transaction, &chunks, assigned).unwrap();
    transaction.commit().unwrap();
    assert_eq!(found(&connection, &words(&["walrus", "seal"])), [7]);
}

#[test]
fn finds_chunks_beyond_the_size_of_a_segment() {
    let mut connection = database();
    let (mut builder, mut ids) = (BatchBuilder::default(), Vec::new());
    let few = builder::MAX_CHUNKS - 1;
    for number in 0..few + 3 {
        let text = if number < few { "walrus" } else { "seal" };
        builder.add(number as i64, &chunk("", text));
        ids.push(number as i64 + 1);
    }
    let transaction = connection.transaction().unwrap();
    builder.close().write_with_ids(&transaction, &ids).unwrap();
    transaction.commit().unwrap();
    assert_eq!(count(&connection, "word_segment"), 2);
    let mut seals = found(&connection, &words(&["seal"]));
    seals.sort_unstable();
    assert_eq!(seals, ids[few..]);
}

/// Merges all segments, without installing the result.
fn merge_all(connection: &Connection) -> MergedSegment {
    let mut segments = connection.prepare("SELECT id FROM word_segment ORDER BY id").unwrap();
    let ids = segments.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    MergedSegment::new(connection, Field::Text, ids).unwrap()
}

fn install(connection: &mut Connection, merged: MergedSegment) -> bool {
    let transaction = connection.transaction().unwrap();
    let is_installed = merged.install(&transaction).unwrap();
    transaction.commit().unwrap();
    is_installed
}

#[test]
fn only_the_first_of_two_concurrent_merges_is_installed() {
    let mut connection = database();
    for id in 1..4 {
        write(&mut connection, &[(id, "walrus tusk")]);
    }
    let (first, second) = (merge_all(&connection), merge_all(&connection));
    write(&mut connection, &[(4, "walrus")]);
    assert!(install(&mut connection, first));
    assert!(!install(&mut connection, second));
    assert_eq!(count(&connection, "word_segment"), 2);
    assert_eq!(found(&connection, &words(&["tusk"])).len(), 3);
    assert_eq!(found(&connection, &words(&["walrus"])).len(), 4);
}

#[test]
fn deleted_chunks_are_not_found_and_dropped_by_a_merge() {
    let mut connection = database();
    write(&mut connection, &[(1, "walrus tusk"), (2, "walrus")]);
    delete_chunk(&mut connection, 1);
    assert_eq!(found(&connection, &words(&["walrus", "tusk"])), [2]);
    let (segments, vocabulary) = (SegmentCache::default(), Vocabulary::default());
    assert_eq!(unknown(&connection, &segments, &["tusk".into()]).unwrap(), ["tusk"]);
    assert!(similar_words(&connection, (&segments, &vocabulary), "tus").unwrap().is_empty());

    let transaction = connection.transaction().unwrap();
    purge_tombstones(&transaction).unwrap();
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
    delete_chunk(&mut connection, 2);
    let transaction = connection.transaction().unwrap();
    purge_tombstones(&transaction).unwrap();
    transaction.commit().unwrap();
    assert_eq!(count(&connection, "word_page") + count(&connection, "word_segment"), 0);
}

#[test]
fn many_small_writes_are_merged_without_loss() {
    let mut connection = database();
    for id in 1..=700 {
        write(&mut connection, &[(id, &format!("walrus number w{id} of w{}", id % 7))]);
    }
    assert!(count(&connection, "word_segment") < 30, "{}", count(&connection, "word_segment"));
    assert_eq!(found(&connection, &words(&["walrus"])).len(), 700);
    assert_eq!(found(&connection, &words(&["w333"])), [333]);
    let next = connection.transaction().unwrap();
    assert_eq!(next_chunk_id(&next).unwrap(), 701);
}

#[test]
fn ids_of_deleted_chunks_are_not_reused() {
    let mut connection = database();
    write(&mut connection, &[(1, "walrus"), (2, "seal")]);
    delete_chunk(&mut connection, 2);
    let transaction = connection.transaction().unwrap();
    assert_eq!(next_chunk_id(&transaction).unwrap(), 3);
}

#[test]
fn finds_similar_words_in_all_segments() {
    let mut connection = database();
    write(&mut connection, &[(1, "configuration of the migration")]);
    write(&mut connection, &[(2, "reconfigured sagemaker Übergröße")]);
    let caches = (&SegmentCache::default(), &Vocabulary::default());
    let similar = |word: &str| -> Vec<String> {
        let similar = similar_words(&connection, caches, word).unwrap();
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
    fn agrees_with_a_linear_scan(
        texts in prop::collection::vec(prop::collection::vec("[abc]{1,2}", 0..12), 1..40),
        per_write in 1_usize..9,
        tombstones in prop::collection::vec(0_i64..40, 0..10),
        query_words in prop::collection::vec("[abc]{1,2}", 1..4),
        merges in any::<bool>(),
        purges in any::<bool>(),
    ) {
        let mut connection = database();
        let joined: BTreeMap<i64, String> =
            (1..).zip(texts.iter().map(|words| words.join(" "))).collect();
        let chunks: Vec<(i64, &str)> =
            joined.iter().map(|(id, text)| (*id, text.as_str())).collect();
        for some in chunks.chunks(per_write) {
            write(&mut connection, some);
        }
        // A merge is computed while others write, and installed afterwards.
        let merged = merges.then(|| merge_all(&connection));
        for id in &tombstones {
            delete_chunk(&mut connection, *id);
        }
        if let Some(merged) = merged {
            prop_assert!(install(&mut connection, merged));
            prop_assert_eq!(count(&connection, "word_segment"), 1);
        }
        if purges {
            let transaction = connection.transaction().unwrap();
            purge_tombstones(&transaction).unwrap();
            transaction.commit().unwrap();
        }
        let exists = |id: &i64| !tombstones.contains(id);
        let expected: HashSet<i64> = joined
            .iter()
            .filter(|(id, text)| exists(id) && text.split(' ').any(|word| query_words.iter().any(|a| a == word)))
            .map(|(id, _)| *id)
            .collect();
        let words_of_query: Vec<&str> = query_words.iter().map(String::as_str).collect();
        prop_assert_eq!(HashSet::from_iter(found(&connection, &words(&words_of_query))), expected);

        let phrase = query_words.join(" ");
        let exact: HashSet<i64> = joined
            .iter()
            .filter(|(id, text)| exists(id) && format!(" {text} ").contains(&format!(" {phrase} ")))
            .map(|(id, _)| *id)
            .collect();
        let query = IndexQuery { phrases: vec![phrase], ..IndexQuery::default() };
        prop_assert_eq!(HashSet::from_iter(found(&connection, &query)), exact);
    }
}
