//! In-memory cache of a project's index: a snapshot of all words and embeddings, or, if the project is too large, an
//! LRU cache of posting lists.
//!
//! Before each search it reads the delta since the last sync. Each row carries the transaction that wrote it;
//! transactions that were in progress at the last sync are read again, so that late commits are not missed. Deletions
//! are detected when a chunk is requested, or by the purge count in the project's row.

mod chunk;
mod delta;
mod inverted_index;
mod load_gate;
mod posting_lists;
mod snapshot;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use forebay_store::document::ChunkRanges;
use forebay_store::query_batcher::QueryBatcher;
use forebay_store::vector_index::{Neighbours, VectorQuery};
use forebay_store::{Embedding, IndexQuery, PurgeReport};
use parking_lot::{Mutex, MutexGuard, RwLock};

pub(super) use self::chunk::ChunkAttributes;
use self::chunk::ChunkRow;
use self::delta::{ChangeProbe, Cursor, Delta, Progress};
pub(super) use self::inverted_index::WordQuery;
use self::load_gate::LoadGate;
use self::posting_lists::PostingListCache;
pub(super) use self::posting_lists::{Posting, PostingList};
use self::snapshot::{Model, Snapshot};
use super::connection::{ProjectScope, ScopedConn};
use super::counts::{Counts, Sizes};
use super::error::PgError;
use super::lexemes::Occurrence;
use super::pool::Pool;
use super::single_flight::SingleFlight;
use super::vectors::build_index_if_large;

/// Queries after which the snapshot is loaded; before that, the server's indexes answer.
const LOAD_AFTER_QUERIES: usize = 30;
/// Maximum number of chunks cached as deleted, and with cached attributes.
const MAX_GONE: usize = 1_000;
const MAX_ATTRIBUTES: usize = 200_000;

#[derive(Debug, Default)]
pub(super) struct IndexCache {
    /// One search syncs at a time, and concurrent ones share its result.
    progress: SingleFlight<Progress>,
    /// Incremented when entries may have been deleted.
    purge_epoch: AtomicU64,
    /// Number of queries.
    queries: AtomicUsize,
    load_gate: LoadGate,
    is_too_large: AtomicBool,
    /// This process purged entries and has not synced since.
    was_purged: AtomicBool,
    snapshot: RwLock<Option<Snapshot>>,
    batcher: QueryBatcher<VectorQuery<Model>, Neighbours>,
    /// Held while the server scans many vectors.
    scan_lock: Mutex<()>,
    lists: RwLock<PostingListCache>,
    attributes: RwLock<AttributeCache>,
}

#[derive(Debug, Default)]
struct AttributeCache {
    gone: HashSet<i64>,
    of_chunks: HashMap<i64, ChunkAttributes>,
}

impl IndexCache {
    /// Syncs the cache with the server; returns the newest chunk.
    pub(super) fn sync(&self, conn: &mut ScopedConn<'_>) -> Result<i64, PgError> {
        let progress =
            self.progress.refresh(|_| true, |progress| self.sync_progress(conn, progress))?;
        Ok(progress.state.newest)
    }

    fn sync_progress(
        &self,
        conn: &mut ScopedConn<'_>,
        progress: &mut Progress,
    ) -> Result<(), PgError> {
        self.was_purged.store(false, Ordering::SeqCst);
        let Some(probe) = ChangeProbe::read(conn)? else { return Ok(()) };
        let ChangeProbe { state, until, .. } = probe;
        let (is_first, is_purged) =
            (progress.since.is_none(), state.purges != progress.state.purges);
        if is_purged || probe.has_purged(progress.since) {
            self.purge_epoch.fetch_add(1, Ordering::SeqCst);
        }
        if is_first || state.renewals != progress.state.renewals {
            self.reset(progress);
        } else {
            let has_added = probe.has_added(progress.since);
            self.apply_changes(conn, progress, is_purged, has_added)?;
        }
        progress.read.retain(|_, transaction| *transaction >= until);
        progress.since = Some(until);
        progress.state = state;
        Ok(())
    }

