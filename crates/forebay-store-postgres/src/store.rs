//! Implements the store traits by delegation to the modules.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::event::RecordedEvent;
use forebay_domain::treatment::{SwitchOff, Treatment};
use forebay_domain::usage::{Answered, RequestTotals, Totals};
use forebay_domain::{Entry, Hit, Reference, Timestamp};
use forebay_store::blob::{Damage, PART_BYTES};
use forebay_store::{
    Candidate, ChunkEmbedding, CommandRun, CommandRunPage, CommandRuns, DerivedKey, DerivedValue,
    EmbeddingProgress, Embeddings, EncodedBlob, Entries, EventBatch, EventPage, FileStamp, Health,
    HistoryPage, Import, ImportPosition, ImportStep, Imports, IndexQuery, IndexState, IndexStep,
    Maintenance, NewSource, NotePage, PeriodGrowth, PeriodUsage, PurgeReport, PurgeSelection,
    Reindex, ReindexedChunk, ReportedRequest, Retention, SearchIndex, SessionLedger,
    SessionSummary, Sessions, SimilarWord, SincePage, Source, SourceItem, Sources, StaleChunk,
    StoreError, StoreStats, Token, Tokens, Treatments, Upload, Usage, WordStatistics, WorkingFile,
    WorkingSet, WorkingSets,
};

use super::connection::ScopedConn;
use super::pool::PurgeLock;
use super::reindex::PostgresReindex;
use super::upload::PostgresUpload;
use super::{
    PostgresStore, blobs, chunks, command_runs, derived, embeddings, entries, events, files, hits,
    imports, ledger, lists, migrate, model_requests, purge, search, sessions, sources, tokens,
    treatments, usage, vocabulary,
};

impl CommandRuns for PostgresStore {
    fn command_runs(&self, page: &CommandRunPage) -> Result<Vec<CommandRun>, StoreError> {
        self.with_connection(|conn| command_runs::list(conn, page))
    }
}

impl Entries for PostgresStore {
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError> {
        Ok(Box::new(PostgresUpload::new(self)))
    }

    fn entry(&self, reference: Reference) -> Result<Entry, StoreError> {
        self.with_connection(|conn| entries::find(conn, reference))?
            .map_or_else(|| Err(self.missing_error(reference)), Ok)
    }

    /// Reads each part with a query of its own, so that a slow reader blocks nothing on the server.
    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let blob = self.blob_info(reference)?;
        let damaged = |damage: Damage| StoreError::Damaged { reference, damage };
        let mut hasher = (start == 0 && blob.bytes > PART_BYTES as u64).then(blake3::Hasher::new);
        let mut offset = start;
        while offset < blob.bytes {
            let part = self.with_connection(|conn| blobs::part_at(conn, &blob, offset))?;
            let part = match part {
                Ok(part) => part,
                // Another process may have purged it between two parts.
                Err(damage) => return self.blob_info(reference).and(Err(damaged(damage))),
            };
            let piece = &part.raw[(offset - part.start) as usize..];
            if let Some(hasher) = &mut hasher {
                hasher.update(piece);
            }
            offset += piece.len() as u64;
            if !take(piece) {
                return Ok(());
            }
        }
        if hasher.is_none_or(|hasher| *hasher.finalize().as_bytes() == blob.hash) {
            Ok(())
        } else {
            Err(damaged(Damage::SOMEWHERE))
        }
    }

    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError> {
        let blob = self.blob_info(reference)?;
        self.with_connection(|conn| blobs::line_start(conn, &blob, line))?
            .map_err(|damage| StoreError::Damaged { reference, damage })
    }

    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError> {
        self.with_connection(|conn| lists::history(conn, page))
    }

    fn entries_since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError> {
        self.pool
            .transaction(self.scope, PurgeLock::Exclusive, |conn| lists::entries_since(conn, page))
    }

    fn notes_superseded_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError> {
        self.with_connection(|conn| lists::replaced_by(conn, note))
    }

    fn replace_digest(&self, reference: Reference, digest: &str) -> Result<bool, StoreError> {
        self.transaction(|conn| entries::replace_digest(conn, reference, digest))
    }

    fn set_pinned(&self, note: Reference, pinned: bool) -> Result<bool, StoreError> {
        self.transaction(|conn| entries::set_pinned(conn, note, pinned))
    }

    fn supersede(&self, note: Reference, by: Reference) -> Result<bool, StoreError> {
        self.transaction(|conn| entries::supersede(conn, note, by))
    }

    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError> {
        self.with_connection(|conn| lists::notes(conn, page))
    }
}

