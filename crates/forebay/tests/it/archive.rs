//! `forebay export` and `forebay import`: imports are complete and idempotent, and reject damaged archives.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::env::TestEnv;

/// Creates a project with several notes, a source and a run, and exports it.
fn exported_project() -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    let older = env.forebay(["note", "-k", "decision", "-t", "db", "we use Postgres"]).ok();
    env.forebay(["note", "-k", "decision", "-t", "db", "we use SQLite, see [ctx:aaaaaaaaaa]"]).ok();
    env.forebay(["--set", "team.author=ann", "note", "--pin", "never push to main — ünïcödé"]).ok();
    env.forebay(["note", "--personal", "my own affair"]).ok();
    env.write("guide.md", "# Guide\n\nHow the walrus is fed.\n");
    env.forebay(["index", "guide.md"]).ok();
    env.stored(b"raw \xff\xfe bytes\n".repeat(20_000));
    assert!(older.text().contains("saved"));
    let archive = env.root().join("all.forebay");
    let answer = env.forebay(["export", archive.to_str().unwrap(), "--runs"]).ok().text();
    assert!(answer.contains("left out: 1 personal note"), "{answer}");
    (env, archive)
}

#[track_caller]
fn import(env: &TestEnv, archive: &Path) -> serde_json::Value {
    env.forebay(["import", "--json", archive.to_str().unwrap()]).ok().json()
}

#[track_caller]
fn assert_import_refused(env: &TestEnv, archive: &Path, what: &str, hint: &str) {
    env.forebay(["import", archive.to_str().unwrap()]).refused(2, what, hint);
    let left = env.forebay(["history", "--all"]).ok().text();
    assert!(!left.contains("[ctx:"), "nothing is imported: {left}");
}

#[test]
fn imports_an_exported_archive_completely_and_only_once() {
    let (there, archive) = exported_project();
    let here = TestEnv::new();
    let tally = import(&here, &archive);
    assert_eq!((&tally["added"], &tally["known"]), (&5.into(), &0.into()), "{tally}");
    let again = import(&here, &archive);
    assert_eq!((&again["added"], &again["known"]), (&0.into(), &5.into()), "{again}");

    let listed = there.forebay(["history", "--all", "--json"]).ok().json();
    let mut compared = 0;
    for entry in listed["entries"].as_array().unwrap() {
        let reference = entry["ref"].as_str().unwrap();
        let raw = |env: &TestEnv| env.forebay(["get", "--raw", reference]);
        let original = raw(&there).ok().stdout;
        if original.starts_with(b"my own affair") {
            assert_eq!(raw(&here).code(), Some(1), "personal notes are not exported");
        } else {
            assert_eq!(raw(&here).ok().stdout, original, "{entry}");
            compared += 1;
        }
    }
    assert_eq!(compared, 5);
    let answer = here.forebay(["context"]).ok().text();
    assert!(answer.contains("## Pinned (1)") && answer.contains("(ann)"), "{answer}");
    assert!(answer.contains("we use SQLite") && !answer.contains("Postgres"), "{answer}");
    let found = here.forebay(["search", "walrus"]).ok().text();
    assert!(found.contains("How the walrus is fed"), "{found}");
}

#[test]
fn exports_only_notes_and_sources_by_default() {
    let (there, _) = exported_project();
    let archive = there.root().join("notes.forebay");
    let answer = there.forebay(["export", "--json", archive.to_str().unwrap()]).ok().json();
    assert_eq!(answer["records"], 4, "{answer}");
    let here = TestEnv::new();
    assert_eq!(import(&here, &archive)["added"], 4);
    there.forebay(["export", archive.to_str().unwrap()]).refused(
        2,
        "already exists",
        "another name",
    );
}

#[test]
fn import_restores_a_purged_note() {
    let (there, archive) = exported_project();
    let found = there.forebay(["search", "never push"]).ok().reference();
    there.forebay(["purge", "--yes", &found]).ok();
    assert_eq!(import(&there, &archive)["added"], 1);
    assert!(there.forebay(["get", &found]).ok().text().contains("never push"));
}

#[test]
fn import_keeps_both_notes_on_a_topic_as_conflicting() {
    let (_there, archive) = exported_project();
    let here = TestEnv::new();
    let own = here.forebay(["note", "-t", "db", "we use a flat file"]).ok().reference();
    assert_eq!(
        import(&here, &archive)["conflicting"],
        2,
        "the older and the newer note on the topic"
    );
    let answer = here.forebay(["context"]).ok().text();
    assert!(answer.contains("we use a flat file") && answer.contains("we use SQLite"), "{answer}");
    assert!(answer.contains("conflicts with [ctx:"), "{answer}");
    assert!(here.forebay(["get", &own]).ok().text().contains("conflicts with [ctx:"));
    here.forebay(["note", "-t", "db", "SQLite it is"]).ok();
    let answer = here.forebay(["context"]).ok().text();
    assert!(
        !answer.contains("flat file") && !answer.contains("conflicts"),
        "a new note resolves the conflict: {answer}"
    );
}

