//! The store traits, each method handed to the module that implements it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::event::Recorded;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Entry, Hit, Reference, Timestamp};
use forebay_store::{
    Candidate, ChunkEmbedding, DerivedKey, DerivedValue, EmbeddingProgress, Embeddings,
    EncodedBlob, Entries, EventBatch, EventPage, FileStamp, Health, HistoryPage, Import,
    ImportPosition, ImportStep, Imports, IndexQuery, IndexState, IndexStep, Maintenance, NewSource,
    NotePage, PurgeReport, PurgeSelection, Reindex, ReindexedChunk, Retention, SearchIndex,
    SessionSummary, Sessions, SimilarWord, SincePage, Source, SourceItem, Sources, StaleChunk,
    StoreError, StoreStats, Token, Tokens, Upload, Usage, WorkingFile, WorkingSet, WorkingSets,
};

#[allow(clippy::wildcard_imports, reason = "delegates to every module of the crate")]
use crate::*;

impl Entries for PostgresStore {
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError> {
        Ok(Box::new(upload::PostgresUpload::new(self)))
    }

    fn entry(&self, reference: Reference) -> Result<Entry, StoreError> {
        self.reading(|work| entries::find(work, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    /// Each part is a query of its own, so that a slow reader holds nothing on the server.
    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let blob = self.blob_of(reference)?;
        let size = self.reading(|work| blobs::size(work, blob))?;
        let mut offset = start;
        while offset < size {
            let part = self.reading(|work| blobs::part_at(work, blob, offset))?;
            let piece = part.as_ref().and_then(|(from, raw)| raw.get((offset - from) as usize..));
            let Some(piece) = piece.filter(|piece| !piece.is_empty()) else {
                return Err(self.why_missing(reference));
            };
            offset += piece.len() as u64;
            if !take(piece) {
                break;
            }
        }
        Ok(())
    }

    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError> {
        let blob = self.blob_of(reference)?;
        self.reading(|work| blobs::line_start(work, blob, line))
    }

    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|work| lists::history(work, page))
    }

    fn entries_since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError> {
        self.pool.writing(self.place, Writing::Forgets, |work| lists::entries_since(work, page))
    }

    fn notes_superseded_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError> {
        self.reading(|work| lists::replaced_by(work, note))
    }

    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|work| lists::notes(work, page))
    }
}

impl SearchIndex for PostgresStore {
    fn indexing_lock(&self) -> &Mutex<()> {
        &self.indexing
    }

    fn unindexed_entries(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError> {
        let ask = || self.reading(|work| entries::unindexed(work, at_most));
        self.unindexed.answer(&at_most, ask)
    }

    fn unindexed_bytes(&self) -> Result<u64, StoreError> {
        self.reading(entries::unindexed_bytes)
    }

    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError> {
        self.writing(|work| steps.iter().try_for_each(|step| entries::extend_index(work, step)))?;
        self.learn(steps.iter().flat_map(|step| &step.chunks));
        Ok(())
    }

    fn candidates(&self, query: &IndexQuery) -> Result<Vec<Candidate>, StoreError> {
        let held = &self.memory.held;
        // Before a connection is taken, which whoever reads may need.
        let _one = held.join();
        let found = self.reading(|work| search::candidates(work, query, &self.counts, held))?;
        held.after_question(query, (&self.pool, self.place), &self.counts);
        Ok(found)
    }

    fn load_hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError> {
        self.reading(|work| hits::read(work, candidates, &self.memory))
    }

    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError> {
        self.reading(|work| self.counts.unknown(work, words, &self.memory.held))
    }

    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError> {
        self.reading(|work| vocabulary::similar(work, word))
    }

    fn count_query(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError> {
        self.writing(|work| usage::count_query(work, session, now, within))
    }

    fn stale_chunks(&self, at_most: usize) -> Result<Vec<StaleChunk>, StoreError> {
        self.reading(|work| chunks::outdated(work, at_most))
    }

    fn reindex_chunks(&self, renewed: &[ReindexedChunk]) -> Result<(), StoreError> {
        self.writing(|work| chunks::renew(work, renewed))?;
        self.learn(renewed.iter().map(|renewed| &renewed.chunk));
        Ok(())
    }
}

impl Embeddings for PostgresStore {
    fn chunks_without_embedding(
        &self,
        model: &str,
        at_most: usize,
    ) -> Result<Vec<StaleChunk>, StoreError> {
        self.reading(|work| embeddings::missing(work, model, at_most))
    }

    fn embedding_progress(&self, model: &str) -> Result<EmbeddingProgress, StoreError> {
        self.reading(|work| embeddings::extent(work, model))
    }

    fn store_embeddings(&self, model: &str, told: &[ChunkEmbedding]) -> Result<(), StoreError> {
        self.writing(|work| embeddings::write(work, model, told))
    }
}

impl Sources for PostgresStore {
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError> {
        Ok(Box::new(reindex::PostgresReindex::new(self)))
    }

    fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.reading(sources::list)
    }

    fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        self.reading(|work| sources::find(work, name))
    }

