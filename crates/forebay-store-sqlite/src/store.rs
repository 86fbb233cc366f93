//! The store traits, each method handed to the module that implements it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use forebay_domain::event::Recorded;
use forebay_domain::usage::{Answered, Totals};
use forebay_domain::{Entry, Hit, Reference, Timestamp};
use forebay_store::{
    Candidate, ChunkEmbedding, DerivedKey, DerivedValue, EmbeddingProgress, Embeddings,
    EncodedBlob, Entries, EventBatch, EventPage, FileStamp, Health, HistoryPage, Import,
    ImportPosition, ImportStep, Imports, IndexQuery, IndexState, IndexStep, Maintenance, NewChunk,
    NewSource, NotePage, PurgeReport, PurgeSelection, Reindex, ReindexedChunk, Retention,
    SearchIndex, SessionSummary, Sessions, SimilarWord, SincePage, Source, SourceItem, Sources,
    StaleChunk, StoreError, StoreStats, Token, Tokens, Upload, Usage, WorkingFile, WorkingSet,
    WorkingSets,
};

use crate::*;

impl Entries for SqliteStore {
    fn upload(&self) -> Result<Box<dyn Upload + '_>, StoreError> {
        Ok(Box::new(upload::SqliteUpload::new(self)))
    }

    fn entry(&self, reference: Reference) -> Result<Entry, StoreError> {
        self.reading(|connection| entries::find(connection, reference))?
            .map_or_else(|| Err(self.why_missing(reference)), Ok)
    }

    fn read(
        &self,
        reference: Reference,
        start: u64,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let blob = self.blob_of(reference)?;
        self.reading(|connection| blobs::read(connection, blob, start, take))
    }

    fn line_start(&self, reference: Reference, line: u64) -> Result<u64, StoreError> {
        let blob = self.blob_of(reference)?;
        self.reading(|connection| blobs::line_start(connection, blob, line))
    }

    fn history(&self, page: &HistoryPage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|connection| lists::history(connection, page))
    }

    fn since(&self, page: &SincePage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|connection| lists::since(connection, page))
    }

    fn replaced_by(&self, note: Reference) -> Result<Vec<Reference>, StoreError> {
        self.reading(|connection| lists::replaced_by(connection, note))
    }

    fn notes(&self, page: &NotePage) -> Result<Vec<Entry>, StoreError> {
        self.reading(|connection| lists::notes(connection, page))
    }
}

impl SearchIndex for SqliteStore {
    fn indexing(&self) -> &Mutex<()> {
        &self.indexing
    }

    fn unindexed(&self, at_most: usize) -> Result<Vec<IndexState>, StoreError> {
        self.reading(|connection| entries::unindexed(connection, at_most))
    }

    fn unindexed_bytes(&self) -> Result<u64, StoreError> {
        self.reading(entries::unindexed_bytes)
    }

    fn extend_index(&self, steps: &[IndexStep]) -> Result<(), StoreError> {
        let chunks: Vec<&NewChunk> = steps.iter().flat_map(|step| &step.chunks).collect();
        self.writing_words(&chunks, |transaction, placed| {
            steps.iter().try_for_each(|step| entries::extend_index(transaction, step, placed))
        })
    }

    fn candidates(&self, query: &IndexQuery) -> Result<Vec<Candidate>, StoreError> {
        if query.limit == 0 {
            return Ok(Vec::new());
        }
        let Self { segments, vectors, traits, .. } = self;
        let known = Known { segments, vectors, traits };
        let announced = query.meaning.as_ref().map(|meaning| vectors.of(meaning).announce());
        let mut found = self.at_one_moment(|connection| search::look(connection, query, &known))?;
        found.compare(announced);
        self.reading(|connection| found.candidates(connection, traits))
    }

    fn hits(&self, candidates: &[Candidate]) -> Result<Vec<Option<Hit>>, StoreError> {
        self.at_one_moment(|connection| hits::read(connection, candidates, &self.hits))
    }

    fn unknown_words(&self, words: &[String]) -> Result<Vec<String>, StoreError> {
        self.at_one_moment(|connection| inverted_index::unknown(connection, &self.segments, words))
    }

    fn similar_words(&self, word: &str) -> Result<Vec<SimilarWord>, StoreError> {
        let known = (&self.segments, &self.vocabulary);
        self.at_one_moment(|connection| inverted_index::similar(connection, known, word))
    }

    fn count_query(
        &self,
        session: &str,
        now: Timestamp,
        within: Duration,
    ) -> Result<u64, StoreError> {
        let count =
            |transaction: &Transaction<'_>| usage::count_query(transaction, session, now, within);
        // Nobody who reads waits for who writes: one question uncounted does no harm.
        Ok(self.pool.in_transaction_unless_busy(count)?.unwrap_or_default())
    }

    fn outdated(&self, at_most: usize) -> Result<Vec<StaleChunk>, StoreError> {
        self.reading(|connection| chunks::outdated(connection, at_most))
    }

    fn renew(&self, renewed: &[ReindexedChunk]) -> Result<(), StoreError> {
        let chunks: Vec<&NewChunk> = renewed.iter().map(|renewed| &renewed.chunk).collect();
        self.writing_words(&chunks, |transaction, placed| {
            chunks::renew(transaction, renewed, placed)
        })
    }
}

impl Embeddings for SqliteStore {
    fn chunks_without_embedding(
        &self,
        model: &str,
        at_most: usize,
    ) -> Result<Vec<StaleChunk>, StoreError> {
        self.reading(|connection| embeddings::missing(connection, model, at_most))
    }

    fn embedded(&self, model: &str) -> Result<EmbeddingProgress, StoreError> {
        self.reading(|connection| embeddings::extent(connection, model))
    }

