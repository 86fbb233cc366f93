//! Sources: items are written invisibly and replace the old ones in one transaction.

use foldhash::HashSet;
use forebay_domain::{Reference, Timestamp};
use forebay_store::blob::writer::{BlobContent, StartedEntry};
use forebay_store::{
    FileStamp, Freshness, NewEntry, NewSource, NewSourceItem, Reindex, ReindexReport, Source,
    SourceItem, SourceKind, StoreError, UnlistedItems,
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::entries::{self, ItemWriter, Visibility};
use super::inverted_index::{AssignedIds, BatchBuilder};
use super::{SqliteStore, blobs, chunks, purge, sessions};

/// Maximum raw bytes kept in memory; bounds the duration of a write transaction.
const MAX_PENDING_BYTES: u64 = 2 * 1024 * 1024;
const MAX_PENDING_ITEMS: usize = 1_024;

const SOURCES: &str = "
    SELECT name, kind, path, options, indexed, checked, etag, last_modified, expires,
        (SELECT count(*) FROM source_item WHERE source = source.id),
        (SELECT coalesce(sum(blob.bytes), 0) FROM source_item
         JOIN entry ON entry.id = source_item.entry JOIN blob ON blob.id = entry.blob
         WHERE source_item.source = source.id)
    FROM source";

/// Returns all sources by name, including documents, which have no row of their own.
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

/// Returns the source of this name, if it has a row of its own.
pub(super) fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<Source>> {
    connection
        .prepare_cached(&format!("{SOURCES} WHERE name = ?1"))?
        .query_row([name], read_source)
        .optional()
}

/// Returns files and folders not checked within a period, as of its end.
pub(super) fn stale(
    connection: &Connection,
    (from, to): (Timestamp, Timestamp),
) -> rusqlite::Result<Vec<NewSource>> {
    let read = |row: &Row<'_>| {
        Ok(NewSource {
            name: row.get(0)?,
            kind: SourceKind::parse(&row.get::<_, String>(1)?),
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
        kind: SourceKind::parse(&row.get::<_, String>(1)?),
        path: row.get(2)?,
        options: row.get(3)?,
        indexed: Timestamp(row.get(4)?),
        checked: Timestamp(row.get(5)?),
        freshness: read_freshness(row, 6)?,
        entries: row.get::<_, i64>(9)? as u64,
        bytes: row.get::<_, i64>(10)? as u64,
    })
}

/// Returns path and stamp of each file at the time it was indexed.
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

/// Returns the items of a source, by path.
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

/// Deletes sources without items.
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
    /// Items to be written; the texts of their chunks are dropped after indexing.
    pending: Vec<NewSourceItem>,
    pending_bytes: u64,
    pending_chunks: i64,
    written: Vec<WrittenItem>,
    /// Index of all chunks; they are invisible, so it may be written later than they are.
    index: BatchBuilder,
    kept: Vec<(String, FileStamp)>,
    removed: Vec<String>,
}

/// An item whose bytes and chunks are written.
struct WrittenItem {
    started: StartedEntry,
    path: String,
    stamp: FileStamp,
    hash: [u8; 32],
}

impl WrittenItem {
    fn new((item, started): (NewSourceItem, StartedEntry)) -> Self {
        Self { started, path: item.path, stamp: item.stamp, hash: item.hash }
    }
}

