//! A search over an index segment with any bytes in it ends with hits or an error.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use forebay_app::Call;
use forebay_store::{IndexQuery, SearchIndex as _};
use forebay_store_sqlite::SqliteStore;
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use tempfile::TempDir;

/// The columns of the index that have an encoding of their own.
const COLUMNS: [(&str, &str); 5] = [
    ("word_segment", "members"),
    ("word_segment", "directory"),
    ("word_segment", "vocabulary"),
    ("word_page", "terms"),
    ("word_places", "places"),
];

/// A store with a few indexed texts.
static STORE: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let app = forebay_fuzz::app(folder.path());
    for text in ["alpha beta gamma", "the alphabet of parsers", "error: alpha failed"] {
        let input = serde_json::json!({ "text": text, "source": text });
        app.call("ctx_index", input, &Call::default()).unwrap();
    }
    drop(app);
    let projects = folder.path().join("data/projects");
    let path = std::fs::read_dir(projects)
        .unwrap()
        .flatten()
        .map(|entry| entry.path().join("store.db"))
        .find(|path| path.is_file())
        .unwrap();
    (folder, path)
});

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let (table, column) = COLUMNS[usize::from(choice) % COLUMNS.len()];
    let connection = Connection::open(&STORE.1).unwrap();
    let original: (i64, Vec<u8>) = connection
        .query_row(&format!("SELECT id, {column} FROM {table} LIMIT 1"), [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let update = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1");
    connection.execute(&update, (original.0, bytes)).unwrap();
    search();
    connection.execute(&update, (original.0, &original.1)).unwrap();
});

fn search() {
    let store = SqliteStore::open(&STORE.1).unwrap();
    let query = IndexQuery {
        words: vec!["alpha".to_owned(), "parser".to_owned()],
        prefixes: vec!["alp".to_owned()],
        limit: 10,
        ..IndexQuery::default()
    };
    let phrase = IndexQuery { phrases: vec!["alpha beta".to_owned()], ..query.clone() };
    for query in [query, phrase] {
        if let Ok(candidates) = store.candidates(&query) {
            let _ = store.load_hits(&candidates);
        }
    }
    let _ = store.similar_words("alpah");
    let _ = store.unknown_words(&["alpha".to_owned()]);
}
