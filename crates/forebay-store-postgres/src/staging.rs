//! Staged entries: invisible until published, in batches with one statement per table.

use std::collections::{BTreeMap, HashMap};

use forebay_domain::{Reference, Timestamp};
use forebay_store::blob::writer::StartedEntry;
use forebay_store::{EncodedBlob, FileStamp, NewChunk, NewEntry, NewSourceItem};

use super::connection::ScopedConn;
use super::error::PgError;
use super::text::{Name, Text};
use super::{blobs, chunks, entries, sessions};

/// Entries that are published with one statement.
const BATCH_SIZE: usize = 1_000;

/// An item whose bytes and chunks are written, but which is not visible yet.
pub(super) struct StagedItem {
    pub(super) started: StartedEntry,
    pub(super) path: String,
    stamp: FileStamp,
    hash: [u8; 32],
    entry: NewEntry,
}

impl StagedItem {
    pub(super) fn new(item: NewSourceItem, started: StartedEntry) -> Self {
        let NewSourceItem { path, stamp, hash, entry, .. } = item;
        Self { started, path, stamp, hash, entry }
    }
}

/// Writes bytes and chunks of incomplete entries.
pub(super) fn write(
    conn: &mut ScopedConn<'_>,
    items: &[NewSourceItem],
) -> Result<Vec<StartedEntry>, PgError> {
    let contents: Vec<&EncodedBlob> = items.iter().map(|item| &item.raw).collect();
    let blobs = blobs::store_all(conn, &contents)?;
    let started = start(conn, &blobs)?;
    let mut chunks: Vec<(i64, &NewChunk)> = Vec::new();
    for (started, item) in started.iter().zip(items) {
        chunks.extend(item.chunks.iter().map(|chunk| (started.entry, chunk)));
    }
    chunks::write(conn, &chunks)?;
    Ok(started)
}

/// Creates an entry for each blob.
fn start(conn: &mut ScopedConn<'_>, blobs: &[i64]) -> Result<Vec<StartedEntry>, PgError> {
    let mut started: Vec<Option<StartedEntry>> = vec![None; blobs.len()];
    // Rows with a taken reference are skipped and retried with another one.
    while started.iter().any(Option::is_none) {
        let open = started.iter_mut().zip(blobs).filter(|(started, _)| started.is_none());
        let open = open.map(|(started, blob)| Ok((started, entries::random_reference()?, *blob)));
        let open = open.collect::<Result<Vec<_>, PgError>>()?;
        let references: Vec<&str> =
            open.iter().map(|(_, reference, _)| reference.as_str()).collect();
        let blob_ids: Vec<i64> = open.iter().map(|(_, _, blob)| *blob).collect();
        let inserted = insert(conn, &references, &blob_ids)?;
        for (started, reference, blob) in open {
            *started = inserted.get(&reference).map(|entry| StartedEntry {
                entry: *entry,
                reference,
                blob,
            });
        }
    }
    Ok(started.into_iter().flatten().collect())
}

/// Inserts entries under those references that neither an entry nor a tombstone has. They count as indexed, since
/// their chunks follow: otherwise the planner statistics would show many unindexed entries, and the check for these,
/// which precedes every search, would scan all entries.
fn insert(
    conn: &mut ScopedConn<'_>,
    references: &[&str],
    blobs: &[i64],
) -> Result<HashMap<Reference, i64>, PgError> {
    let rows = conn.query(
        "INSERT INTO entry (workspace, project, ref, complete, searchable, kind, title, source, created, blob,
             digest)
         SELECT $1, $2, new.ref, false, true, '', '', '',
             (extract(epoch FROM clock_timestamp()) * 1000)::bigint, new.blob, ''
         FROM unnest($3::text[], $4::bigint[]) AS new (ref, blob) WHERE NOT EXISTS
             (SELECT FROM gone WHERE gone.workspace = $1 AND gone.project = $2 AND gone.ref = new.ref)
         ON CONFLICT (workspace, project, ref) DO NOTHING RETURNING id, ref",
        &[&references, &blobs],
    )?;
    rows.iter().map(|row| Ok((entries::reference(row, 1)?, row.try_get(0)?))).collect()
}

