//! Sources: indexed in pieces that nobody sees, and put in place of the old in one transaction.

use std::collections::HashSet;

use forebay_domain::{Reference, Timestamp};
use forebay_store::blob::writer::{BlobContent, StartedEntry};
use forebay_store::{
    FileStamp, Freshness, NewEntry, NewSource, NewSourceItem, Reindex, ReindexReport, Source,
    SourceItem, SourceKind, StoreError, UnlistedItems,
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::entries::{self, ItemWriter, Seen};
use super::inverted_index::{Gathered, Placed};
use super::{SqliteStore, blobs, chunks, purge, sessions};

/// What is held in memory before it is written, in bytes of raw text: others wait for no longer than that takes.
const BYTES_AT_ONCE: u64 = 2 * 1024 * 1024;
const ITEMS_AT_ONCE: usize = 1_024;

const SOURCES: &str = "
    SELECT name, kind, path, options, indexed, checked, etag, last_modified, expires,
        (SELECT count(*) FROM source_item WHERE source = source.id),
        (SELECT coalesce(sum(blob.bytes), 0) FROM source_item
         JOIN entry ON entry.id = source_item.entry JOIN blob ON blob.id = entry.blob
         WHERE source_item.source = source.id)
    FROM source";

/// Sources by name, those without a row of their own (indexed as documents) among them.
pub(super) fn list(connection: &Connection) -> rusqlite::Result<Vec<Source>> {
    connection
        .prepare_cached(&format!(
            "{SOURCES} UNION ALL
             SELECT entry.source, 'documents', '', '', max(entry.created), max(entry.created),
                 NULL, NULL, NULL, count(*), sum(blob.bytes)
             FROM entry JOIN blob ON blob.id = entry.blob
             WHERE entry.complete AND entry.kind = 'source'
                 AND NOT EXISTS (SELECT 1 FROM source_item WHERE source_item.entry = entry.id)
             GROUP BY entry.source
             ORDER BY 1"
        ))?
        .query_map([], read_source)?
        .collect()
}

/// The source of this name, if it has a row of its own.
pub(super) fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<Source>> {
    connection
        .prepare_cached(&format!("{SOURCES} WHERE name = ?1"))?
        .query_row([name], read_source)
        .optional()
}

/// Files and folders that nobody looked at between two moments, as of the later one.
pub(super) fn unchecked(
    connection: &Connection,
    (from, to): (Timestamp, Timestamp),
) -> rusqlite::Result<Vec<NewSource>> {
    let read = |row: &Row<'_>| {
        Ok(NewSource {
            name: row.get(0)?,
            kind: SourceKind::from_word(&row.get::<_, String>(1)?),
            path: row.get(2)?,
            options: row.get(3)?,
            at: to,
            freshness: read_freshness(row, 4)?,
        })
    };
    connection
        .prepare_cached(
            "SELECT name, kind, path, options, etag, last_modified, expires FROM source
             WHERE kind IN ('file', 'folder') AND (checked < ?1 OR checked > ?2)",
        )?
        .query_map((from.0, to.0), read)?
        .collect()
}

fn read_freshness(row: &Row<'_>, first: usize) -> rusqlite::Result<Freshness> {
    Ok(Freshness {
        etag: row.get(first)?,
        last_modified: row.get(first + 1)?,
        expires: row.get::<_, Option<i64>>(first + 2)?.map(Timestamp),
    })
}

fn read_source(row: &Row<'_>) -> rusqlite::Result<Source> {
    Ok(Source {
        name: row.get(0)?,
        kind: SourceKind::from_word(&row.get::<_, String>(1)?),
        path: row.get(2)?,
        options: row.get(3)?,
        indexed: Timestamp(row.get(4)?),
        checked: Timestamp(row.get(5)?),
        freshness: read_freshness(row, 6)?,
        entries: row.get::<_, i64>(9)? as u64,
        bytes: row.get::<_, i64>(10)? as u64,
    })
}

