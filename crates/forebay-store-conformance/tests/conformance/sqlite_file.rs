//! Guarantees of the SQLite file: private, never wiped, renamed when damaged, rejected when newer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forebay_domain::{Ending, EntryKind};
use forebay_store::prelude::*;
use forebay_store::{Home, NewDetail, PurgeSelection, ReindexedChunk, StoreError};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{chunks_of, found, new_entry, put, put_run, raw_of};

fn database(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("home/projects/app/store.db")
}

#[test]
fn sqlite_version_has_no_wal_reset_race() {
    assert!(SqliteStore::engine_version() >= 3_051_003, "older ones can corrupt a shared WAL");
}

#[test]
fn reopening_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let reference =
        put_run(&SqliteStore::open(&path).unwrap(), "once", b"kept", Ending::Exited(0)).reference;
    for _ in 0..3 {
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(raw_of(&store, reference).unwrap(), b"kept");
    }
}

#[test]
fn files_and_folders_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let store = SqliteStore::open(&path).unwrap();
    put_run(&store, "true", b"", Ending::Exited(0));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in ["store.db", "store.db-wal", "store.db-shm", "store.lock"] {
        assert_eq!(mode(&path.with_file_name(file)), 0o600, "{file}");
    }
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&folder.path().join("home")), 0o700);
}

#[test]
fn a_damaged_file_is_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, b"not a database, but bytes of a user".repeat(100)).unwrap();

    let store = SqliteStore::open(&path).unwrap();
    let notices = store.notices().to_vec();
    assert_eq!(notices.len(), 1);
    let aside = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("damaged"))
        .unwrap();
    assert!(notices[0].contains(&*aside.to_string_lossy()), "{notices:?}");
    assert!(fs::read(&aside).unwrap().starts_with(b"not a database"));
    put_run(&store, "works", b"again", Ending::Exited(0));
}

#[test]
fn rejects_a_newer_database_without_changing_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    drop(SqliteStore::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute("INSERT INTO migration (name, checksum) VALUES ('0999_from_the_future', 'x')", [])
        .unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(matches!(&error, StoreError::Newer { migration, .. } if migration.contains("0999")));
    assert!(error.hint().is_some());
}

/// A newer version may migrate the store while processes of this one have it open.
#[test]
fn an_open_store_writes_nothing_after_a_newer_migration() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let before = put_run(&store, "seq 3", b"1 2 3", Ending::Exited(0)).reference;
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer
        .execute_batch(
            "BEGIN IMMEDIATE; CREATE TABLE later (id INTEGER PRIMARY KEY);
             INSERT INTO migration (name, checksum) VALUES ('0999_later', 'x'); COMMIT",
        )
        .unwrap();
    let error = store.put(new_entry(EntryKind::Capture, "later"), b"lost?").unwrap_err();
    assert!(matches!(&error, StoreError::Newer { migration, .. } if migration == "0999_later"));
    assert!(error.hint().unwrap().contains("Restart this session"), "{:?}", error.hint());
    assert_eq!(store.entry(before).unwrap().title, "seq 3", "what can be read is read");
    newer.execute_batch("ALTER TABLE entry RENAME TO moved").unwrap();
    let error = store.entry(before).unwrap_err();
    assert!(matches!(&error, StoreError::Newer { .. }), "{error:?}");
}

#[test]
fn rejects_a_changed_migration() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    drop(SqliteStore::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE migration SET checksum = 'other'", []).unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(StoreError::Altered { .. })));
}

#[test]
fn an_uncreatable_folder_is_an_error_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"").unwrap();
    let error = SqliteStore::open(&folder.path().join("file/below/store.db")).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. } | StoreError::ReadOnly(_)), "{error:?}");
}

#[test]
fn opens_a_new_store_concurrently() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let references: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let path = &path;
                scope.spawn(move || {
                    let store = SqliteStore::open(path).unwrap();
                    let title = format!("thread {number}");
                    put(&store, new_entry(EntryKind::Run, &title), title.as_bytes()).reference
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let store = SqliteStore::open(&path).unwrap();
    for reference in references {
        assert!(store.entry(reference).is_ok());
    }
}

#[test]
fn purged_text_is_erased_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let mut note = new_entry(EntryKind::Note, "xyzzyplughword in the title");
    note.detail = NewDetail::Plain;
    let entry = put(&store, note, b"body with xyzzyplughword");
    let selection =
        PurgeSelection { references: vec![entry.reference], ..PurgeSelection::default() };
    store.purge(&selection, crate::engine::NOW).unwrap();
    drop(store);
    for file in ["store.db", "store.db-wal"] {
        let bytes = fs::read(path.with_file_name(file)).unwrap_or_default();
        let left = bytes.windows(12).any(|window| window == b"xyzzyplughwo");
        assert!(!left, "found in {file}");
    }
}

