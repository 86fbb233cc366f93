//! Guarantees on PostgreSQL: isolated workspaces, no SQL injection, reconnection, concurrent use.

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;

use forebay_domain::{Ending, EntryKind, Reference};
use forebay_store::prelude::*;
use forebay_store::{
    EventPage, HistoryPage, IndexQuery, PurgeSelection, ReindexedChunk, StoreError,
};
use forebay_store_postgres::{Address, PostgresStore};
use postgres::{Client, NoTls};

use crate::engine::{
    NOW, chunks_of, decision, found, hits, new_entry, on_postgres, put, put_note, put_run, query,
    raw_of, unused_name,
};

/// Names that are harmful if interpreted as anything but text.
const HOSTILE: &[&str] = &[
    "'; DROP TABLE forebay.entry; --",
    "\" OR \"\"=\"",
    "$1 $2 $$ $body$",
    "%' OR '1'='1",
    "\\'; SELECT pg_sleep(10); \\",
    "a\0b",
    "{1,2}",
    "NULL",
    "../../etc/passwd",
    "':* & !x <-> (",
    "ünï\u{202e}cödé 🦀 配置",
];

fn open(address: &Address) -> PostgresStore {
    PostgresStore::open(address, "project").unwrap()
}

pub(crate) fn server() -> String {
    std::env::var("FOREBAY_TEST_POSTGRES").unwrap()
}

#[test]
fn workspaces_and_projects_are_isolated() {
    on_postgres(|address| {
        let own = open(address);
        let entry = put_run(&own, "secret", b"the password is swordfish\n", Ending::Exited(0));
        let elsewhere = Address::parse(&server(), &unused_name()).unwrap();
        let strangers = [open(&elsewhere), PostgresStore::open(address, "other project").unwrap()];
        for stranger in strangers {
            assert!(matches!(stranger.entry(entry.reference), Err(StoreError::NotFound(_))));
            assert!(matches!(raw_of(&stranger, entry.reference), Err(StoreError::NotFound(_))));
            assert!(found(&stranger, "swordfish").is_empty());
            assert!(stranger.similar_words("swordfihs").unwrap().is_empty());
            assert_eq!(stranger.unknown_words(&["swordfish".to_owned()]).unwrap().len(), 1);
            assert_eq!(stranger.stats().unwrap().raw_bytes, 0);
            let all = PurgeSelection { everything: true, ..PurgeSelection::default() };
            assert_eq!(stranger.purge(&all, NOW).unwrap().entries, 0);
            let asked = IndexQuery { entries: vec![entry.reference], ..query("swordfish") };
            assert!(hits(&stranger, &asked).is_empty());
        }
        assert_eq!(found(&own, "swordfish"), [entry.reference]);
        assert_eq!(PostgresStore::projects(&elsewhere).unwrap(), ["project"]);
    });
}

#[test]
fn row_level_security_hides_other_workspaces() {
    on_postgres(|address| {
        put_run(&open(address), "run", b"out", Ending::Exited(0));
        let mut client = Client::connect(&server(), NoTls).unwrap();
        let role = unused_name();
        client
            .batch_execute(&format!(
                "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA forebay TO {role};
                 GRANT SELECT ON ALL TABLES IN SCHEMA forebay TO {role}"
            ))
            .unwrap();
        let sql = "SELECT id FROM forebay.workspace WHERE name = $1";
        let id: i32 = client.query_one(sql, &[&address.workspace()]).unwrap().get(0);
        client.batch_execute(&format!("SET ROLE {role}")).unwrap();
        let mut seen = |setting: String| -> i64 {
            client.batch_execute(&format!("SET forebay.workspace = '{setting}'")).unwrap();
            client.query_one("SELECT count(*) FROM forebay.entry", &[]).unwrap().get(0)
        };
        assert_eq!(seen(String::new()), 0, "nothing is visible without a workspace");
        assert_eq!(seen(id.to_string()), 1);
        client
            .batch_execute(&format!("RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}"))
            .unwrap();
    });
}