    /// Adds new chunks and removes purged ones; clears the cache if that costs more than it holds.
    fn apply_changes(
        &self,
        conn: &mut ScopedConn<'_>,
        progress: &mut Progress,
        is_purged: bool,
        has_added: bool,
    ) -> Result<(), PgError> {
        let has_snapshot = self.has_snapshot();
        if is_purged && !has_snapshot {
            self.reset(progress);
            return Ok(());
        }
        if is_purged {
            self.remove_deleted(conn)?;
        }
        if !has_added {
            return Ok(());
        }
        let model = self.model();
        let read: Vec<i64> = progress.read.keys().copied().collect();
        let delta = Delta::read(conn, &model, Cursor::from_transaction(progress.since), &read)?;
        if !has_snapshot && delta.has_more() {
            self.reset(progress);
            return Ok(());
        }
        self.add_pages(conn, delta, (&model, &read), |chunk, transaction| {
            progress.read.insert(chunk, transaction);
        })
    }

    fn reset(&self, progress: &mut Progress) {
        self.clear();
        progress.read.clear();
    }

    /// Returns the purge epoch: as long as it is unchanged, every chunk that existed still does.
    pub(super) fn purge_epoch(&self) -> u64 {
        self.purge_epoch.load(Ordering::SeqCst)
    }

    /// Adds a page and all following pages.
    fn add_pages(
        &self,
        conn: &mut ScopedConn<'_>,
        mut delta: Delta,
        (model, read): (&Model, &[i64]),
        mut note: impl FnMut(i64, u64),
    ) -> Result<(), PgError> {
        let project = conn.scope().project.to_string();
        loop {
            let chunks = delta.chunks()?;
            let Some((last, transaction)) = chunks.last() else { return Ok(()) };
            let cursor = Cursor { transaction: Some(*transaction), chunk: last.id };
            for (chunk, transaction) in &chunks {
                note(chunk.id, *transaction);
            }
            self.add(chunks.into_iter().map(|(chunk, _)| chunk).collect(), &project);
            if !delta.has_more() {
                return Ok(());
            }
            delta = Delta::read(conn, model, cursor, read)?;
        }
    }

    fn add(&self, new: Vec<ChunkRow<'_>>, project: &str) {
        self.lists.write().add(&new, project);
        self.attributes.write().add(new.iter().map(|new| (new.id, new.attributes)));
        if let Some(snapshot) = &mut *self.snapshot.write() {
            for new in &new {
                snapshot.add(new, project);
            }
        }
    }

    /// Invalidates cached words after a purge by this process, until the next sync.
    pub(super) fn invalidate_after(&self, purged: &PurgeReport) {
        if purged.entries > 0 {
            self.purge_epoch.fetch_add(1, Ordering::SeqCst);
            self.was_purged.store(true, Ordering::SeqCst);
            self.lists.write().clear();
        }
    }

    fn clear(&self) {
        *self.snapshot.write() = None;
        self.lists.write().clear();
        *self.attributes.write() = AttributeCache::default();
        self.is_too_large.store(false, Ordering::SeqCst);
    }

    /// Removes deleted chunks from the cache.
    fn remove_deleted(&self, conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
        let existing = snapshot::chunk_ids(conn)?;
        self.lists.write().clear();
        let mut attributes = self.attributes.write();
        attributes.gone.clear();
        attributes.of_chunks.retain(|chunk, _| existing.contains(chunk));
        drop(attributes);
        let mut guard = self.snapshot.write();
        if let Some(snapshot) = &mut *guard {
            snapshot.retain(&existing);
        }
        // Deleted chunks cost memory and time in every search.
        if guard.as_ref().is_some_and(|snapshot| snapshot.words.is_mostly_deleted()) {
            *guard = None;
        }
        Ok(())
    }

    /// Registers a running search. Under load the snapshot is loaded soon, and searches wait for a load in progress.
    pub(super) fn enter(&self) -> impl Drop {
        let search = self.load_gate.enter();
        let may_load = !self.has_snapshot() && !self.is_too_large.load(Ordering::SeqCst);
        if may_load && search.should_wait() {
            self.queries.fetch_add(LOAD_AFTER_QUERIES, Ordering::SeqCst);
            search.wait();
        }
        search
    }

    /// Counts a query and loads the snapshot once there were enough: inline in a small project, else in a background
    /// thread.
    pub(super) fn after_query(
        self: &Arc<Self>,
        query: &IndexQuery,
        (pool, scope): (&Arc<Pool>, ProjectScope),
        counts: &Counts,
    ) {
        let embedding = query.embedding.clone();
        if !self.should_load(embedding.as_ref()) {
            return;
        }
        let (cache, pool) = (Arc::clone(self), Arc::clone(pool));
        let load = move || {
            let mut guard = cache.load_gate.guard();
            let load_with = |conn: &mut ScopedConn<'_>| cache.load(conn, embedding.as_ref());
            match pool.with_connection(scope, load_with) {
                Ok(is_loaded) => guard.has_failed = !is_loaded,
                Err(error) => {
                    tracing::warn!(%error, "cannot load the index snapshot");
                }
            }
        };
        if counts.is_small() {
            load();
        } else {
            drop(std::thread::spawn(load));
        }
    }