#[test]
fn lists_every_database() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home"));
    assert!(home.databases().is_empty());
    drop(SqliteStore::open(&database(&folder)).unwrap());
    drop(SqliteStore::open(&home.user_database()).unwrap());
    assert_eq!(home.databases().len(), 2);
}

#[test]
fn reindexes_chunks_of_an_older_index_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let texts = ["fn parseHTTPResponse()", "fn openDoor()", "fn closeDoor()"];
    let stored =
        texts.map(|text| put_run(&store, "cat", text.as_bytes(), Ending::Exited(0)).reference);
    assert!(store.stale_chunks(9).unwrap().is_empty(), "what is stored now needs no renewal");
    // The state before subwords were indexed.
    let before = "DELETE FROM word_segment; DELETE FROM word_page; DELETE FROM word_places;
         UPDATE renewal SET last = (SELECT max(id) FROM chunk)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(before).unwrap();
    assert!(found(&store, "http door").is_empty());

    let step = |at_most: usize| -> Vec<ReindexedChunk> {
        let outdated = store.stale_chunks(at_most).unwrap();
        let renew = outdated.iter().map(|old| {
            let raw = raw_of(&store, old.reference).unwrap();
            ReindexedChunk { chunk_id: old.chunk_id, chunk: chunks_of(&old.title, &raw).remove(0) }
        });
        renew.collect()
    };
    let first = step(2);
    assert_eq!(first.len(), 2);
    store.reindex_chunks(&first).unwrap();
    store.reindex_chunks(&first).unwrap();
    assert_eq!(found(&store, "http door").len(), 2, "the second time was too late");
    store.reindex_chunks(&step(9)).unwrap();
    assert_eq!(found(&store, "door close")[0], stored[2]);
    assert!(store.stale_chunks(9).unwrap().is_empty());
    assert_eq!(store.similar_words("parsehtp").unwrap().len(), 0);
    assert_eq!(store.similar_words("clsoe").unwrap()[0].word, "close");
}

#[test]
fn modes_that_others_or_nobody_can_use_are_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    drop(SqliteStore::open(&path).unwrap());
    for mode in [0o666, 0o444, 0o000] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        put_run(&store, "works", b"again", Ending::Exited(0));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_purge_leaves_no_indexed_word_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let store = SqliteStore::open(&path).unwrap();
    // Enough entries that segments with the words were merged and freed before.
    for number in 0..300 {
        let text = format!("xyzzyplugh{number} common words of entry {number}\n").repeat(3);
        put_run(&store, "make", text.as_bytes(), Ending::Exited(0));
    }
    store.maintain().unwrap();
    for selection in [
        PurgeSelection { session: Some("session-1".to_owned()), ..PurgeSelection::default() },
        PurgeSelection { everything: true, ..PurgeSelection::default() },
    ] {
        store.purge(&selection, crate::engine::NOW).unwrap();
        for file in ["store.db", "store.db-wal"] {
            let bytes = fs::read(path.with_file_name(file)).unwrap_or_default();
            let left = bytes.windows(10).filter(|window| window == b"xyzzyplugh").count();
            assert_eq!(left, 0, "in {file} after {selection:?}");
        }
    }
}

/// Holds the write lock until dropped.
fn long_writer(path: &Path) -> rusqlite::Connection {
    let writer = rusqlite::Connection::open(path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    writer
}

#[test]
fn under_a_long_write_lock_reads_do_not_wait_and_a_write_waits_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let entry = put_run(&store, "first", b"first words", Ending::Exited(0));
    let unindexed = store.put(new_entry(EntryKind::Run, "later"), b"later").unwrap();
    let timeout = std::time::Duration::from_secs(2);
    forebay_store::set_busy_timeout(timeout);
    let writer = long_writer(&path);

    let started = std::time::Instant::now();
    assert_eq!(raw_of(&store, entry.reference).unwrap(), b"first words");
    assert_eq!(found(&store, "first words").len(), 1);
    assert!(store.entry(unindexed.reference).is_ok());
    assert!(started.elapsed() < timeout / 4, "{:?}", started.elapsed());

    let started = std::time::Instant::now();
    let locked = store.put(new_entry(EntryKind::Run, "waits"), b"waits").unwrap_err();
    assert!(matches!(locked, StoreError::Locked(_)), "{locked:?}");
    assert!(started.elapsed() < timeout * 3 / 2, "{:?}", started.elapsed());
    #[cfg(target_os = "linux")]
    {
        let process = format!("Process {} is writing", std::process::id());
        assert!(locked.hint().unwrap().contains(&process), "{:?}", locked.hint());
    }
    drop(writer);
    store.put(new_entry(EntryKind::Run, "works"), b"works").unwrap();
}