impl SearchIndex for PostgresStore {
    fn indexing_lock(&self) -> &Mutex<()> {
        &self.indexing
    }

    fn unindexed_entries(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError> {
        let ask = || self.with_connection(|conn| entries::unindexed(conn, at_most));
        self.unindexed.get(&at_most, ask)
    }

    fn unindexed_bytes(&self) -> Result<u64, StoreError> {
        self.with_connection(entries::unindexed_bytes)
    }

    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError> {
        self.transaction(|conn| {
            steps.iter().try_for_each(|step| entries::extend_index(conn, step))
        })?;
        self.record_words(steps.iter().flat_map(|step| &step.chunks));
        Ok(())
    }

    fn candidates(&self, query: &IndexQuery) -> Result<Vec<Candidate>, StoreError> {
        let cache = &self.caches.index;
        // Before a connection is taken: the snapshot load may need one.
        let _search = cache.enter();
        let found =
            self.with_connection(|conn| search::candidates(conn, query, &self.counts, cache))?;
        cache.after_query(query, (&self.pool, self.scope), &self.counts);
        Ok(found)
    }

    fn load_hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError> {
        self.with_connection(|conn| hits::read(conn, candidates, &self.caches))
    }

    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError> {
        self.with_connection(|conn| self.counts.unknown(conn, words, &self.caches.index))
    }

    fn word_statistics(&self, words: &[String]) -> Result<WordStatistics, StoreError> {
        self.with_connection(|conn| self.counts.statistics(conn, words, &self.caches.index))
    }

    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError> {
        self.with_connection(|conn| vocabulary::similar(conn, word))
    }

    fn count_query(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError> {
        self.transaction(|conn| usage::count_query(conn, session, now, within))
    }

    fn stale_chunks(&self, at_most: usize) -> Result<Vec<StaleChunk>, StoreError> {
        self.with_connection(|conn| chunks::stale(conn, at_most))
    }

    fn reindex_chunks(&self, chunks: &[ReindexedChunk]) -> Result<(), StoreError> {
        self.transaction(|conn| chunks::reindex(conn, chunks))?;
        self.record_words(chunks.iter().map(|reindexed| &reindexed.chunk));
        Ok(())
    }
}

impl Embeddings for PostgresStore {
    fn chunks_without_embedding(
        &self,
        model: &str,
        at_most: usize,
    ) -> Result<Vec<StaleChunk>, StoreError> {
        self.with_connection(|conn| embeddings::missing(conn, model, at_most))
    }

    fn embedding_progress(&self, model: &str) -> Result<EmbeddingProgress, StoreError> {
        self.with_connection(|conn| embeddings::progress(conn, model))
    }

    fn store_embeddings(
        &self,
        model: &str,
        embeddings: &[ChunkEmbedding],
    ) -> Result<(), StoreError> {
        self.transaction(|conn| embeddings::write(conn, model, embeddings))
    }
}

impl Sources for PostgresStore {
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError> {
        Ok(Box::new(PostgresReindex::new(self)))
    }

    fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.with_connection(sources::list)
    }

    fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        self.with_connection(|conn| sources::find(conn, name))
    }