    fn stale_sources(&self, between: (Timestamp, Timestamp)) -> Result<Vec<NewSource>, StoreError> {
        self.reading(|work| sources::unchecked(work, between))
    }

    fn source_stamps(&self, name: &str) -> Result<Vec<(String, FileStamp)>, StoreError> {
        self.reading(|work| sources::stamps(work, name))
    }

    fn source_items(&self, name: &str) -> Result<Vec<SourceItem>, StoreError> {
        self.reading(|work| sources::items(work, name))
    }

    fn mark_source_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.writing(|work| sources::mark_source_checked(work, name, at, expires))
    }
}

impl Sessions for PostgresStore {
    fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, StoreError> {
        self.reading(|work| sessions::list(work, limit))
    }

    fn record_events(&self, happened: &EventBatch) -> Result<(), StoreError> {
        self.writing(|work| events::remember(work, happened))
    }

    fn events(&self, page: &EventPage) -> Result<Vec<Recorded>, StoreError> {
        self.events.answer(page, || self.reading(|work| events::events(work, page)))
    }

    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.writing(|work| events::mark(work, session, topic))
    }

    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.writing(|work| events::unmark(work, session, topic))
    }
}

impl Retention for PostgresStore {
    fn preview_purge(
        &self,
        selection: &PurgeSelection,
        now: Timestamp,
    ) -> Result<PurgeReport, StoreError> {
        self.reading(|work| purge::survey(work, selection, now))
    }

    fn purge(&self, selection: &PurgeSelection, now: Timestamp) -> Result<PurgeReport, StoreError> {
        let purge = |work: &mut Work<'_>| purge::purge(work, selection, now);
        let purged = self.pool.writing(self.place, Writing::Forgets, purge)?;
        self.memory.held.doubt_after(&purged);
        Ok(purged)
    }
}

impl Usage for PostgresStore {
    fn record_usage(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError> {
        self.writing(|work| usage::record(work, answers))
    }

    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError> {
        self.reading(|work| usage::by_tool(work, session))
    }
}

impl WorkingSets for PostgresStore {
    fn working_set(&self, session: &str) -> Result<WorkingSet, StoreError> {
        self.reading(|work| files::of_session(work, session))
    }

    fn save_working_file(
        &self,
        session: &str,
        file: &WorkingFile,
        most: usize,
    ) -> Result<(), StoreError> {
        self.writing(|work| files::keep(work, session, file, most))
    }

    fn reset_deliveries(&self, session: &str) -> Result<(), StoreError> {
        self.writing(|work| files::reset_deliveries(work, session))
    }

    fn cached_derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reading(|work| derived::get(work, keys))
    }

    fn cache_derived(&self, made: &[DerivedValue], most_bytes: u64) -> Result<(), StoreError> {
        let packed = forebay_store::derived::compress(made);
        self.writing(|work| derived::keep(work, &packed, most_bytes))
    }
}

impl Imports for PostgresStore {
    fn import_position(&self, transcript: &str) -> Result<Option<ImportPosition>, StoreError> {
        self.reading(|work| imports::state(work, transcript))
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
        let is_written = self.writing(|work| imports::write(work, &ready, step))?;
        if is_written {
            self.learn(entries.iter().flat_map(|import| &import.chunks));
        }
        Ok(is_written)
    }
}

impl Tokens for PostgresStore {
    fn add_token(&self, token: &Token) -> Result<(), StoreError> {
        self.writing(|work| tokens::keep(work, token))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.reading(tokens::list)
    }

    fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.reading(|work| tokens::find(work, id))
    }

    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.writing(|work| tokens::revoke(work, id, at))
    }
}

impl Maintenance for PostgresStore {
    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.reading(usage::facts)
    }

    /// Sorts new words into the index; the server does the rest itself.
    fn maintain(&self) -> Result<(), StoreError> {
        let sorted = self.reading(|work| {
            work.first(
                "SELECT gin_clean_pending_list('chunk_words') WHERE $1::integer + $2::integer > 0",
                &[],
            )
        });
        match sorted {
            // Only the owner of the tables may; the server does it when it next looks after them.
            Err(StoreError::Refused { .. }) => Ok(()),
            sorted => sorted.map(drop),
        }
    }

    fn notices(&self) -> &[String] {
        &[]
    }

    fn health(&self) -> Result<Health, StoreError> {
        let engine = self.reading(usage::engine)?;
        // A transaction that writes nothing still tells whether one can be begun.
        let faults = self.writing(|_| Ok(())).err().map(|error| error.to_string());
        Ok(Health {
            engine,
            location: PathBuf::from(format!(
                "{}?workspace={} project {}",
                self.name(),
                self.pool.workspace_name(),
                self.project
            )),
            schema: migrate::VERSION,
            problems: faults.into_iter().collect(),
        })
    }
}
