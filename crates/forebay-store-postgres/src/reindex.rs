//! Reindexing of a source: items are staged in batches and replace the old ones in one transaction.

use std::collections::HashSet;

use forebay_store::{
    FileStamp, NewSource, NewSourceItem, Reindex, ReindexReport, SourceKind, StoreError,
    UnlistedItems,
};

use ::postgres::Row;

use super::connection::ScopedConn;
use super::entries;
use super::error::PgError;
use super::staging::{self, StagedItem};
use super::text::{Name, Text};
use super::{PostgresStore, purge};

/// Raw bytes and number of items that are buffered before a write.
const MAX_BUFFERED_BYTES: u64 = 2 * 1024 * 1024;
const MAX_BUFFERED_ITEMS: usize = 256;

pub(super) struct PostgresReindex<'store> {
    store: &'store PostgresStore,
    pending: Vec<NewSourceItem>,
    pending_bytes: u64,
    staged: Vec<StagedItem>,
    kept: Vec<(String, FileStamp)>,
    removed: Vec<String>,
}

impl<'store> PostgresReindex<'store> {
    pub(super) fn new(store: &'store PostgresStore) -> Self {
        Self {
            store,
            pending: Vec::new(),
            pending_bytes: 0,
            staged: Vec::new(),
            kept: Vec::new(),
            removed: Vec::new(),
        }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let pending = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        if pending.is_empty() {
            return Ok(());
        }
        let started = self.store.transaction(|conn| staging::write(conn, &pending))?;
        self.store.record_words(pending.iter().flat_map(|item| &item.chunks));
        let staged = pending.into_iter().zip(started);
        self.staged.extend(staged.map(|(item, started)| StagedItem::new(item, started)));
        Ok(())
    }
}

impl Reindex for PostgresReindex<'_> {
    fn add(&mut self, item: NewSourceItem) -> Result<(), StoreError> {
        self.pending_bytes += item.raw.bytes;
        self.pending.push(item);
        if self.pending_bytes >= MAX_BUFFERED_BYTES || self.pending.len() >= MAX_BUFFERED_ITEMS {
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
        others: UnlistedItems,
    ) -> Result<ReindexReport, StoreError> {
        self.flush()?;
        let reindexed = self.store.transaction(|conn| publish(conn, &self, source, others))?;
        self.staged.clear();
        Ok(reindexed)
    }
}

impl Drop for PostgresReindex<'_> {
    /// Deletes the staged items of an abandoned reindex; after a crash the sweep does.
    fn drop(&mut self) {
        let entries: Vec<i64> =
            std::mem::take(&mut self.staged).iter().map(|item| item.started.entry).collect();
        if entries.is_empty() {
            return;
        }
        if let Err(error) = self.store.transaction(|conn| entries::delete(conn, &entries)) {
            tracing::warn!(%error, "cannot delete an abandoned reindex; the next sweep will");
        }
    }
}

fn publish(
    conn: &mut ScopedConn<'_>,
    new: &PostgresReindex<'_>,
    source: &NewSource,
    others: UnlistedItems,
) -> Result<ReindexReport, PgError> {
    let id = write_source(conn, source)?;
    let mut reindexed = ReindexReport::default();
    let replaced = replaced(conn, new, id, others, &mut reindexed)?;
    purge::replace(conn, &replaced, &source.name, source.at)?;
    if others == UnlistedItems::Remove && source.kind != SourceKind::Folder {
        delete_documents(conn, source)?;
    }
    staging::publish(conn, id, &new.staged)?;
    let added = new.staged.iter().map(|item| (item.path.clone(), item.started.reference));
    reindexed.added.extend(added);
    write_stamps(conn, id, &new.kept)?;
    Ok(reindexed)
}