    /// Returns whether the caller is to load the snapshot; true for one caller at a time.
    fn should_load(&self, embedding: Option<&Embedding>) -> bool {
        self.queries.fetch_add(1, Ordering::SeqCst) + 1 >= LOAD_AFTER_QUERIES
            && !self.is_too_large.load(Ordering::SeqCst)
            && !self.covers(&Model::for_query(embedding))
            && self.load_gate.try_start()
    }

    /// Loads the snapshot; returns whether it is in memory now.
    fn load(
        &self,
        conn: &mut ScopedConn<'_>,
        embedding: Option<&Embedding>,
    ) -> Result<bool, PgError> {
        let result = self.try_load(conn, Model::for_query(embedding));
        if !matches!(result, Ok(true)) {
            self.queries.store(0, Ordering::SeqCst);
        }
        result
    }

    fn try_load(&self, conn: &mut ScopedConn<'_>, model: Model) -> Result<bool, PgError> {
        let (since, before) = {
            let mut progress = self.progress.lock();
            self.sync_progress(conn, &mut progress)?;
            (progress.since, progress.state)
        };
        let Some((mut snapshot, attributes)) = snapshot::read(conn, model)? else {
            self.is_too_large.store(true, Ordering::SeqCst);
            build_index_if_large(conn)?;
            return Ok(false);
        };
        let mut progress = self.progress.lock();
        self.sync_progress(conn, &mut progress)?;
        if progress.state.renewals != before.renewals {
            return Ok(false);
        }
        if progress.state.purges != before.purges {
            snapshot.retain(&snapshot::chunk_ids(conn)?);
        }
        let model = snapshot.model.clone();
        *self.snapshot.write() = Some(snapshot);
        self.attributes.write().add(attributes.into_iter());
        // Adds the chunks written during the load; those the snapshot has already are replaced.
        let delta = Delta::read(conn, &model, Cursor::from_transaction(since), &[])?;
        let added = self.add_pages(conn, delta, (&model, &[]), |_, _| {});
        if added.is_err() {
            *self.snapshot.write() = None;
        }
        added.map(|()| true)
    }

    /// Returns the model of the embeddings in the snapshot.
    fn model(&self) -> Model {
        self.snapshot.read().as_ref().map(|snapshot| snapshot.model.clone()).unwrap_or_default()
    }

    fn has_snapshot(&self) -> bool {
        self.snapshot.read().is_some()
    }

    fn covers(&self, model: &Model) -> bool {
        let guard = self.snapshot.read();
        guard.as_ref().is_some_and(|snapshot| model.is_empty() || snapshot.model == *model)
    }

    /// Returns the size of the project if the snapshot is loaded.
    pub(super) fn sizes(&self) -> Option<Sizes> {
        self.snapshot.read().as_ref().map(|snapshot| snapshot.words.sizes())
    }

    /// Returns the best chunks by BM25 except the excluded ones, best first, if the snapshot is loaded.
    pub(super) fn best(
        &self,
        query: &WordQuery,
        limit: usize,
        excluded: &ChunkRanges,
    ) -> Option<Vec<(i64, f32)>> {
        let guard = self.snapshot.read();
        let attributes = self.attributes.read();
        let fits = |chunk| !attributes.gone.contains(&chunk) && !excluded.contains(chunk);
        Some(guard.as_ref()?.words.best(query, limit, fits))
    }

