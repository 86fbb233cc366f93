//! Entries that nobody sees until they are revealed, many at once: a statement for each table, not for each entry.

use std::collections::{BTreeMap, HashMap};

use forebay_domain::{Reference, Timestamp};
use forebay_store::blob::writer::StartedEntry;
use forebay_store::{EncodedBlob, FileStamp, NewChunk, NewEntry, NewSourceItem};

use super::connection::Work;
use super::error::Fault;
use super::text::{Name, Text};
use super::{blobs, chunks, entries, sessions};

/// Entries that are revealed with one statement.
const AT_ONCE: usize = 1_000;

/// An item whose bytes and passages are written, but which nobody sees.
pub(super) struct Unseen {
    pub(super) begun: StartedEntry,
    pub(super) path: String,
    stamp: FileStamp,
    hash: [u8; 32],
    entry: NewEntry,
}

impl Unseen {
    pub(super) fn of(item: NewSourceItem, begun: StartedEntry) -> Self {
        let NewSourceItem { path, stamp, hash, entry, .. } = item;
        Self { begun, path, stamp, hash, entry }
    }
}

/// Writes bytes and passages of entries that are not complete yet.
pub(super) fn write(
    work: &mut Work<'_>,
    items: &[NewSourceItem],
) -> Result<Vec<StartedEntry>, Fault> {
    let contents: Vec<&EncodedBlob> = items.iter().map(|item| &item.raw).collect();
    let blobs = blobs::store_all(work, &contents)?;
    let begun = begin(work, &blobs)?;
    let mut chunks: Vec<(i64, &NewChunk)> = Vec::new();
    for (begun, item) in begun.iter().zip(items) {
        chunks.extend(item.chunks.iter().map(|chunk| (begun.entry, chunk)));
    }
    chunks::write(work, &chunks)?;
    Ok(begun)
}

/// Makes an entry for each of the blobs.
fn begin(work: &mut Work<'_>, blobs: &[i64]) -> Result<Vec<StartedEntry>, Fault> {
    let mut begun: Vec<Option<StartedEntry>> = vec![None; blobs.len()];
    // Under a reference that is taken none is made: another is tried.
    while begun.iter().any(Option::is_none) {
        let open = begun.iter_mut().zip(blobs).filter(|(begun, _)| begun.is_none());
        let open = open.map(|(begun, blob)| Ok((begun, entries::random_reference()?, *blob)));
        let open = open.collect::<Result<Vec<_>, Fault>>()?;
        let references: Vec<&str> =
            open.iter().map(|(_, reference, _)| reference.as_str()).collect();
        let held: Vec<i64> = open.iter().map(|(_, _, blob)| *blob).collect();
        let made = insert(work, &references, &held)?;
        for (begun, reference, blob) in open {
            *begun =
                made.get(&reference).map(|entry| StartedEntry { entry: *entry, reference, blob });
        }
    }
    Ok(begun.into_iter().flatten().collect())
}

/// Makes entries under those of the references that neither an entry nor a forgotten one has. Their passages come with
/// them, so nothing is left to be made searchable: else the server would count all of them among the few for which
/// that is so, and a search, which looks for those first, would read every entry there is.
fn insert(
    work: &mut Work<'_>,
    references: &[&str],
    blobs: &[i64],
) -> Result<HashMap<Reference, i64>, Fault> {
    let rows = work.query(
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

/// Makes entries visible, as items of a source.
pub(super) fn reveal(work: &mut Work<'_>, source: i64, items: &[Unseen]) -> Result<(), Fault> {
    let sessions = touch_sessions(work, items)?;
    for items in items.chunks(AT_ONCE) {
        complete(work, items, &sessions)?;
        write_items(work, source, items)?;
    }
    Ok(())
}

/// The numbers of sessions, by their keys and clients.
type Sessions<'a> = BTreeMap<(&'a str, &'a str), i64>;

/// Notes that the sessions of these entries were at work from the first of them to the last.
fn touch_sessions<'a>(work: &mut Work<'_>, items: &'a [Unseen]) -> Result<Sessions<'a>, Fault> {
    let mut moments: BTreeMap<(&str, &str), (Timestamp, Timestamp)> = BTreeMap::new();
    for Unseen { entry, .. } in items {
        let moment = entry.created;
        let (first, last) = moments.entry(session_of(entry)).or_insert((moment, moment));
        *first = moment.min(*first);
        *last = moment.max(*last);
    }
    let mut sessions = Sessions::new();
    for ((key, client), span) in moments {
        sessions.insert((key, client), sessions::touch(work, key, client, span)?);
    }
    Ok(sessions)
}

fn session_of(entry: &NewEntry) -> (&str, &str) {
    (&entry.session, &entry.client)
}

/// Writes the rest of the entries.
fn complete(work: &mut Work<'_>, items: &[Unseen], sessions: &Sessions<'_>) -> Result<(), Fault> {
    let entries = || items.iter().map(|item| &item.entry);
    let tickets: Vec<Option<String>> =
        entries().map(|entry| entries::ticket_of(entry.branch.as_deref())).collect();
    let written = work.execute(
        "UPDATE entry SET complete = true, kind = new.kind, title = new.title,
             source = new.source, session = new.session, branch = new.branch, created = new.created,
             digest = new.digest, ticket = new.ticket
         FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[],
             $10::text[], $11::text[])
             AS new (id, kind, title, source, session, branch, created, digest, ticket)
         WHERE entry.workspace = $1 AND entry.project = $2 AND entry.id = new.id",
        &[
            &items.iter().map(|item| item.begun.entry).collect::<Vec<_>>(),
            &entries().map(|entry| entry.kind.word()).collect::<Vec<_>>(),
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
        return Err(Fault::content("entries were swept away while others arrived"));
    }
    Ok(())
}

fn write_items(work: &mut Work<'_>, source: i64, items: &[Unseen]) -> Result<(), Fault> {
    work.execute(
        "INSERT INTO source_item (workspace, project, source, path, entry, modified, size, hash)
         SELECT $1, $2, $3, new.* FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
             $8::bytea[]) AS new",
        &[
            &source,
            &items.iter().map(|item| Name(&item.path)).collect::<Vec<_>>(),
            &items.iter().map(|item| item.begun.entry).collect::<Vec<_>>(),
            &items.iter().map(|item| item.stamp.modified).collect::<Vec<_>>(),
            &items.iter().map(|item| item.stamp.size as i64).collect::<Vec<_>>(),
            &items.iter().map(|item| item.hash.as_slice()).collect::<Vec<_>>(),
        ],
    )?;
    Ok(())
}