#[test]
fn a_damaged_archive_changes_nothing() {
    let (_there, archive) = exported_project();
    let whole = fs::read(&archive).unwrap();
    let here = TestEnv::new();
    let damaged = here.root().join("damaged.forebay");
    let write = |bytes: &[u8]| fs::write(&damaged, bytes).unwrap();

    write(&whole[..whole.len() - 1]);
    assert_import_refused(&here, &damaged, "damaged.forebay", "again");
    write(&whole[..whole.len() / 2]);
    assert_import_refused(&here, &damaged, "damaged.forebay", "again");
    write(b"");
    assert_import_refused(&here, &damaged, "not a Forebay archive", "forebay export");
    write(b"{\"forebay\":\"archive\",\"version\":1}\n");
    assert_import_refused(&here, &damaged, "not a Forebay archive", "forebay export");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x55;
    write(&flipped);
    assert_import_refused(&here, &damaged, "damaged", "again");
}

/// Writes an archive with these lines, valid or not.
fn write_archive(env: &TestEnv, lines: &[u8]) -> PathBuf {
    let path = env.root().join("made.forebay");
    let mut packer = forebay_store::ArchiveWriter::new(fs::File::create(&path).unwrap()).unwrap();
    packer.write_all(lines).unwrap();
    packer.finish().unwrap();
    path
}

const HEADER: &str = "{\"forebay\":\"archive\",\"version\":1}\n";

#[test]
fn an_inconsistent_archive_changes_nothing() {
    let env = TestEnv::new();
    let note = "{\"entry\":{\"ref\":\"aaaaaaaaaa\",\"kind\":\"note\",\"title\":\"x\",\"session\":\"s\",\
                \"created\":1,\"bytes\":1,\"note\":{\"kind\":\"note\"}}}\n{\"text\":\"x\"}\n";
    let sum = |lines: &str| blake3::hash(lines.as_bytes()).to_hex().to_string();
    let with_end_record = |lines: &str, records: u64, sum: &str| {
        format!("{lines}{{\"end\":{{\"records\":{records},\"blake3\":\"{sum}\"}}}}\n")
    };
    let body = format!("{HEADER}{note}");
    let check = |lines: &str, what: &str, hint: &str| {
        assert_import_refused(&env, &write_archive(&env, lines.as_bytes()), what, hint);
    };
    check("{\"forebay\":\"archive\",\"version\":2}\n", "version 2", "later one");
    check("{\"name\":\"left-pad\"}\n", "not a Forebay archive", "forebay export");
    check("not JSON\n", "not a Forebay archive", "forebay export");
    check(&body, "truncated after 1 record", "again");
    check(&body[..body.len() - 1], "truncated", "again");
    check(&with_end_record(&body, 1, &sum("something else")), "checksum", "again");
    check(&with_end_record(&body, 7, &sum(&body)), "checksum", "again");
    let after = format!("{}{note}", with_end_record(&body, 1, &sum(&body)));
    check(&after, "checksum", "again");
    let long = format!("{HEADER}{{\"text\":\"{}\"}}\n", "x".repeat(2_000_000));
    check(&with_end_record(&long, 0, &sum(&long)), "is longer than", "again");
    let valid = write_archive(&env, with_end_record(&body, 1, &sum(&body)).as_bytes());
    assert_eq!(import(&env, &valid)["added"], 1, "a valid archive is imported");
}

#[test]
fn a_decompression_bomb_is_refused() {
    let env = TestEnv::new();
    let path = env.root().join("bomb.forebay");
    let mut packer = forebay_store::ArchiveWriter::new(fs::File::create(&path).unwrap()).unwrap();
    packer.write_all(HEADER.as_bytes()).unwrap();
    let line = format!("{{\"text\":\"{}\"}}\n", "0".repeat(60_000));
    for _ in 0..400 {
        packer.write_all(line.as_bytes()).unwrap();
    }
    packer.finish().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 100_000);
    env.forebay(["import", "--max-mb", "8", path.to_str().unwrap()]).refused(
        2,
        "decompresses to more than 8 MB",
        "--max-mb",
    );
}

#[test]
fn an_archive_is_recognized_by_its_content() {
    let (_there, archive) = exported_project();
    let here = TestEnv::new();
    let renamed = here.root().join("backup.bin");
    fs::copy(&archive, &renamed).unwrap();
    assert_eq!(import(&here, &renamed)["added"], 5);
}