    /// Returns the nearest chunks by embedding except the excluded ones, best first, if the snapshot covers the model.
    pub(super) fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        excluded: &ChunkRanges,
    ) -> Option<Neighbours> {
        let model = Model::for_query(Some(query));
        if model.is_empty() || !self.covers(&model) {
            return None;
        }
        let query = VectorQuery { model, vector: query.vector.clone(), limit };
        if !excluded.is_empty() {
            return self.search_batch(&[&query], excluded).pop().flatten();
        }
        self.batcher.announce().run(query, |all| self.search_batch(all, excluded))
    }

    /// Returns None for each query if its model's embeddings are not in the snapshot.
    fn search_batch(
        &self,
        queries: &[&VectorQuery<Model>],
        excluded: &ChunkRanges,
    ) -> Vec<Option<Neighbours>> {
        let guard = self.snapshot.read();
        let Some(snapshot) = &*guard else { return vec![None; queries.len()] };
        // Cloned, since the scan takes a while and would block writers.
        let gone = self.attributes.read().gone.clone();
        let fits = |chunk| !gone.contains(&chunk) && !excluded.contains(chunk);
        snapshot.vectors.search_batch(&snapshot.model, queries, fits)
    }

    /// Serializes exhaustive vector scans on the server: one takes all its cores, which the snapshot load needs.
    pub(super) fn lock_scans(&self) -> MutexGuard<'_, ()> {
        self.scan_lock.lock()
    }

    /// Returns whether a cached chunk contains a word.
    pub(super) fn has(&self, stem: &str) -> bool {
        if self.was_purged.load(Ordering::SeqCst) {
            return false;
        }
        if let Some(snapshot) = &*self.snapshot.read() {
            return snapshot.words.contains_word(stem);
        }
        let list = self.lists.read().get(Occurrence::Present, stem);
        list.is_some_and(|list| !list.postings.is_empty())
    }

    /// Returns how many chunks contain a word if the snapshot is loaded.
    pub(super) fn count(&self, stem: &str) -> Option<i64> {
        let is_current = !self.was_purged.load(Ordering::SeqCst);
        let guard = self.snapshot.read();
        let snapshot = guard.as_ref().filter(|_| is_current)?;
        Some(snapshot.words.count(stem) as i64)
    }

    /// Returns the version to pass to `put_list` with a list that is read after this call.
    pub(super) fn version(&self) -> u64 {
        self.lists.read().version
    }

    pub(super) fn list(
        &self,
        occurrence: Occurrence,
        stem: &str,
        limit: i64,
    ) -> Option<Arc<PostingList>> {
        let list = self.lists.read().get(occurrence, stem)?;
        list.covers(limit).then_some(list)
    }

    pub(super) fn put_list(
        &self,
        occurrence: Occurrence,
        stem: &str,
        list: &Arc<PostingList>,
        version: u64,
    ) {
        let mut lists = self.lists.write();
        if lists.version == version {
            lists.put(occurrence, stem, Arc::clone(list));
        }
    }

    /// Removes chunks that are known to be deleted.
    pub(super) fn remove_gone<T>(&self, ranked: &mut HashMap<i64, T>) {
        for chunk in &self.attributes.read().gone {
            ranked.remove(chunk);
        }
    }

    /// Returns the attributes of each chunk, if all of them are cached.
    pub(super) fn attributes(&self, chunks: &[i64]) -> Option<Vec<(i64, ChunkAttributes)>> {
        let attributes = self.attributes.read();
        let cached = |chunk: &i64| Some((*chunk, *attributes.of_chunks.get(chunk)?));
        chunks.iter().map(cached).collect()
    }

    /// Caches which of the requested chunks exist, and their attributes.
    pub(super) fn cache_attributes(
        &self,
        conn: &mut ScopedConn<'_>,
        requested: &[i64],
        existing: &[(i64, ChunkAttributes)],
    ) -> Result<(), PgError> {
        let mut attributes = self.attributes.write();
        attributes.add(existing.iter().copied());
        if existing.len() < requested.len() {
            let gone: Vec<i64> = requested
                .iter()
                .filter(|chunk| !attributes.of_chunks.contains_key(chunk))
                .copied()
                .collect();
            attributes.gone.extend(gone);
        }
        let has_too_many_gone = attributes.gone.len() > MAX_GONE;
        drop(attributes);
        if !has_too_many_gone {
            return Ok(());
        }
        let _progress = self.progress.lock();
        self.remove_deleted(conn)
    }

    /// Forgets the attributes of chunks that turned out not to be hits: they may be deleted.
    pub(super) fn forget_attributes(&self, chunks: impl Iterator<Item = i64>) {
        let mut chunks = chunks.peekable();
        if chunks.peek().is_none() {
            return;
        }
        let mut attributes = self.attributes.write();
        for chunk in chunks {
            attributes.of_chunks.remove(&chunk);
        }
    }
}

impl AttributeCache {
    fn add(&mut self, existing: impl Iterator<Item = (i64, ChunkAttributes)>) {
        if self.of_chunks.len() > MAX_ATTRIBUTES {
            self.of_chunks.clear();
        }
        self.of_chunks.extend(existing);
    }
}
