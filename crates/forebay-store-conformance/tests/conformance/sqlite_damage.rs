//! A damaged SQLite file: never wrong bytes with success, and what is whole is saved.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_domain::{Ending, Reference};
use forebay_store::prelude::*;
use forebay_store::{Store, StoreError};
use forebay_store_sqlite::SqliteStore;

use crate::engine::{decision, put_note, put_run, query, raw_of};

/// Xorshift: the same damage in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A database with entries of many sizes, all of it in the main file.
struct Seeded {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
    entries: Vec<(Reference, Vec<u8>)>,
}

impl Seeded {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seed/store.db");
        let store = SqliteStore::open(&path).unwrap();
        let mut entries = Vec::new();
        for number in 0..60_usize {
            let lines = [3, 40, 900, 4_000][number % 4];
            let text: String = (0..lines)
                .map(|line| format!("line {line} of run {number}: {}\n", line * 7_919 % 10_007))
                .collect();
            let entry = put_run(&store, "make", text.as_bytes(), Ending::Exited(0));
            entries.push((entry.reference, text.into_bytes()));
            let text = format!("decision {number}: use port {}", 8_000 + number);
            entries.push((put_note(&store, &text, decision(None)).reference, text.into_bytes()));
        }
        drop(store);
        checkpoint(&path);
        let bytes = fs::read(&path).unwrap();
        Self { folder, bytes, entries }
    }

    /// Returns a database with these bytes.
    fn with_bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name).join("store.db");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn checkpoint(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}

/// Changes a bit, or overwrites a stretch with noise or with another page.
fn damage(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(4) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => {
            let end = bytes.len().min(at + 1 + random.below(4_096));
            bytes[at..end].iter_mut().for_each(|byte| *byte = random.next() as u8);
        }
        _ => {
            let pages = bytes.len() / 4_096;
            let (from, to) = (random.below(pages) * 4_096, random.below(pages) * 4_096);
            bytes.copy_within(from..from + 4_096, to);
        }
    }
}

/// Reads every entry as a whole and from a line on; returns how many could not be read.
fn check_reads(store: &dyn Store, seeded: &Seeded, random: &mut Random) -> usize {
    let mut unreadable = 0;
    for (reference, expected) in &seeded.entries {
        match raw_of(store, *reference) {
            Ok(raw) => assert!(raw == *expected, "{reference} was read with other bytes"),
            Err(_) => unreadable += 1,
        }
        let lines: Vec<&[u8]> = expected.split_inclusive(|byte| *byte == b'\n').collect();
        let line = random.below(lines.len());
        let mut read = Vec::new();
        let result = store.line_start(*reference, line as u64 + 1).and_then(|start| {
            store.read(*reference, start, &mut |piece| {
                read.extend_from_slice(piece);
                read.len() < lines[line].len()
            })
        });
        let is_same = read.starts_with(lines[line]);
        assert!(result.is_err() || is_same, "{reference} line {line} was read with other bytes");
    }
    unreadable
}

#[test]
fn a_damaged_file_never_returns_other_bytes() {
    let seeded = Seeded::new();
    let mut random = Random(0x5EED);
    let mut noticed = 0;
    for round in 0..120 {
        let mut bytes = seeded.bytes.clone();
        damage(&mut bytes, &mut random);
        let path = seeded.with_bytes(&format!("round-{round}"), &bytes);
        let Ok(store) = SqliteStore::open(&path) else { continue };
        noticed += check_reads(&store, &seeded, &mut random);
        // A search may find less, but it must come to an end.
        if let Ok(candidates) = store.candidates(&query("decision port run")) {
            let _ = store.load_hits(&candidates);
        }
    }
    assert!(noticed > 0, "the damage never hit content");
}