#[test]
fn names_are_never_executed_as_sql() {
    on_postgres(|address| {
        for name in HOSTILE {
            let store = PostgresStore::open(address, name).unwrap();
            let mut new = new_entry(EntryKind::Source, name);
            new.session = (*name).to_owned();
            new.branch = Some((*name).to_owned());
            new.source = (*name).to_owned();
            new.digest = (*name).to_owned();
            new.client = (*name).to_owned();
            let raw = format!("{name}\nneedle {name}\n");
            let entry = put(&store, new, raw.as_bytes());
            put_note(&store, name, decision(Some(name)));
            assert_eq!(raw_of(&store, entry.reference).unwrap(), raw.as_bytes());
            assert!(store.entry(entry.reference).is_ok());
            assert!(found(&store, "needle").contains(&entry.reference), "{name}");
            let by_session = HistoryPage {
                session: Some((*name).to_owned()),
                limit: 9,
                ..HistoryPage::default()
            };
            assert_eq!(store.history(&by_session).unwrap().len(), 1, "{name}");
            query_everything(&store, name);
            let named =
                PurgeSelection { session: Some((*name).to_owned()), ..PurgeSelection::default() };
            assert_eq!(store.purge(&named, NOW).unwrap().entries, 1, "{name}");
        }
        assert_eq!(PostgresStore::projects(address).unwrap().len(), HOSTILE.len());
    });
}

/// Passes a text to every method that accepts one; none may fail.
fn query_everything(store: &PostgresStore, text: &str) {
    let some = || vec![text.to_owned()];
    let by = IndexQuery {
        words: some(),
        prefixes: some(),
        phrases: some(),
        excluded: some(),
        sources: some(),
        session: Some(text.to_owned()),
        branch: Some(text.to_owned()),
        ticket: Some(text.to_owned()),
        limit: 5,
        ..IndexQuery::default()
    };
    hits(store, &by);
    hits(store, &IndexQuery { words: some(), limit: 5, ..IndexQuery::default() });
    store.similar_words(text).unwrap();
    store.unknown_words(&some()).unwrap();
    store.mark(text, text).unwrap();
    assert!(store.unmark(text, text).unwrap());
    store.source(text).unwrap();
    store.source_items(text).unwrap();
    store.import_position(text).unwrap();
    store.working_set(text).unwrap();
    store.usage(Some(text)).unwrap();
    store.requests(Some(text)).unwrap();
    let events = EventPage { session: Some(text.to_owned()), limit: 5, ..EventPage::default() };
    store.events(&events).unwrap();
    store
        .preview_purge(
            &PurgeSelection { source: Some(text.to_owned()), ..PurgeSelection::default() },
            NOW,
        )
        .unwrap();
}

#[test]
fn names_may_have_any_length() {
    on_postgres(|address| {
        let long = "é".repeat(5_000);
        let store = PostgresStore::open(address, &long).unwrap();
        let mut new = new_entry(EntryKind::Source, &long);
        new.session.clone_from(&long);
        new.source.clone_from(&long);
        let entry = put(&store, new, format!("needle {}", "x".repeat(9_000)).as_bytes());
        assert_eq!(found(&store, "needle"), [entry.reference]);
        assert_eq!(store.entry(entry.reference).unwrap().source, long);
        assert!(store.mark(&long, &long).unwrap());
        let again = PostgresStore::open(address, &long).unwrap();
        assert!(again.entry(entry.reference).is_ok());
    });
}

#[test]
fn reconnects_after_a_lost_connection() {
    on_postgres(|address| {
        let store = open(address);
        let before = put_run(&store, "before", b"kept", Ending::Exited(0)).reference;
        let mut upload = store.upload().unwrap();
        for number in 0..20_u8 {
            upload.write(&vec![number; 100_000]).unwrap();
        }
        terminate_connections(address);
        assert_eq!(raw_of(&store, before).unwrap(), b"kept", "reads reconnect transparently");
        terminate_connections(address);
        let entry = upload.finish(new_entry(EntryKind::Run, "big")).unwrap();
        assert_eq!(raw_of(&store, entry.reference).unwrap().len(), 2_000_000);
    });
}

