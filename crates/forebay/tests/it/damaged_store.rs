//! Damaged, removed and replaced databases, through the real binary.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;

use serde_json::json;

use crate::env::{TestEnv, reference_in};

/// A text of several stored parts.
fn long_text() -> String {
    (1..=6_000).map(|line| format!("request {line} answered\n")).collect()
}

/// Overwrites part of the compressed text at an offset.
fn damage_part(env: &TestEnv, start: u64) {
    let store = rusqlite::Connection::open(env.database()).unwrap();
    let changed = store
        .execute(
            "UPDATE blob_part SET data = CAST(substr(data, 1, 50) || x'00ff00ff' || substr(data, 55) AS BLOB)
             WHERE start = ?1",
            [start as i64],
        )
        .unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn a_damaged_entry_is_named_and_its_whole_lines_are_returned() {
    let env = TestEnv::new();
    let reference = env.stored(long_text());
    let other = env.noted("not damaged");
    damage_part(&env, 32_768);
    let raw = env.forebay(["get", &reference, "--raw"]);
    assert_eq!(raw.code(), Some(1));
    assert!(long_text().starts_with(&*raw.text()), "only whole parts are written");
    let refused = raw.stderr.clone();
    assert!(refused.contains(&reference) && refused.contains("is damaged: lines"), "{refused}");
    let whole = refused.split("--lines ").nth(1).unwrap().split(' ').next().unwrap();
    let whole = whole.trim_matches('\'');
    let text = env.forebay(["get", &reference, "--lines", whole, "--budget", "100"]).ok().text();
    assert!(text.contains("request 1 answered"), "{text}");
    assert_eq!(env.forebay(["get", &other]).ok().body(), "not damaged");
}

#[test]
fn a_deep_check_saves_what_is_whole() {
    let env = TestEnv::new();
    let reference = env.stored(long_text());
    let other = env.noted("not damaged");
    let intact = env.forebay(["doctor", "--deep"]).ok().text();
    assert!(intact.contains("2 entries read, all intact"), "{intact}");

    damage_part(&env, 32_768);
    let before = fs::read(env.database()).unwrap();
    let found = env.forebay(["doctor", "--deep"]);
    assert_eq!(found.code(), Some(1));
    let text = found.text();
    assert!(text.contains("1 of them damaged\nentries:\n  [ctx:"), "{text}");
    assert!(text.contains("saved:\n  2 entries saved to /"), "{text}");
    assert_eq!(fs::read(env.database()).unwrap(), before, "the store is unchanged");

    let swapped = env.forebay(["doctor", "--deep", "--repair"]).text();
    assert!(swapped.contains("the damaged store was renamed to"), "{swapped}");
    assert_eq!(env.forebay(["get", &other]).ok().body(), "not damaged");
    assert_eq!(env.forebay(["get", &reference, "--raw"]).code(), Some(1));
    // Storing the same text again mends the entry.
    env.stored(long_text());
    let mended = env.forebay(["get", &reference, "--raw"]).ok().stdout;
    assert!(mended == long_text().as_bytes(), "not mended");
}

/// Overwrites the first page of a table or an index.
fn overwrite_root_page(env: &TestEnv, name: &str) {
    let store = rusqlite::Connection::open(env.database()).unwrap();
    let page: i64 = store
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [name], |row| row.get(0))
        .unwrap();
    store.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(store);
    let mut bytes = fs::read(env.database()).unwrap();
    let start = (page as usize - 1) * 4096;
    bytes[start..start + 4096].fill(0xA5);
    fs::write(env.database(), bytes).unwrap();
}

#[test]
fn a_deep_check_tells_of_damage_that_no_entry_has() {
    // Empty indexes that no query reads, and the table without which a store is none.
    for (name, told) in [
        ("asked_session", "file and index:\n"),
        ("note_topic", "file and index:\n"),
        ("migration", "opening:\n"),
    ] {
        let env = TestEnv::new();
        env.stored(long_text());
        overwrite_root_page(&env, name);
        let found = env.forebay(["doctor", "--deep"]);
        assert_eq!(found.code(), Some(1), "{name}: {found:?}");
        assert!(found.text().contains(told), "{name}: {}", found.text());
    }
}

#[test]
fn a_server_acknowledges_no_note_that_goes_to_a_removed_database() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "before" }));
    let database = env.database();
    let log = database.with_extension("db-wal");
    let changes: [&dyn Fn(); 6] = [
        &|| drop(File::create(&log).unwrap()),
        &|| {
            let file = OpenOptions::new().write(true).open(&log).unwrap();
            file.write_all_at(&[0xA5; 100], 0).unwrap();
        },
        &|| fs::remove_file(&database).unwrap(),
        &|| fs::rename(&database, database.with_extension("moved")).unwrap(),
        &|| {
            let copy = database.with_extension("copy");
            fs::copy(&database, &copy).unwrap();
            fs::rename(copy, &database).unwrap();
        },
        &|| {
            let target = database.with_extension("target");
            fs::rename(&database, &target).unwrap();
            std::os::unix::fs::symlink(target, &database).unwrap();
        },
    ];
    for change in changes {
        change();
        let result = mcp.call("ctx_annotate", json!({ "text": "after the change" }));
        let text = crate::mcp_client::text_of(&result);
        if result["isError"] != json!(true) {
            let reference = reference_in(&text);
            assert_eq!(env.forebay(["get", &reference]).ok().body(), "after the change");
        }
    }
}

#[test]
fn indexing_the_data_folder_leaves_the_databases_alone() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_annotate", json!({ "text": "kept" }));
    let link = env.project().join("notes.txt");
    fs::hard_link(env.database(), &link).unwrap();
    let read = mcp.call("context_read", json!({ "path": "notes.txt" }));
    assert_eq!(read["isError"], json!(true));
    let text = crate::mcp_client::text_of(&read);
    assert!(text.contains("a database of Forebay") || text.contains("denied"), "{text}");
    mcp.text("ctx_index", json!({ "path": "." }));
    let folder = env.data().join("projects");
    mcp.call("ctx_index", json!({ "path": folder }));
    // The server still holds its locks: another connection that closes as the last one would
    // remove the log.
    drop(rusqlite::Connection::open(env.database()).unwrap().query_row(
        "SELECT count(*) FROM entry",
        [],
        |row| row.get::<_, i64>(0),
    ));
    let log = env.database().with_extension("db-wal");
    assert!(log.exists(), "the server's shared lock was dropped");
}