/// Overwrites the compressed data of one part in the file.
fn damage_part(path: &Path, blob_bytes: usize, start: usize) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let changed = connection
        .execute(
            "UPDATE blob_part SET data = CAST(substr(data, 1, 40) || x'00ff00ff' || substr(data, 45) AS BLOB)
             WHERE start = ?2 AND blob = (SELECT id FROM blob WHERE bytes = ?1)",
            (blob_bytes as i64, start as i64),
        )
        .unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn damage_is_located_and_the_rest_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path).unwrap();
    let text: String = (1..=5_000).map(|line| format!("line number {line}\n")).collect();
    let reference = put_run(&store, "seq", text.as_bytes(), Ending::Exited(0)).reference;
    drop(store);
    damage_part(&path, text.len(), 32_768);

    let store = SqliteStore::open(&path).unwrap();
    let error = raw_of(&store, reference).unwrap_err();
    let StoreError::Damaged { reference: named, damage } = &error else { panic!("{error:?}") };
    assert_eq!(*named, reference);
    let lines = damage.lines.unwrap();
    assert!(lines.first > 1 && lines.last.unwrap() < 5_000, "{damage:?}");
    let after = lines.last.unwrap() + 1;
    assert_eq!(damage.whole_lines(), format!("1-{},{after}-", lines.first - 1));
    let start = store.line_start(reference, after).unwrap();
    let mut rest = Vec::new();
    store
        .read(reference, start, &mut |piece| {
            rest.extend_from_slice(piece);
            true
        })
        .unwrap();
    assert!(rest.starts_with(format!("line number {after}\n").as_bytes()));
    assert!(rest.ends_with(b"line number 5000\n"));
}

#[test]
fn storing_the_same_content_again_mends_it() {
    let small = "a few words\n".to_owned();
    let large: String = (0..200_000).map(|line| format!("line number {line}\n")).collect();
    for text in [small, large] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = SqliteStore::open(&path).unwrap();
        let old = put_run(&store, "seq", text.as_bytes(), Ending::Exited(0)).reference;
        drop(store);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute("UPDATE blob_part SET data = x'00' WHERE start = 0", []).unwrap();
        drop(connection);
        let store = SqliteStore::open(&path).unwrap();
        assert!(raw_of(&store, old).is_err());
        let new = put_run(&store, "seq", text.as_bytes(), Ending::Exited(0)).reference;
        for reference in [old, new] {
            assert!(raw_of(&store, reference).unwrap() == text.as_bytes());
        }
    }
}

#[test]
fn what_is_whole_is_salvaged_to_a_new_file() {
    let seeded = Seeded::new();
    let mut random = Random(0xBAD);
    let (mut salvaged, mut total) = (0, 0);
    for round in 0..30 {
        let mut bytes = seeded.bytes.clone();
        // The first page has the schema; without it nothing can be read.
        damage(&mut bytes[4_096..], &mut random);
        let path = seeded.with_bytes(&format!("salvage-{round}"), &bytes);
        let result = forebay_store_sqlite::salvage(&path, &mut |_| ()).unwrap();
        assert!(fs::read(&path).unwrap() == bytes, "the damaged file is only read");
        let store = SqliteStore::open(&result.path).unwrap();
        assert_eq!(store.deep_problems().unwrap(), Vec::<String>::new());
        let unreadable = check_reads(&store, &seeded, &mut random);
        salvaged += seeded.entries.len() - unreadable;
        total += seeded.entries.len();
        drop(store);
        let aside = forebay_store_sqlite::install(&path, &result.path).unwrap();
        assert!(fs::read(&aside).unwrap() == bytes, "the damaged file is kept");
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(check_reads(&store, &seeded, &mut random), unreadable);
    }
    assert!(salvaged * 100 >= total * 85, "{salvaged} of {total}");
}

#[test]
fn a_deep_check_finds_nothing_wrong_with_an_intact_store() {
    let seeded = Seeded::new();
    let path = seeded.with_bytes("intact", &seeded.bytes);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.deep_problems().unwrap(), Vec::<String>::new());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("DELETE FROM word_segment WHERE side = 0", []).unwrap();
    let problems = store.deep_problems().unwrap();
    assert!(problems.iter().any(|problem| problem.contains("search index")), "{problems:?}");
}