    fn stale_sources(&self, between: (Timestamp, Timestamp)) -> Result<Vec<NewSource>, StoreError> {
        self.with_connection(|conn| sources::unchecked(conn, between))
    }

    fn source_stamps(&self, name: &str) -> Result<Vec<(String, FileStamp)>, StoreError> {
        self.with_connection(|conn| sources::stamps(conn, name))
    }

    fn source_items(&self, name: &str) -> Result<Vec<SourceItem>, StoreError> {
        self.with_connection(|conn| sources::items(conn, name))
    }

    fn mark_source_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.transaction(|conn| sources::mark_source_checked(conn, name, at, expires))
    }
}

impl Sessions for PostgresStore {
    fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, StoreError> {
        self.with_connection(|conn| sessions::list(conn, limit))
    }

    fn record_events(&self, batch: &EventBatch) -> Result<(), StoreError> {
        self.transaction(|conn| events::record(conn, batch))
    }

    fn events(&self, page: &EventPage) -> Result<Vec<RecordedEvent>, StoreError> {
        self.events.get(page, || self.with_connection(|conn| events::events(conn, page)))
    }

    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.transaction(|conn| events::mark(conn, session, topic))
    }

    fn marks(&self, session: &str) -> Result<Vec<String>, StoreError> {
        self.with_connection(|conn| events::marks(conn, session))
    }

    fn is_marked(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.with_connection(|conn| events::is_marked(conn, session, topic))
    }

    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        // Usually there is none, and a read takes no lock.
        Ok(self.is_marked(session, topic)?
            && self.transaction(|conn| events::unmark(conn, session, topic))?)
    }
}

impl Retention for PostgresStore {
    fn preview_purge(
        &self,
        selection: &PurgeSelection,
        now: Timestamp,
    ) -> Result<PurgeReport, StoreError> {
        self.with_connection(|conn| purge::preview(conn, selection, now))
    }

    fn purge(&self, selection: &PurgeSelection, now: Timestamp) -> Result<PurgeReport, StoreError> {
        let purge = |conn: &mut ScopedConn<'_>| purge::purge(conn, selection, now);
        let purged = self.pool.transaction(self.scope, PurgeLock::Exclusive, purge)?;
        self.caches.index.invalidate_after(&purged);
        Ok(purged)
    }
}

impl Usage for PostgresStore {
    fn record_usage(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError> {
        self.transaction(|conn| usage::record(conn, answers))
    }

    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError> {
        self.with_connection(|conn| usage::by_tool(conn, session))
    }

    fn usage_by_period(
        &self,
        from: Timestamp,
        period: Duration,
        except_session: &str,
    ) -> Result<Vec<PeriodUsage>, StoreError> {
        self.with_connection(|conn| usage::by_period(conn, from, period, except_session))
    }

    fn record_requests(&self, reported: &[ReportedRequest]) -> Result<(), StoreError> {
        self.transaction(|conn| {
            reported.iter().try_for_each(|request| model_requests::record(conn, request))
        })
    }

    fn requests(&self, session: Option<&str>) -> Result<RequestTotals, StoreError> {
        self.with_connection(|conn| model_requests::totals(conn, session))
    }

    fn record_compaction(&self, session: &str, at: Timestamp) -> Result<(), StoreError> {
        self.transaction(|conn| ledger::record_compaction(conn, session, at))
    }

    fn ledgers(
        &self,
        session: Option<&str>,
        since: Option<Timestamp>,
    ) -> Result<BTreeMap<String, SessionLedger>, StoreError> {
        self.with_connection(|conn| ledger::read(conn, session, since))
    }
}

impl Treatments for PostgresStore {
    fn record_treatment(&self, treatment: &Treatment) -> Result<(), StoreError> {
        self.transaction(|conn| treatments::record(conn, treatment))
    }

    fn treatments(&self, session: &str, since: Timestamp) -> Result<Vec<Treatment>, StoreError> {
        self.with_connection(|conn| treatments::of_session(conn, session, since))
    }

