//! Implements the store traits by delegating to the modules.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::event::RecordedEvent;
use forebay_domain::treatment::{SwitchOff, Treatment};
use forebay_domain::usage::{Answered, RequestTotals, Totals};
use forebay_domain::{Entry, Hit, Reference, Timestamp};
use forebay_store::{
    Candidate, ChunkEmbedding, CommandRun, CommandRunPage, CommandRuns, DerivedKey, DerivedValue,
    EmbeddingProgress, Embeddings, EncodedBlob, Entries, EventBatch, EventPage, FileStamp, Health,
    HistoryPage, Import, ImportPosition, ImportStep, Imports, IndexQuery, IndexState, IndexStep,
    Maintenance, NewChunk, NewSource, NotePage, PeriodGrowth, PeriodUsage, PurgeReport,
    PurgeSelection, Reindex, ReindexedChunk, ReportedRequest, Retention, SearchIndex,
    SessionLedger, SessionSummary, Sessions, SimilarWord, SincePage, Source, SourceItem, Sources,
    StaleChunk, StoreError, StoreStats, Token, Tokens, Treatments, Upload, Usage, WordStatistics,
    WorkingFile, WorkingSet, WorkingSets,
};
use rusqlite::Transaction;

use super::inverted_index::{self, Batch};
use super::search::{self, SearchCaches};
use super::{
    SqliteStore, blobs, chunks, command_runs, derived, embeddings, entries, events, hits, imports,
    ledger, lists, migrate, model_requests, notes, purge, sessions, sources, tokens, treatments,
    upload, usage, working_set,
};

impl CommandRuns for SqliteStore {
    fn command_runs(&self, page: &CommandRunPage) -> Result<Vec<CommandRun>, StoreError> {
        self.query(|connection| command_runs::list(connection, page))
    }
}

impl Entries for SqliteStore {
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError> {
        Ok(Box::new(upload::SqliteUpload::new(self)))
    }

    fn entry(&self, reference: Reference) -> Result<Entry, StoreError> {
        self.query(|connection| entries::find(connection, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.query_content(reference, |connection, blob| blobs::read(connection, blob, start, take))
    }

    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError> {
        self.query_content(reference, |connection, blob| blobs::line_start(connection, blob, line))
    }

    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError> {
        self.query(|connection| lists::history(connection, page))
    }

    fn entries_since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError> {
        self.query(|connection| lists::entries_since(connection, page))
    }

    fn notes_superseded_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError> {
        self.query(|connection| lists::notes_superseded_by(connection, note))
    }

    fn replace_digest(&self, reference: Reference, digest: &str) -> Result<bool, StoreError> {
        self.transaction(|transaction| entries::replace_digest(transaction, reference, digest))
    }

    fn set_pinned(&self, note: Reference, pinned: bool) -> Result<bool, StoreError> {
        self.transaction(|transaction| notes::set_pinned(transaction, note, pinned))
    }

    fn supersede(&self, note: Reference, by: Reference) -> Result<bool, StoreError> {
        self.transaction(|transaction| notes::supersede(transaction, note, by))
    }

    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError> {
        self.query(|connection| lists::notes(connection, page))
    }
}

impl SearchIndex for SqliteStore {
    fn indexing_lock(&self) -> &Mutex<()> {
        &self.indexing
    }

    fn unindexed_entries(&self, limit: usize) -> Result<Vec<IndexState>, StoreError> {
        self.query(|connection| entries::unindexed(connection, limit))
    }

    fn unindexed_bytes(&self) -> Result<u64, StoreError> {
        self.query(entries::unindexed_bytes)
    }

    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError> {
        let chunks: Vec<&NewChunk> = steps.iter().flat_map(|step| &step.chunks).collect();
        self.write_indexed_briefly(&chunks, |transaction, assigned| {
            steps.iter().try_for_each(|step| entries::extend_index(transaction, step, assigned))
        })
    }

    fn candidates(&self, query: &IndexQuery) -> Result<Vec<Candidate>, StoreError> {
        if query.limit == 0 {
            return Ok(Vec::new());
        }
        let Self { segments, vectors, attributes, .. } = self;
        let caches = SearchCaches { segments, vectors, attributes };
        let pending =
            query.embedding.as_ref().map(|embedding| vectors.table_for(embedding).announce());
        let mut search =
            self.in_snapshot(|connection| search::start(connection, query, &caches))?;
        search.run_vector_search(pending);
        self.query(|connection| search.candidates(connection, attributes))
    }

    fn load_hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError> {
        self.in_snapshot(|connection| hits::load(connection, candidates, &self.hit_cache))
    }

    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError> {
        self.in_snapshot(|connection| inverted_index::unknown(connection, &self.segments, words))
    }

    fn word_statistics(&self, words: &[String]) -> Result<WordStatistics, StoreError> {
        self.in_snapshot(|connection| inverted_index::statistics(connection, &self.segments, words))
    }

    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError> {
        let caches = (&self.segments, &self.vocabulary);
        self.in_snapshot(|connection| inverted_index::similar_words(connection, caches, word))
    }

    fn count_query(
        &self,
        session: &str,
        now: Timestamp,
        window: Duration,
    ) -> Result<u64, StoreError> {
        let count =
            |transaction: &Transaction<'_>| usage::count_query(transaction, session, now, window);
        // A search does not wait for writers; a missed count is harmless.
        Ok(self.pool.try_transaction(count)?.unwrap_or_default())
    }

    fn stale_chunks(&self, limit: usize) -> Result<Vec<StaleChunk>, StoreError> {
        self.query(|connection| chunks::stale(connection, limit))
    }

    fn reindex_chunks(&self, reindexed: &[ReindexedChunk]) -> Result<(), StoreError> {
        let chunks: Vec<&NewChunk> = reindexed.iter().map(|reindexed| &reindexed.chunk).collect();
        self.write_indexed_briefly(&chunks, |transaction, assigned| {
            chunks::reindex(transaction, reindexed, assigned)
        })
    }
}

impl Embeddings for SqliteStore {
    fn chunks_without_embedding(
        &self,
        model: &str,
        limit: usize,
    ) -> Result<Vec<StaleChunk>, StoreError> {
        self.query(|connection| embeddings::missing(connection, model, limit))
    }

    fn embedding_progress(&self, model: &str) -> Result<EmbeddingProgress, StoreError> {
        self.query(|connection| embeddings::progress(connection, model))
    }

    fn store_embeddings(
        &self,
        model: &str,
        embeddings: &[ChunkEmbedding],
    ) -> Result<(), StoreError> {
        self.pool.brief_transaction(|transaction| embeddings::write(transaction, model, embeddings))
    }
}

impl Sources for SqliteStore {
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError> {
        Ok(Box::new(sources::SqliteReindex::new(self)))
    }

    fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.query(sources::list)
    }

    fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        self.query(|connection| sources::find(connection, name))
    }