/// What each file of a source looked like when it was indexed.
pub(super) fn stamps(
    connection: &Connection,
    source: &str,
) -> rusqlite::Result<Vec<(String, FileStamp)>> {
    connection
        .prepare_cached(
            "SELECT source_item.path, modified, size
             FROM source JOIN source_item ON source_item.source = source.id WHERE source.name = ?1",
        )?
        .query_map([source], |row| Ok((row.get(0)?, read_stamp(row, 1)?)))?
        .collect()
}

fn read_stamp(row: &Row<'_>, first: usize) -> rusqlite::Result<FileStamp> {
    Ok(FileStamp { modified: row.get(first)?, size: row.get::<_, i64>(first + 1)? as u64 })
}

/// The entries of a source in the order of their paths.
pub(super) fn items(connection: &Connection, source: &str) -> rusqlite::Result<Vec<SourceItem>> {
    connection
        .prepare_cached(
            "SELECT source_item.path, entry.ref, modified, size, source_item.hash, blob.bytes
             FROM source JOIN source_item ON source_item.source = source.id
             JOIN entry ON entry.id = source_item.entry JOIN blob ON blob.id = entry.blob
             WHERE source.name = ?1 ORDER BY source_item.path",
        )?
        .query_map([source], |row| {
            Ok(SourceItem {
                path: row.get(0)?,
                reference: entries::parse_reference(&row.get::<_, String>(1)?)?,
                stamp: read_stamp(row, 2)?,
                hash: row.get(4)?,
                bytes: row.get::<_, i64>(5)? as u64,
            })
        })?
        .collect()
}

/// Removes rows of sources that have nothing left.
pub(super) fn drop_empty(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "DELETE FROM source WHERE NOT EXISTS (SELECT 1 FROM source_item WHERE source = source.id)",
        )?
        .execute([])
        .map(drop)
}

pub(super) struct SqliteReindex<'store> {
    store: &'store SqliteStore,
    /// What is not written yet; of its passages the texts are gone.
    pending: Vec<NewSourceItem>,
    pending_bytes: u64,
    pending_passages: i64,
    written: Vec<Written>,
    /// The words of all passages: nobody sees any yet, so they need not be there before all of them are.
    words: Gathered,
    kept: Vec<(String, FileStamp)>,
    removed: Vec<String>,
}

/// An item whose bytes and passages are written.
struct Written {
    begun: StartedEntry,
    path: String,
    stamp: FileStamp,
    hash: [u8; 32],
}

impl Written {
    fn new((item, begun): (NewSourceItem, StartedEntry)) -> Self {
        Self { begun, path: item.path, stamp: item.stamp, hash: item.hash }
    }
}