/// Makes entries visible as items of a source.
pub(super) fn publish(
    conn: &mut ScopedConn<'_>,
    source: i64,
    items: &[StagedItem],
) -> Result<(), PgError> {
    let sessions = touch_sessions(conn, items)?;
    for items in items.chunks(BATCH_SIZE) {
        complete(conn, items, &sessions)?;
        write_items(conn, source, items)?;
    }
    Ok(())
}

/// Session ids by key and client.
type Sessions<'a> = BTreeMap<(&'a str, &'a str), i64>;

/// Records that the sessions of these entries were active from the first to the last of them.
fn touch_sessions<'a>(
    conn: &mut ScopedConn<'_>,
    items: &'a [StagedItem],
) -> Result<Sessions<'a>, PgError> {
    let mut moments: BTreeMap<(&str, &str), (Timestamp, Timestamp)> = BTreeMap::new();
    for StagedItem { entry, .. } in items {
        let moment = entry.created;
        let (first, last) = moments.entry(session_of(entry)).or_insert((moment, moment));
        *first = moment.min(*first);
        *last = moment.max(*last);
    }
    let mut sessions = Sessions::new();
    for ((key, client), span) in moments {
        sessions.insert((key, client), sessions::touch(conn, key, client, span)?);
    }
    Ok(sessions)
}

fn session_of(entry: &NewEntry) -> (&str, &str) {
    (&entry.session, &entry.client)
}

/// Writes the rest of the entries.
fn complete(
    conn: &mut ScopedConn<'_>,
    items: &[StagedItem],
    sessions: &Sessions<'_>,
) -> Result<(), PgError> {
    let entries = || items.iter().map(|item| &item.entry);
    let tickets: Vec<Option<String>> =
        entries().map(|entry| entries::ticket_of(entry.branch.as_deref())).collect();
    let written = conn.execute(
        "UPDATE entry SET complete = true, kind = new.kind, title = new.title,
             source = new.source, session = new.session, branch = new.branch, created = new.created,
             digest = new.digest, ticket = new.ticket
         FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[],
             $10::text[], $11::text[])
             AS new (id, kind, title, source, session, branch, created, digest, ticket)
         WHERE entry.workspace = $1 AND entry.project = $2 AND entry.id = new.id",
        &[
            &items.iter().map(|item| item.started.entry).collect::<Vec<_>>(),
            &entries().map(|entry| entry.kind.as_str()).collect::<Vec<_>>(),
            &entries().map(|entry| Text(&entry.title)).collect::<Vec<_>>(),
            &entries().map(|entry| Text(&entry.source)).collect::<Vec<_>>(),
            &entries().map(|entry| sessions.get(&session_of(entry))).collect::<Vec<_>>(),
            &entries().map(|entry| entry.branch.as_deref().map(Text)).collect::<Vec<_>>(),
            &entries().map(|entry| entry.created.0).collect::<Vec<_>>(),
            &entries().map(|entry| Text(&entry.digest)).collect::<Vec<_>>(),
            &tickets.iter().map(|ticket| ticket.as_deref().map(Text)).collect::<Vec<_>>(),
        ],
    )?;
    if written < items.len() as u64 {
        return Err(PgError::invalid_data("staged entries were swept during the reindex"));
    }
    Ok(())
}

fn write_items(
    conn: &mut ScopedConn<'_>,
    source: i64,
    items: &[StagedItem],
) -> Result<(), PgError> {
    conn.execute(
        "INSERT INTO source_item (workspace, project, source, path, entry, modified, size, hash)
         SELECT $1, $2, $3, new.* FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
             $8::bytea[]) AS new",
        &[
            &source,
            &items.iter().map(|item| Name(&item.path)).collect::<Vec<_>>(),
            &items.iter().map(|item| item.started.entry).collect::<Vec<_>>(),
            &items.iter().map(|item| item.stamp.modified).collect::<Vec<_>>(),
            &items.iter().map(|item| item.stamp.size as i64).collect::<Vec<_>>(),
            &items.iter().map(|item| item.hash.as_slice()).collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}