impl<'store> SqliteReindex<'store> {
    pub(super) fn new(store: &'store SqliteStore) -> Self {
        Self {
            store,
            pending: Vec::new(),
            pending_bytes: 0,
            pending_chunks: 0,
            written: Vec::new(),
            index: BatchBuilder::default(),
            kept: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Indexes an item's chunks and drops their texts, to save memory.
    fn index_item(&mut self, item: &mut NewSourceItem) {
        for chunk in &mut item.chunks {
            self.index.add(self.pending_chunks, chunk);
            self.pending_chunks += 1;
            (chunk.text, chunk.context) = (String::new(), String::new());
        }
    }

    fn take_pending(&mut self) -> Vec<NewSourceItem> {
        (self.pending_bytes, self.pending_chunks) = (0, 0);
        std::mem::take(&mut self.pending)
    }

    /// Writes pending items while more may come.
    fn flush(&mut self) -> Result<(), StoreError> {
        let pending = self.take_pending();
        let (written, assigned) = self
            .store
            .transaction(|transaction| write_all(transaction, pending, Visibility::Hidden))?;
        self.index.assign_ids(&assigned.into_ids());
        self.written.extend(written);
        if let Some(index) = self.index.take_closed() {
            let none = |_: &Transaction<'_>| Ok(((), AssignedIds::default()));
            self.store.write_built(index, none, |_, ()| Ok(()))?;
        }
        Ok(())
    }
}

/// Writes items and their chunks.
fn write_all(
    transaction: &Transaction<'_>,
    items: Vec<NewSourceItem>,
    visibility: Visibility,
) -> rusqlite::Result<(Vec<WrittenItem>, AssignedIds)> {
    let (mut started, mut assigned) = (Vec::with_capacity(items.len()), AssignedIds::default());
    if items.is_empty() {
        return Ok((Vec::new(), assigned));
    }
    let mut blobs = blobs::Writer::new(transaction)?;
    let mut entries = ItemWriter::with_expected(transaction, items.len(), visibility)?;
    let mut chunks = chunks::Writer::new(transaction)?;
    for items in items.chunk_by(|a, b| has_same_session(&a.entry, &b.entry)) {
        let session = touch_session(transaction, items)?;
        for item in items {
            let blob = blobs.write(&BlobContent::new(&item.raw, &item.chunks))?;
            let entry = entries.write(blob, session, &item.entry)?;
            chunks.write(entry.entry, &item.chunks, &mut assigned)?;
            started.push(entry);
        }
    }
    chunks.finish()?;
    Ok((items.into_iter().zip(started).map(WrittenItem::new).collect(), assigned))
}

fn has_same_session(one: &NewEntry, other: &NewEntry) -> bool {
    (&one.session, &one.client) == (&other.session, &other.client)
}

/// Records the activity of the session that created these items; returns its id.
fn touch_session(transaction: &Transaction<'_>, items: &[NewSourceItem]) -> rusqlite::Result<i64> {
    let made = items.iter().map(|item| item.entry.created);
    let span = (made.clone().min().unwrap_or_default(), made.max().unwrap_or_default());
    let NewEntry { session, client, .. } = &items[0].entry;
    sessions::touch(transaction, session, client, span)
}

impl Reindex for SqliteReindex<'_> {
    fn add(&mut self, mut item: NewSourceItem) -> Result<(), StoreError> {
        self.index_item(&mut item);
        self.pending_bytes += item.raw.bytes;
        self.pending.push(item);
        if self.pending_bytes >= MAX_PENDING_BYTES || self.pending.len() >= MAX_PENDING_ITEMS {
            self.flush()?;
        }
        Ok(())
    }

    fn keep_unchanged(&mut self, path: &str, stamp: FileStamp) {
        self.kept.push((path.to_owned(), stamp));
    }

    fn remove(&mut self, path: &str) {
        self.removed.push(path.to_owned());
    }

    fn finish(
        mut self: Box<Self>,
        source: &NewSource,
        unlisted: UnlistedItems,
    ) -> Result<ReindexReport, StoreError> {
        let (pending, index) = (self.take_pending(), self.index.close());
        let report = self.store.write_built(
            index,
            |transaction| write_all(transaction, pending, Visibility::Immediate),
            |transaction, last| {
                let written: Vec<&WrittenItem> = self.written.iter().chain(&last).collect();
                let report = apply(transaction, &self, &written, source, unlisted)?;
                make_visible(transaction, &self.written)?;
                Ok(report)
            },
        )?;
        self.written.clear();
        Ok(report)
    }
}

impl Drop for SqliteReindex<'_> {
    /// Deletes the items of an abandoned reindex; after a crash the next purge does.
    fn drop(&mut self) {
        let written = std::mem::take(&mut self.written);
        if written.is_empty() {
            return;
        }
        let removed = self.store.transaction(|transaction| {
            written.iter().try_for_each(|item| entries::delete(transaction, item.started.entry))
        });
        if let Err(error) = removed {
            tracing::warn!(%error, "cannot delete an unfinished source; the next purge will");
        }
    }
}

fn apply(
    transaction: &Transaction<'_>,
    new: &SqliteReindex<'_>,
    written: &[&WrittenItem],
    source: &NewSource,
    unlisted: UnlistedItems,
) -> rusqlite::Result<ReindexReport> {
    let id = write_source(transaction, source)?;
    let mut report = ReindexReport::default();
    let added: HashSet<&str> = written.iter().map(|item| item.path.as_str()).collect();
    let kept: HashSet<&str> = new.kept.iter().map(|(path, _)| path.as_str()).collect();
    let removed: HashSet<&str> = new.removed.iter().map(String::as_str).collect();
    let stays = |path: &str| match unlisted {
        UnlistedItems::Remove => kept.contains(path),
        UnlistedItems::Keep => !removed.contains(path),
    };
    for (path, entry, reference) in existing_items(transaction, id)? {
        if added.contains(path.as_str()) {
            report.replaced += 1;
        } else if stays(&path) {
            continue;
        } else {
            report.removed += 1;
        }
        purge::replace(transaction, entry, reference, &source.name, source.at)?;
    }
    write_items(transaction, id, written)?;
    if unlisted == UnlistedItems::Remove && source.kind != SourceKind::Folder {
        delete_documents(transaction, source)?;
    }
    let added = written.iter().map(|item| (item.path.clone(), item.started.reference));
    report.added.extend(added);
    for (path, stamp) in &new.kept {
        transaction
            .prepare_cached(
                "UPDATE source_item SET modified = ?3, size = ?4 WHERE source = ?1 AND path = ?2",
            )?
            .execute((id, path, stamp.modified, stamp.size as i64))?;
    }
    Ok(report)
}

/// Deletes documents stored under the same name, which are not items.
fn delete_documents(transaction: &Transaction<'_>, source: &NewSource) -> rusqlite::Result<()> {
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
                source.kind.as_str(),
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

fn existing_items(
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
    items: &[&WrittenItem],
) -> rusqlite::Result<()> {
    let mut write = transaction.prepare_cached(
        "INSERT INTO source_item (source, path, entry, modified, size, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for item in items {
        write.execute((
            source,
            &item.path,
            item.started.entry,
            item.stamp.modified,
            item.stamp.size as i64,
            item.hash,
        ))?;
    }
    Ok(())
}

/// Makes items visible.
fn make_visible(transaction: &Transaction<'_>, items: &[WrittenItem]) -> rusqlite::Result<()> {
    let mut make_visible =
        transaction.prepare_cached("UPDATE entry SET complete = 1 WHERE id BETWEEN ?1 AND ?2")?;
    // Ids written in one transaction are consecutive and updated together.
    for consecutive in items.chunk_by(|a, b| a.started.entry + 1 == b.started.entry) {
        let (first, last) = (&consecutive[0], &consecutive[consecutive.len() - 1]);
        make_visible.execute((first.started.entry, last.started.entry))?;
    }
    Ok(())
}

/// Records that a source was checked, and when it expires.
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