    fn stale_sources(&self, between: (Timestamp, Timestamp)) -> Result<Vec<NewSource>, StoreError> {
        self.query(|connection| sources::stale(connection, between))
    }

    fn source_stamps(&self, name: &str) -> Result<Vec<(String, FileStamp)>, StoreError> {
        self.query(|connection| sources::stamps(connection, name))
    }

    fn source_items(&self, name: &str) -> Result<Vec<SourceItem>, StoreError> {
        self.query(|connection| sources::items(connection, name))
    }

    fn mark_source_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.transaction(|transaction| sources::mark_source_checked(transaction, name, at, expires))
    }
}

impl Sessions for SqliteStore {
    fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, StoreError> {
        self.query(|connection| sessions::list(connection, limit))
    }

    fn record_events(&self, batch: &EventBatch) -> Result<(), StoreError> {
        self.transaction(|transaction| events::record(transaction, batch))
    }

    fn events(&self, page: &EventPage) -> Result<Vec<RecordedEvent>, StoreError> {
        self.query(|connection| events::events(connection, page))
    }

    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.transaction(|transaction| events::mark(transaction, session, topic))
    }

    fn marks(&self, session: &str) -> Result<Vec<String>, StoreError> {
        self.query(|connection| events::marks(connection, session))
    }

    fn is_marked(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.query(|connection| events::is_marked(connection, session, topic))
    }

    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.query(|connection| events::unmark(connection, session, topic))
    }
}

impl Retention for SqliteStore {
    fn preview_purge(
        &self,
        selection: &PurgeSelection,
        now: Timestamp,
    ) -> Result<PurgeReport, StoreError> {
        self.query(|connection| purge::preview(connection, selection, now))
    }

    fn purge(&self, selection: &PurgeSelection, now: Timestamp) -> Result<PurgeReport, StoreError> {
        let report = self.pool.with(|connection| purge::purge(connection, selection, now))?;
        if self.pool.is_current() {
            Ok(report)
        } else {
            Err(StoreError::Replaced(self.path().to_owned()))
        }
    }
}

impl Usage for SqliteStore {
    fn record_usage(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError> {
        self.pool.brief_transaction(|transaction| {
            answers.iter().try_for_each(|(answered, at)| usage::record(transaction, answered, *at))
        })
    }

    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError> {
        self.query(|connection| usage::by_tool(connection, session))
    }

    fn usage_by_period(
        &self,
        from: Timestamp,
        period: Duration,
        except_session: &str,
    ) -> Result<Vec<PeriodUsage>, StoreError> {
        self.query(|connection| usage::by_period(connection, from, period, except_session))
    }

    fn record_requests(&self, reported: &[ReportedRequest]) -> Result<(), StoreError> {
        self.transaction(|transaction| {
            reported.iter().try_for_each(|request| model_requests::record(transaction, request))
        })
    }

    fn requests(&self, session: Option<&str>) -> Result<RequestTotals, StoreError> {
        self.query(|connection| model_requests::totals(connection, session))
    }

    fn record_compaction(&self, session: &str, at: Timestamp) -> Result<(), StoreError> {
        self.transaction(|transaction| ledger::record_compaction(transaction, session, at))
    }

    fn ledgers(
        &self,
        session: Option<&str>,
        since: Option<Timestamp>,
    ) -> Result<BTreeMap<String, SessionLedger>, StoreError> {
        self.query(|connection| ledger::read(connection, session, since))
    }
}

impl Treatments for SqliteStore {
    fn record_treatment(&self, treatment: &Treatment) -> Result<(), StoreError> {
        self.pool.brief_transaction(|transaction| treatments::record(transaction, treatment))
    }