/// Terminates all connections of this workspace, as a server shutdown does.
fn terminate_connections(address: &Address) {
    let mut client = Client::connect(&server(), NoTls).unwrap();
    // Connections are identified by their last statement, which names a project of the workspace.
    let sql = "SELECT id FROM forebay.workspace WHERE name = $1";
    let workspace: i32 = client.query_one(sql, &[&address.workspace()]).unwrap().get(0);
    let name = format!("forebay {workspace}");
    let cut =
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1";
    let count: i64 = client.query_one(cut, &[&name]).unwrap().get(0);
    assert!(count > 0, "there was a connection to cut");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the restart command is given by the environment")]
fn survives_a_server_restart() {
    on_postgres(|_| {
        let (Ok(url), Ok(restart)) = (
            std::env::var("FOREBAY_TEST_POSTGRES_RESTARTABLE"),
            std::env::var("FOREBAY_TEST_POSTGRES_RESTART"),
        ) else {
            return forebay_test_support::skip("FOREBAY_TEST_POSTGRES_RESTART is not set");
        };
        let store = open(&Address::parse(&url, &unused_name()).unwrap());
        let mut kept = Vec::new();
        for round in 0..3 {
            let mut upload = store.upload().unwrap();
            upload.write(&vec![b'x'; 1_500_000 + round]).unwrap();
            let status = Command::new("sh").args(["-c", &restart]).status().unwrap();
            assert!(status.success());
            kept.push(upload.finish(new_entry(EntryKind::Run, "over a restart")).unwrap());
            kept.push(put_run(&store, "after", b"written after it", Ending::Exited(0)));
        }
        for entry in kept {
            assert_eq!(raw_of(&store, entry.reference).unwrap().len() as u64, entry.bytes);
        }
    });
}

#[test]
fn an_unreachable_server_is_reported_without_the_password() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://ann:s3cret@127.0.0.1:{port}/team");
    let error = PostgresStore::open(&Address::parse(&url, "").unwrap(), "p").unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(!error.to_string().contains("s3cret") && !format!("{error:?}").contains("s3cret"));
    assert!(error.hint().is_some());
}

#[test]
fn a_missing_database_is_an_error() {
    on_postgres(|_| {
        let url = server().replace("/postgres", "/").replace("/stories", "/") + "no_such_database";
        let error = PostgresStore::open(&Address::parse(&url, "").unwrap(), "p").unwrap_err();
        assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
    });
}

#[test]
fn refuses_a_server_without_required_tls() {
    on_postgres(|address| {
        let url = format!("{}?sslmode=verify-full", server());
        let opened = PostgresStore::open(&Address::parse(&url, address.workspace()).unwrap(), "p");
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
        assert!(error.to_string().contains("TLS"), "{error}");
    });
}

/// Runs a test in a new database, dropped afterwards.
fn in_new_database(test: impl Fn(&str)) {
    on_postgres(|_| {
        let name = unused_name();
        let mut client = Client::connect(&server(), NoTls).unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        let at = server().rfind('/').unwrap();
        test(&format!("{}/{name}", &server()[..at]));
        client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
    });
}

#[test]
fn opens_a_new_database_concurrently() {
    in_new_database(|url| {
        let references: Vec<Reference> = thread::scope(|scope| {
            let threads: Vec<_> = (0..12)
                .map(|number| {
                    // Another application name means another pool, as in another process.
                    let url = format!("{url}?application_name=racer{number}&workspace=race");
                    scope.spawn(move || {
                        let store = open(&Address::parse(&url, "").unwrap());
                        put_run(&store, "racer", b"same output", Ending::Exited(0)).reference
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let store = open(&Address::parse(url, "race").unwrap());
        for reference in &references {
            assert_eq!(raw_of(&store, *reference).unwrap(), b"same output");
        }
        let everything = IndexQuery { limit: references.len() + 1, ..query("output") };
        let found: BTreeSet<_> =
            hits(&store, &everything).iter().map(|hit| hit.reference).collect();
        assert_eq!(found, references.into_iter().collect());
    });
}

#[test]
fn rejects_newer_and_altered_schemas() {
    in_new_database(|url| {
        let address =
            |name: &str| Address::parse(&format!("{url}?application_name={name}"), "").unwrap();
        drop(open(&address("first")));
        let mut client = Client::connect(url, NoTls).unwrap();
        let newer =
            "INSERT INTO forebay.migration (name, checksum) VALUES ('9999_from_the_future', 'x')";
        client.batch_execute(newer).unwrap();
        let error = PostgresStore::open(&address("second"), "p").unwrap_err();
        assert!(
            matches!(&error, StoreError::Newer { migration, .. } if migration.contains("9999"))
        );
        client
            .batch_execute(
                "DELETE FROM forebay.migration WHERE name LIKE '9999%';
                 UPDATE forebay.migration SET checksum = 'other'",
            )
            .unwrap();
        let error = PostgresStore::open(&address("third"), "p").unwrap_err();
        assert!(matches!(error, StoreError::Altered { .. }), "{error:?}");
    });
}

#[test]
fn one_of_many_concurrent_notes_on_a_topic_is_active() {
    on_postgres(|address| {
        let store = open(address);
        thread::scope(|scope| {
            for number in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    let text = format!("we deploy on day {number}");
                    put_note(store, &text, decision(Some("deploy")));
                });
            }
        });
        assert_eq!(found(&store, "deploy").len(), 1);
        assert_eq!(store.stats().unwrap().entries["note"], 8);
    });
}

#[test]
fn concurrent_purges_and_writes_do_not_interfere() {
    on_postgres(|address| {
        let store = open(address);
        let kept: Vec<Reference> = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut kept = Vec::new();
                for _ in 0..30 {
                    let gone = put_run(&store, "gone", b"same bytes", Ending::Exited(0));
                    kept.push(put_run(&store, "kept", b"same bytes", Ending::Exited(0)).reference);
                    let one = PurgeSelection {
                        references: vec![gone.reference],
                        ..PurgeSelection::default()
                    };
                    store.purge(&one, NOW).unwrap();
                }
                kept
            });
            for _ in 0..30 {
                let other = put_run(&store, "other", b"same bytes", Ending::Exited(0));
                let one = PurgeSelection {
                    references: vec![other.reference],
                    ..PurgeSelection::default()
                };
                store.purge(&one, NOW).unwrap();
            }
            writer.join().unwrap()
        });
        for reference in kept {
            assert_eq!(raw_of(&store, reference).unwrap(), b"same bytes");
        }
    });
}