    fn embed(&self, model: &str, told: &[ChunkEmbedding]) -> Result<(), StoreError> {
        self.writing(|transaction| embeddings::write(transaction, model, told))
    }
}

impl Sources for SqliteStore {
    fn reindex(&self) -> Result<Box<dyn Reindex + '_>, StoreError> {
        Ok(Box::new(sources::SqliteReindex::new(self)))
    }

    fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.reading(sources::list)
    }

    fn source(&self, name: &str) -> Result<Option<Source>, StoreError> {
        self.reading(|connection| sources::find(connection, name))
    }

    fn stale_sources(&self, between: (Timestamp, Timestamp)) -> Result<Vec<NewSource>, StoreError> {
        self.reading(|connection| sources::unchecked(connection, between))
    }

    fn source_stamps(&self, name: &str) -> Result<Vec<(String, FileStamp)>, StoreError> {
        self.reading(|connection| sources::stamps(connection, name))
    }

    fn source_items(&self, name: &str) -> Result<Vec<SourceItem>, StoreError> {
        self.reading(|connection| sources::items(connection, name))
    }

    fn mark_source_checked(
        &self,
        name: &str,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.writing(|transaction| sources::mark_source_checked(transaction, name, at, expires))
    }
}

impl Sessions for SqliteStore {
    fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, StoreError> {
        self.reading(|connection| sessions::list(connection, limit))
    }

    fn remember(&self, happened: &EventBatch) -> Result<(), StoreError> {
        self.writing(|transaction| events::remember(transaction, happened))
    }

    fn events(&self, page: &EventPage) -> Result<Vec<Recorded>, StoreError> {
        self.reading(|connection| events::events(connection, page))
    }

    fn mark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.writing(|transaction| events::mark(transaction, session, topic))
    }

    fn unmark(&self, session: &str, topic: &str) -> Result<bool, StoreError> {
        self.reading(|connection| events::unmark(connection, session, topic))
    }
}

impl Retention for SqliteStore {
    fn preview_purge(
        &self,
        selection: &PurgeSelection,
        now: Timestamp,
    ) -> Result<PurgeReport, StoreError> {
        self.reading(|connection| purge::survey(connection, selection, now))
    }

    fn purge(&self, selection: &PurgeSelection, now: Timestamp) -> Result<PurgeReport, StoreError> {
        self.pool.with(|connection| purge::purge(connection, selection, now))
    }
}

impl Usage for SqliteStore {
    fn record(&self, answers: &[(Answered, Timestamp)]) -> Result<(), StoreError> {
        self.writing(|transaction| {
            answers.iter().try_for_each(|(answered, at)| usage::record(transaction, answered, *at))
        })
    }

    fn usage(&self, session: Option<&str>) -> Result<BTreeMap<String, Totals>, StoreError> {
        self.reading(|connection| usage::by_tool(connection, session))
    }
}

impl WorkingSets for SqliteStore {
    fn files_at_work(&self, session: &str) -> Result<WorkingSet, StoreError> {
        self.reading(|connection| files::of_session(connection, session))
    }

    fn save_working_file(
        &self,
        session: &str,
        file: &WorkingFile,
        most: usize,
    ) -> Result<(), StoreError> {
        self.writing(|transaction| files::keep(transaction, session, file, most))
    }

    fn reset_deliveries(&self, session: &str) -> Result<(), StoreError> {
        self.writing(|transaction| files::reset_deliveries(transaction, session))
    }

    fn derived(&self, keys: &[DerivedKey]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reading(|connection| derived::get(connection, keys))
    }

    fn cache_derived(&self, made: &[DerivedValue], most_bytes: u64) -> Result<(), StoreError> {
        let packed = forebay_store::derived::packed(made);
        self.writing(|transaction| derived::keep(transaction, &packed, most_bytes))
    }
}

impl Imports for SqliteStore {
    fn imported(&self, transcript: &str) -> Result<Option<ImportPosition>, StoreError> {
        self.reading(|connection| imports::state(connection, transcript))
    }

    fn import_ordered(
        &self,
        entries: &[Import],
        step: &ImportStep,
        turn: &dyn Fn(),
    ) -> Result<bool, StoreError> {
        let chunks: Vec<&NewChunk> = entries.iter().flat_map(|import| &import.chunks).collect();
        // All that needs no database comes first, so that the transaction is short.
        let ready = EncodedBlob::of_each(entries)?;
        let words = Batch::of(&chunks);
        turn();
        self.writing_batch(words, &chunks, |transaction, placed| {
            imports::write(transaction, &ready, step, placed)
        })
    }
}

impl Tokens for SqliteStore {
    fn add_token(&self, token: &Token) -> Result<(), StoreError> {
        self.writing(|transaction| tokens::keep(transaction, token))
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.reading(tokens::list)
    }

    fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.reading(|connection| tokens::find(connection, id))
    }

    fn revoke_token(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.writing(|transaction| tokens::revoke(transaction, id, at))
    }
}

impl Maintenance for SqliteStore {
    fn facts(&self) -> Result<StoreStats, StoreError> {
        let mut facts = self.reading(usage::facts)?;
        facts.disk_bytes = self.pool.disk_bytes();
        Ok(facts)
    }

    fn warm_up(&self) -> Result<(), StoreError> {
        self.pool.warm_up(entries::statements_of_a_run())
    }

    fn tidy(&self) -> Result<(), StoreError> {
        if self.reading(inverted_index::wants_tidying)? {
            self.tidy_words()?;
        }
        self.pool.tidy()
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }

    fn health(&self) -> Result<Health, StoreError> {
        Ok(Health {
            engine: format!("SQLite {}", rusqlite::version()),
            location: self.pool.path().to_owned(),
            schema: self.reading(migrate::version)?,
            faults: self.faults()?,
        })
    }
}