    fn treatments(&self, session: &str, since: Timestamp) -> Result<Vec<Treatment>, StoreError> {
        self.query(|connection| treatments::of_session(connection, session, since))
    }

    fn digests_shown(&self) -> Result<u64, StoreError> {
        self.query(treatments::digests_shown)
    }

    fn record_switch_off(&self, switch_off: &SwitchOff) -> Result<(), StoreError> {
        self.transaction(|transaction| treatments::record_switch_off(transaction, switch_off))
    }

    fn switched_off(&self) -> Result<Vec<SwitchOff>, StoreError> {
        self.query(treatments::switched_off)
    }
}

impl WorkingSets for SqliteStore {
    fn working_set(&self, session: &str) -> Result<WorkingSet, StoreError> {
        self.query(|connection| working_set::load(connection, session))
    }

    fn save_working_file(
        &self,
        session: &str,
        file: &WorkingFile,
        max_files: usize,
    ) -> Result<(), StoreError> {
        self.transaction(|transaction| working_set::save(transaction, session, file, max_files))
    }

    fn reset_deliveries(&self, session: &str) -> Result<(), StoreError> {
        self.transaction(|transaction| working_set::reset_deliveries(transaction, session))
    }

    fn cached_derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let (values, used) = self.query(|connection| derived::get(connection, keys))?;
        if !used.is_empty() {
            // Only decides what is evicted first, so a reader does not wait for writers.
            self.pool.try_transaction(|transaction| derived::touch(transaction, &used))?;
        }
        Ok(values)
    }

    fn cache_derived(&self, values: &[DerivedValue], max_bytes: u64) -> Result<(), StoreError> {
        let compressed = forebay_store::derived::compress(values);
        self.pool
            .brief_transaction(|transaction| derived::store(transaction, &compressed, max_bytes))
    }
}

impl Imports for SqliteStore {
    fn import_position(&self, transcript: &str) -> Result<Option<ImportPosition>, StoreError> {
        self.query(|connection| imports::position(connection, transcript))
    }

    fn import_ordered(
        &self,
        entries: &[Import],
        step: &ImportStep,
        wait_for_turn: &dyn Fn(),
    ) -> Result<bool, StoreError> {
        let chunks: Vec<&NewChunk> = entries.iter().flat_map(|import| &import.chunks).collect();
        // Encodes and indexes before the transaction, to keep it short.
        let ready = EncodedBlob::encode_imports(entries)?;
        let words = Batch::new(&chunks);
        wait_for_turn();
        self.write_batch(words, &chunks, |transaction, assigned| {
            imports::write(transaction, &ready, step, assigned)
        })
    }
}

impl Tokens for SqliteStore {
    fn add_token(&self, token: &Token) -> Result<(), StoreError> {
        self.transaction(|transaction| tokens::add(transaction, token))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.query(tokens::list)
    }

    fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.query(|connection| tokens::find(connection, id))
    }

    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.transaction(|transaction| tokens::revoke(transaction, id, at))
    }
}

impl Maintenance for SqliteStore {
    fn stats(&self) -> Result<StoreStats, StoreError> {
        let mut stats = self.query(usage::stats)?;
        stats.disk_bytes = self.pool.disk_bytes();
        Ok(stats)
    }

    fn growth(&self, from: Timestamp, period: Duration) -> Result<Vec<PeriodGrowth>, StoreError> {
        self.query(|connection| usage::growth(connection, from, period))
    }

    fn warm_up(&self) -> Result<(), StoreError> {
        self.pool.warm_up(entries::run_statements())
    }

    fn maintain(&self) -> Result<(), StoreError> {
        if self.query(inverted_index::needs_maintenance)? {
            self.maintain_index()?;
        }
        self.pool.maintain()
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }

    fn health(&self) -> Result<Health, StoreError> {
        Ok(Health {
            engine: format!("SQLite {}", rusqlite::version()),
            location: self.pool.path().to_owned(),
            schema: self.query(migrate::version)?,
            problems: self.problems()?,
        })
    }

    fn deep_problems(&self) -> Result<Vec<String>, StoreError> {
        self.all_problems()
    }

    fn is_current(&self) -> bool {
        self.pool.is_current()
    }
}