#[test]
fn reindexes_chunks_of_an_older_index() {
    on_postgres(|address| {
        let store = open(address);
        let entry = put_run(&store, "cat", b"fn parseHTTPResponse()", Ending::Exited(0));
        assert!(store.stale_chunks(9).unwrap().is_empty(), "what is stored now needs no renewal");
        let mut client = Client::connect(&server(), NoTls).unwrap();
        client
            .execute(
                "UPDATE forebay.chunk SET form = 0, words = '' WHERE workspace =
                     (SELECT id FROM forebay.workspace WHERE name = $1)",
                &[&address.workspace()],
            )
            .unwrap();
        assert!(found(&store, "http").is_empty());
        let outdated = store.stale_chunks(9).unwrap();
        assert_eq!(outdated.len(), 1);
        let chunk = chunks_of("cat", b"fn parseHTTPResponse()").remove(0);
        let renewed = [ReindexedChunk { chunk_id: outdated[0].chunk_id, chunk }];
        store.reindex_chunks(&renewed).unwrap();
        store.reindex_chunks(&renewed).unwrap();
        assert_eq!(found(&store, "http"), [entry.reference]);
        assert!(store.stale_chunks(9).unwrap().is_empty());
    });
}

#[test]
fn every_table_has_row_level_security() {
    on_postgres(|address| {
        drop(open(address));
        let mut client = Client::connect(&server(), NoTls).unwrap();
        let tables = "SELECT relname, relrowsecurity AND relforcerowsecurity AND EXISTS
                 (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)
             FROM pg_class WHERE relkind = 'r' AND relnamespace = 'forebay'::regnamespace";
        let tables = client.query(tables, &[]).unwrap();
        assert!(tables.len() > 20);
        for table in tables {
            let name: String = table.get(0);
            assert!(table.get::<_, bool>(1), "{name} has no policy");
        }
    });
}

/// Runs as a role that policies apply to, for a workspace.
fn as_restricted_role(client: &mut Client, workspace: i32) {
    client
        .batch_execute(&format!(
            "DO $$ BEGIN CREATE ROLE forebay_restricted; EXCEPTION WHEN OTHERS THEN NULL; END $$;
             GRANT USAGE ON SCHEMA forebay TO forebay_restricted;
             GRANT ALL ON ALL TABLES IN SCHEMA forebay TO forebay_restricted;
             SET ROLE forebay_restricted; SET search_path = forebay;
             SET forebay.workspace = '{workspace}'"
        ))
        .unwrap();
}

#[test]
fn another_workspace_changes_no_chunk_and_no_shared_name() {
    on_postgres(|address| {
        put_run(&open(address), "make", b"words of this workspace\n", Ending::Exited(0));
        let mut client = Client::connect(&server(), NoTls).unwrap();
        as_restricted_role(&mut client, -1);
        for change in [
            "UPDATE chunk SET title = 'forged'",
            "DELETE FROM chunk",
            "DELETE FROM model",
            "UPDATE workspace SET name = 'taken' || id",
            "DELETE FROM migration",
        ] {
            assert_eq!(client.execute(change, &[]).unwrap(), 0, "{change}");
        }
    });
}