/// Returns the items that are removed or replaced, and counts both.
fn replaced(
    conn: &mut ScopedConn<'_>,
    new: &PostgresReindex<'_>,
    source: i64,
    others: UnlistedItems,
    reindexed: &mut ReindexReport,
) -> Result<Vec<Row>, PgError> {
    let added: HashSet<&str> = new.staged.iter().map(|item| item.path.as_str()).collect();
    let kept: HashSet<&str> = new.kept.iter().map(|(path, _)| path.as_str()).collect();
    let removed: HashSet<&str> = new.removed.iter().map(String::as_str).collect();
    let stays = |path: &str| match others {
        UnlistedItems::Remove => kept.contains(path),
        UnlistedItems::Keep => !removed.contains(path),
    };
    let rows = conn.query(
        "SELECT entry.id, entry.ref, item.path FROM source_item AS item
         JOIN entry ON entry.workspace = $1 AND entry.project = $2 AND entry.id = item.entry
         WHERE item.workspace = $1 AND item.project = $2 AND item.source = $3",
        &[&source],
    )?;
    let mut replaced = Vec::new();
    for row in rows {
        let path: &str = row.try_get(2)?;
        if added.contains(path) {
            reindexed.replaced += 1;
        } else if stays(path) {
            continue;
        } else {
            reindexed.removed += 1;
        }
        replaced.push(row);
    }
    Ok(replaced)
}

/// The source may have been indexed as documents before.
fn delete_documents(conn: &mut ScopedConn<'_>, source: &NewSource) -> Result<(), PgError> {
    let rows = conn.query(
        "SELECT id, ref FROM entry WHERE workspace = $1 AND project = $2 AND complete
             AND hashtextextended(source, 0) = hashtextextended($3, 0) AND source = $3
             AND kind = 'source' AND NOT EXISTS (SELECT FROM source_item AS item
                 WHERE item.workspace = $1 AND item.project = $2 AND item.entry = entry.id)",
        &[&Text(&source.name)],
    )?;
    purge::replace(conn, &rows, &source.name, source.at)
}

fn write_source(conn: &mut ScopedConn<'_>, source: &NewSource) -> Result<i64, PgError> {
    let row = conn.one(
        "INSERT INTO source (workspace, project, name, kind, path, options, indexed, checked, etag,
             last_modified, expires)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)
         ON CONFLICT (workspace, project, name) DO UPDATE SET kind = excluded.kind,
             path = excluded.path, options = excluded.options, indexed = excluded.indexed,
             checked = excluded.checked, etag = excluded.etag,
             last_modified = excluded.last_modified, expires = excluded.expires
         RETURNING id",
        &[
            &Name(&source.name),
            &source.kind.as_str(),
            &Text(&source.path),
            &Text(&source.options),
            &source.at.0,
            &source.freshness.etag.as_deref().map(Text),
            &source.freshness.last_modified.as_deref().map(Text),
            &source.freshness.expires.map(|at| at.0),
        ],
    )?;
    Ok(row.try_get(0)?)
}

/// Updates the stamps of unchanged files, which may have been touched.
fn write_stamps(
    conn: &mut ScopedConn<'_>,
    source: i64,
    kept: &[(String, FileStamp)],
) -> Result<(), PgError> {
    if kept.is_empty() {
        return Ok(());
    }
    let paths: Vec<Name<'_>> = kept.iter().map(|(path, _)| Name(path)).collect();
    let modified: Vec<i64> = kept.iter().map(|(_, stamp)| stamp.modified).collect();
    let sizes: Vec<i64> = kept.iter().map(|(_, stamp)| stamp.size as i64).collect();
    conn.execute(
        "UPDATE source_item AS item SET modified = kept.modified, size = kept.size
         FROM unnest($4::text[], $5::bigint[], $6::bigint[]) AS kept (path, modified, size)
         WHERE item.workspace = $1 AND item.project = $2 AND item.source = $3 AND item.path = kept.path",
        &[&source, &paths, &modified, &sizes],
    )?;
    Ok(())
}