impl<'store> SqliteReindex<'store> {
    pub(super) fn new(store: &'store SqliteStore) -> Self {
        Self {
            store,
            pending: Vec::new(),
            pending_bytes: 0,
            pending_passages: 0,
            written: Vec::new(),
            words: Gathered::default(),
            kept: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Takes the words of an item's passages, and with them their texts: they are at hand now, and nobody reads them
    /// again.
    fn gather_words(&mut self, item: &mut NewSourceItem) {
        for chunk in &mut item.chunks {
            self.words.add(self.pending_passages, chunk);
            self.pending_passages += 1;
            (chunk.text, chunk.around) = (String::new(), String::new());
        }
    }

    fn take_pending(&mut self) -> Vec<NewSourceItem> {
        (self.pending_bytes, self.pending_passages) = (0, 0);
        std::mem::take(&mut self.pending)
    }

    /// Writes what is pending, although more will come.
    fn write_out(&mut self) -> Result<(), StoreError> {
        let pending = self.take_pending();
        let (written, placed) =
            self.store.writing(|transaction| write_all(transaction, pending, Seen::Later))?;
        self.words.name_passages(&placed.into_ids());
        self.written.extend(written);
        if let Some(words) = self.words.take_full() {
            let none = |_: &Transaction<'_>| Ok(((), Placed::default()));
            self.store.writing_gathered(words, none, |_, ()| Ok(()))?;
        }
        Ok(())
    }
}

/// Writes items and their passages.
fn write_all(
    transaction: &Transaction<'_>,
    items: Vec<NewSourceItem>,
    seen: Seen,
) -> rusqlite::Result<(Vec<Written>, Placed)> {
    let (mut begun, mut placed) = (Vec::with_capacity(items.len()), Placed::default());
    if items.is_empty() {
        return Ok((Vec::new(), placed));
    }
    let mut blobs = blobs::Writer::new(transaction)?;
    let mut entries = ItemWriter::expecting(transaction, items.len(), seen)?;
    let mut passages = chunks::Writer::new(transaction)?;
    for items in items.chunk_by(|a, b| has_same_maker(&a.entry, &b.entry)) {
        let session = touch_session(transaction, items)?;
        for item in items {
            let blob = blobs.write(&BlobContent::of(&item.raw, &item.chunks))?;
            let entry = entries.write(blob, session, &item.entry)?;
            passages.write(entry.entry, &item.chunks, &mut placed)?;
            begun.push(entry);
        }
    }
    passages.finish()?;
    Ok((items.into_iter().zip(begun).map(Written::new).collect(), placed))
}

fn has_same_maker(one: &NewEntry, other: &NewEntry) -> bool {
    (&one.session, &one.client) == (&other.session, &other.client)
}

/// Notes that the session which made these items was at work all the while; gives its number.
fn touch_session(transaction: &Transaction<'_>, items: &[NewSourceItem]) -> rusqlite::Result<i64> {
    let made = items.iter().map(|item| item.entry.created);
    let span = (made.clone().min().unwrap_or_default(), made.max().unwrap_or_default());
    let NewEntry { session, client, .. } = &items[0].entry;
    sessions::touch(transaction, session, client, span)
}

impl Reindex for SqliteReindex<'_> {
    fn add(&mut self, mut item: NewSourceItem) -> Result<(), StoreError> {
        self.gather_words(&mut item);
        self.pending_bytes += item.raw.bytes;
        self.pending.push(item);
        if self.pending_bytes >= BYTES_AT_ONCE || self.pending.len() >= ITEMS_AT_ONCE {
            self.write_out()?;
        }
        Ok(())
    }

    fn keep(&mut self, path: &str, stamp: FileStamp) {
        self.kept.push((path.to_owned(), stamp));
    }

    fn remove(&mut self, path: &str) {
        self.removed.push(path.to_owned());
    }

    fn finish(
        mut self: Box<Self>,
        source: &NewSource,
        others: UnlistedItems,
    ) -> Result<ReindexReport, StoreError> {
        let (pending, words) = (self.take_pending(), self.words.close());
        let reindexed = self.store.writing_gathered(
            words,
            |transaction| write_all(transaction, pending, Seen::WithTheTransaction),
            |transaction, last| {
                let written: Vec<&Written> = self.written.iter().chain(&last).collect();
                let reindexed = put_in_place(transaction, &self, &written, source, others)?;
                reveal(transaction, &self.written)?;
                Ok(reindexed)
            },
        )?;
        self.written.clear();
        Ok(reindexed)
    }
}

impl Drop for SqliteReindex<'_> {
    /// What was given up leaves nothing; after a crash the sweep removes it.
    fn drop(&mut self) {
        let written = std::mem::take(&mut self.written);
        if written.is_empty() {
            return;
        }
        let removed = self.store.writing(|transaction| {
            written.iter().try_for_each(|item| entries::delete(transaction, item.begun.entry))
        });
        if let Err(error) = removed {
            tracing::warn!(%error, "an unfinished source stays until the next sweep");
        }
    }
}

fn put_in_place(
    transaction: &Transaction<'_>,
    new: &SqliteReindex<'_>,
    written: &[&Written],
    source: &NewSource,
    others: UnlistedItems,
) -> rusqlite::Result<ReindexReport> {
    let id = write_source(transaction, source)?;
    let mut reindexed = ReindexReport::default();
    let added: HashSet<&str> = written.iter().map(|item| item.path.as_str()).collect();
    let kept: HashSet<&str> = new.kept.iter().map(|(path, _)| path.as_str()).collect();
    let removed: HashSet<&str> = new.removed.iter().map(String::as_str).collect();
    let stays = |path: &str| match others {
        UnlistedItems::Go => kept.contains(path),
        UnlistedItems::Stay => !removed.contains(path),
    };
    for (path, entry, reference) in old_items(transaction, id)? {
        if added.contains(path.as_str()) {
            reindexed.replaced += 1;
        } else if stays(&path) {
            continue;
        } else {
            reindexed.gone += 1;
        }
        purge::replace(transaction, entry, reference, &source.name, source.at)?;
    }
    write_items(transaction, id, written)?;
    if others == UnlistedItems::Go && source.kind != SourceKind::Folder {
        forget_documents(transaction, source)?;
    }
    let added = written.iter().map(|item| (item.path.clone(), item.begun.reference));
    reindexed.added.extend(added);
    for (path, stamp) in &new.kept {
        transaction
            .prepare_cached(
                "UPDATE source_item SET modified = ?3, size = ?4 WHERE source = ?1 AND path = ?2",
            )?
            .execute((id, path, stamp.modified, stamp.size as i64))?;
    }
    Ok(reindexed)
}

