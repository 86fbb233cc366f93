//! Database files that are removed, replaced or foreign: noticed before anything is acknowledged.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::{Ending, EntryKind};
use forebay_store::prelude::*;
use forebay_store::{StoreError, own_files};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{new_entry, put_run, raw_of};

/// Changes the files of a store; gets its path and that of another one.
type Change = fn(&Path, &Path);

fn database(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("app/store.db")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// A store with one entry, and a second store in another folder.
fn two_stores(folder: &tempfile::TempDir) -> (SqliteStore, PathBuf) {
    let other = folder.path().join("other/store.db");
    put_run(&SqliteStore::open(&other).unwrap(), "other", b"other", Ending::Exited(0));
    let store = SqliteStore::open(&database(folder)).unwrap();
    put_run(&store, "first", b"first", Ending::Exited(0));
    assert!(store.is_current());
    (store, other)
}

#[test]
fn a_store_that_was_removed_or_replaced_acknowledges_nothing() {
    let changes: [(&str, Change); 5] = [
        ("removed", |path, _| fs::remove_file(path).unwrap()),
        ("renamed", |path, _| fs::rename(path, path.with_extension("old")).unwrap()),
        ("replaced", |path, other| fs::rename(other, path).unwrap()),
        ("log removed", |path, _| fs::remove_file(beside(path, "-wal")).unwrap()),
        ("folder renamed", |path, _| {
            let folder = path.parent().unwrap();
            fs::rename(folder, folder.with_extension("old")).unwrap();
        }),
    ];
    for (name, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = two_stores(&folder);
        change(store.path(), &other);
        assert!(!store.is_current(), "{name}");
        let written = store.put(new_entry(EntryKind::Run, "lost"), b"lost");
        assert!(matches!(written, Err(StoreError::Replaced(_))), "{name}: {written:?}");
    }
}

#[test]
fn a_lost_or_foreign_log_is_reported() {
    let changes: [(&str, Change); 4] = [
        ("is missing", |path, _| fs::remove_file(beside(path, "-wal")).unwrap()),
        ("not its own", |path, _| fs::write(beside(path, "-wal"), [7; 5_000]).unwrap()),
        ("not its own", |path, other| {
            fs::copy(beside(other, "-wal"), beside(path, "-wal")).map(drop).unwrap();
        }),
        ("was missing or empty", |path, _| fs::write(path, b"").unwrap()),
    ];
    for (expected, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = two_stores(&folder);
        let path = store.path().to_owned();
        drop(store);
        // The check looks at files that this process has not opened yet.
        let moved = folder.path().join("moved/store.db");
        fs::rename(path.parent().unwrap(), moved.parent().unwrap()).unwrap();
        change(&moved, &other);
        let store = SqliteStore::open(&moved).unwrap();
        let notices = store.notices().join("\n");
        assert!(notices.contains(expected), "{expected}: {notices:?}");
        let entry = put_run(&store, "works", b"again", Ending::Exited(0));
        assert_eq!(raw_of(&store, entry.reference).unwrap(), b"again");
        drop(store);
        assert!(SqliteStore::open(&moved).unwrap().notices().is_empty(), "reported once");
    }
}

#[test]
fn an_emptied_or_foreign_database_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = two_stores(&folder);
    let path = store.path().to_owned();
    drop(store);
    for file in ["", "-wal", "-shm"] {
        fs::remove_file(beside(&path, file)).unwrap();
    }
    let notices = SqliteStore::open(&path).unwrap().notices().join("\n");
    assert!(notices.contains("was missing or empty"), "{notices}");

    let foreign = folder.path().join("foreign/store.db");
    fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE their (id); INSERT INTO their VALUES (1)").unwrap();
    drop(connection);
    let notices = SqliteStore::open(&foreign).unwrap().notices().join("\n");
    assert!(notices.contains("another program"), "{notices}");
    assert_eq!(
        fs::read_dir(foreign.parent().unwrap())
            .unwrap()
            .flatten()
            .filter(|file| { file.file_name().to_string_lossy().contains("damaged") })
            .count(),
        1
    );
}

#[test]
fn a_new_store_reports_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    for _ in 0..3 {
        let store = SqliteStore::open(&path).unwrap();
        put_run(&store, "run", b"text", Ending::Exited(0));
        assert!(store.notices().is_empty(), "{:?}", store.notices());
    }
}

#[test]
fn open_databases_are_known_also_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = two_stores(&folder);
    let path = store.path().to_owned();
    let (symbolic, hard) = (folder.path().join("symbolic"), folder.path().join("hard"));
    std::os::unix::fs::symlink(&path, &symbolic).unwrap();
    fs::hard_link(&path, &hard).unwrap();
    for file in [path.clone(), beside(&path, "-wal"), beside(&path, "-shm"), symbolic, hard] {
        assert!(own_files::contains_path(&file), "{}", file.display());
    }
    assert!(!own_files::contains_path(&path.with_extension("lock")));
    drop(store);
    assert!(!own_files::contains_path(&path));
}
