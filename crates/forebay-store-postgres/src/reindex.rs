//! A source on its way in: indexed in pieces that nobody sees, and put in place of the old in one transaction.

use std::collections::HashSet;

use forebay_store::{
    FileStamp, NewSource, NewSourceItem, Reindex, ReindexReport, SourceKind, StoreError,
    UnlistedItems,
};

use ::postgres::Row;

use super::connection::Work;
use super::entries;
use super::error::Fault;
use super::staging::{self, Unseen};
use super::text::{Name, Text};
use super::{PostgresStore, purge};

/// What is held in memory before it is written, in bytes of raw text.
const BYTES_AT_ONCE: u64 = 2 * 1024 * 1024;
const ITEMS_AT_ONCE: usize = 256;

pub(super) struct PostgresReindex<'store> {
    store: &'store PostgresStore,
    pending: Vec<NewSourceItem>,
    pending_bytes: u64,
    written: Vec<Unseen>,
    kept: Vec<(String, FileStamp)>,
    removed: Vec<String>,
}

impl<'store> PostgresReindex<'store> {
    pub(super) fn new(store: &'store PostgresStore) -> Self {
        Self {
            store,
            pending: Vec::new(),
            pending_bytes: 0,
            written: Vec::new(),
            kept: Vec::new(),
            removed: Vec::new(),
        }
    }

    fn write_out(&mut self) -> Result<(), StoreError> {
        let pending = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        if pending.is_empty() {
            return Ok(());
        }
        let begun = self.store.writing(|work| staging::write(work, &pending))?;
        self.store.learn(pending.iter().flat_map(|item| &item.chunks));
        let written = pending.into_iter().zip(begun);
        self.written.extend(written.map(|(item, begun)| Unseen::of(item, begun)));
        Ok(())
    }
}

impl Reindex for PostgresReindex<'_> {
    fn add(&mut self, item: NewSourceItem) -> Result<(), StoreError> {
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
        self.write_out()?;
        let reindexed = self.store.writing(|work| put_in_place(work, &self, source, others))?;
        self.written.clear();
        Ok(reindexed)
    }
}

impl Drop for PostgresReindex<'_> {
    /// What was given up leaves nothing; after a crash the sweep removes it.
    fn drop(&mut self) {
        let entries: Vec<i64> =
            std::mem::take(&mut self.written).iter().map(|item| item.begun.entry).collect();
        if entries.is_empty() {
            return;
        }
        if let Err(error) = self.store.writing(|work| entries::delete(work, &entries)) {
            tracing::warn!(%error, "an unfinished source stays until the next sweep");
        }
    }
}

fn put_in_place(
    work: &mut Work<'_>,
    new: &PostgresReindex<'_>,
    source: &NewSource,
    others: UnlistedItems,
) -> Result<ReindexReport, Fault> {
    let id = write_source(work, source)?;
    let mut reindexed = ReindexReport::default();
    let replaced = replaced(work, new, id, others, &mut reindexed)?;
    purge::replace(work, &replaced, &source.name, source.at)?;
    if others == UnlistedItems::Remove && source.kind != SourceKind::Folder {
        forget_documents(work, source)?;
    }
    staging::reveal(work, id, &new.written)?;
    let added = new.written.iter().map(|item| (item.path.clone(), item.begun.reference));
    reindexed.added.extend(added);
    write_stamps(work, id, &new.kept)?;
    Ok(reindexed)
}

/// Items that go or have a new one in their place; both are counted.
fn replaced(
    work: &mut Work<'_>,
    new: &PostgresReindex<'_>,
    source: i64,
    others: UnlistedItems,
    reindexed: &mut ReindexReport,
) -> Result<Vec<Row>, Fault> {
    let added: HashSet<&str> = new.written.iter().map(|item| item.path.as_str()).collect();
    let kept: HashSet<&str> = new.kept.iter().map(|(path, _)| path.as_str()).collect();
    let removed: HashSet<&str> = new.removed.iter().map(String::as_str).collect();
    let stays = |path: &str| match others {
        UnlistedItems::Remove => kept.contains(path),
        UnlistedItems::Keep => !removed.contains(path),
    };
    let rows = work.query(
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

/// The same name may have held documents before.
fn forget_documents(work: &mut Work<'_>, source: &NewSource) -> Result<(), Fault> {
    let rows = work.query(
        "SELECT id, ref FROM entry WHERE workspace = $1 AND project = $2 AND complete
             AND hashtextextended(source, 0) = hashtextextended($3, 0) AND source = $3
             AND kind = 'source' AND NOT EXISTS (SELECT FROM source_item AS item
                 WHERE item.workspace = $1 AND item.project = $2 AND item.entry = entry.id)",
        &[&Text(&source.name)],
    )?;
    purge::replace(work, &rows, &source.name, source.at)
}

fn write_source(work: &mut Work<'_>, source: &NewSource) -> Result<i64, Fault> {
    let row = work.one(
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
            &source.kind.word(),
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

/// What is kept may have been touched since.
fn write_stamps(
    work: &mut Work<'_>,
    source: i64,
    kept: &[(String, FileStamp)],
) -> Result<(), Fault> {
    if kept.is_empty() {
        return Ok(());
    }
    let paths: Vec<Name<'_>> = kept.iter().map(|(path, _)| Name(path)).collect();
    let modified: Vec<i64> = kept.iter().map(|(_, stamp)| stamp.modified).collect();
    let sizes: Vec<i64> = kept.iter().map(|(_, stamp)| stamp.size as i64).collect();
    work.execute(
        "UPDATE source_item AS item SET modified = kept.modified, size = kept.size
         FROM unnest($4::text[], $5::bigint[], $6::bigint[]) AS kept (path, modified, size)
         WHERE item.workspace = $1 AND item.project = $2 AND item.source = $3 AND item.path = kept.path",
        &[&source, &paths, &modified, &sizes],
    )?;
    Ok(())
}