/// The same name may have held documents before, which are no items.
fn forget_documents(transaction: &Transaction<'_>, source: &NewSource) -> rusqlite::Result<()> {
    let documents: Vec<(i64, String)> = transaction
        .prepare_cached(
            "SELECT id, ref FROM entry WHERE complete AND source = ?1 AND kind = 'source'
                 AND NOT EXISTS (SELECT 1 FROM source_item WHERE source_item.entry = entry.id)",
        )?
        .query_map([&source.name], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (entry, reference) in &documents {
        let reference = entries::parse_reference(reference)?;
        purge::replace(transaction, *entry, reference, &source.name, source.at)?;
    }
    Ok(())
}

fn write_source(transaction: &Transaction<'_>, source: &NewSource) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO source (name, kind, path, options, indexed, checked, etag, last_modified, expires)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8)
             ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, path = excluded.path,
                 options = excluded.options, indexed = excluded.indexed, checked = excluded.checked,
                 etag = excluded.etag, last_modified = excluded.last_modified,
                 expires = excluded.expires
             RETURNING id",
        )?
        .query_row(
            (
                &source.name,
                source.kind.word(),
                &source.path,
                &source.options,
                source.at.0,
                &source.freshness.etag,
                &source.freshness.last_modified,
                source.freshness.expires.map(|at| at.0),
            ),
            |row| row.get(0),
        )
}

fn old_items(
    transaction: &Transaction<'_>,
    source: i64,
) -> rusqlite::Result<Vec<(String, i64, Reference)>> {
    transaction
        .prepare_cached(
            "SELECT path, entry.id, entry.ref FROM source_item
             JOIN entry ON entry.id = source_item.entry WHERE source_item.source = ?1",
        )?
        .query_map([source], |row| {
            Ok((row.get(0)?, row.get(1)?, entries::parse_reference(&row.get::<_, String>(2)?)?))
        })?
        .collect()
}

fn write_items(
    transaction: &Transaction<'_>,
    source: i64,
    items: &[&Written],
) -> rusqlite::Result<()> {
    let mut write = transaction.prepare_cached(
        "INSERT INTO source_item (source, path, entry, modified, size, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for item in items {
        write.execute((
            source,
            &item.path,
            item.begun.entry,
            item.stamp.modified,
            item.stamp.size as i64,
            item.hash,
        ))?;
    }
    Ok(())
}

/// Makes items visible.
fn reveal(transaction: &Transaction<'_>, items: &[Written]) -> rusqlite::Result<()> {
    let mut reveal =
        transaction.prepare_cached("UPDATE entry SET complete = 1 WHERE id BETWEEN ?1 AND ?2")?;
    // Those of one transaction follow each other, and are revealed at once.
    for together in items.chunk_by(|a, b| a.begun.entry + 1 == b.begun.entry) {
        let (first, last) = (&together[0], &together[together.len() - 1]);
        reveal.execute((first.begun.entry, last.begun.entry))?;
    }
    Ok(())
}

/// Notes that a source was looked at, and until when it need not be again.
pub(super) fn mark_source_checked(
    transaction: &Transaction<'_>,
    name: &str,
    at: Timestamp,
    expires: Option<Timestamp>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE source SET checked = ?2, expires = coalesce(?3, expires) WHERE name = ?1",
        )?
        .execute((name, at.0, expires.map(|at| at.0)))
        .map(drop)
}