    fn digests_shown(&self) -> Result<u64, StoreError> {
        self.with_connection(treatments::digests_shown)
    }

    fn record_switch_off(&self, switch_off: &SwitchOff) -> Result<(), StoreError> {
        self.transaction(|conn| treatments::record_switch_off(conn, switch_off))
    }

    fn switched_off(&self) -> Result<Vec<SwitchOff>, StoreError> {
        self.with_connection(treatments::switched_off)
    }
}

impl WorkingSets for PostgresStore {
    fn working_set(&self, session: &str) -> Result<WorkingSet, StoreError> {
        self.with_connection(|conn| files::of_session(conn, session))
    }

    fn save_working_file(
        &self,
        session: &str,
        file: &WorkingFile,
        limit: usize,
    ) -> Result<(), StoreError> {
        self.transaction(|conn| files::save(conn, session, file, limit))
    }

    fn reset_deliveries(&self, session: &str) -> Result<(), StoreError> {
        self.transaction(|conn| files::reset_deliveries(conn, session))
    }

    fn cached_derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.with_connection(|conn| derived::get(conn, keys))
    }

    fn cache_derived(&self, values: &[DerivedValue], max_bytes: u64) -> Result<(), StoreError> {
        let packed = forebay_store::derived::compress(values);
        self.transaction(|conn| derived::put(conn, &packed, max_bytes))
    }
}

impl Imports for PostgresStore {
    fn import_position(&self, transcript: &str) -> Result<Option<ImportPosition>, StoreError> {
        self.with_connection(|conn| imports::state(conn, transcript))
    }

    fn import_ordered(
        &self,
        entries: &[Import],
        step: &ImportStep,
        turn: &dyn Fn(),
    ) -> Result<bool, StoreError> {
        // Compressed first, so that the transaction is short.
        let ready = EncodedBlob::encode_imports(entries)?;
        turn();
        let is_written = self.transaction(|conn| imports::write(conn, &ready, step))?;
        if is_written {
            self.record_words(entries.iter().flat_map(|import| &import.chunks));
        }
        Ok(is_written)
    }
}

impl Tokens for PostgresStore {
    fn add_token(&self, token: &Token) -> Result<(), StoreError> {
        self.transaction(|conn| tokens::add(conn, token))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.with_connection(tokens::list)
    }

    fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.with_connection(|conn| tokens::find(conn, id))
    }

    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.transaction(|conn| tokens::revoke(conn, id, at))
    }
}

impl Maintenance for PostgresStore {
    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.with_connection(usage::facts)
    }

    fn growth(&self, from: Timestamp, period: Duration) -> Result<Vec<PeriodGrowth>, StoreError> {
        self.with_connection(|conn| usage::growth(conn, from, period))
    }

    /// Merges the pending list of the full-text index; autovacuum does the rest.
    fn maintain(&self) -> Result<(), StoreError> {
        let sorted = self.with_connection(|conn| {
            conn.first(
                "SELECT gin_clean_pending_list('chunk_words') WHERE $1::integer + $2::integer > 0",
                &[],
            )
        });
        match sorted {
            // Only the owner of the tables may; otherwise autovacuum does it.
            Err(StoreError::Refused { .. }) => Ok(()),
            sorted => sorted.map(drop),
        }
    }

    fn notices(&self) -> &[String] {
        &[]
    }

    fn health(&self) -> Result<Health, StoreError> {
        let engine = self.with_connection(usage::engine)?;
        // An empty transaction shows whether one can be started.
        let problems = self.transaction(|_| Ok(())).err().map(|error| error.to_string());
        Ok(Health {
            engine,
            location: PathBuf::from(format!(
                "{}?workspace={} project {}",
                self.name(),
                self.pool.workspace_name(),
                self.project
            )),
            schema: migrate::VERSION,
            problems: problems.into_iter().collect(),
        })
    }
}
