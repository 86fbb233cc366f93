//! What a process that is asked again and again holds of a project: all words and meanings, or where these are too
//! many the passages of words that were asked for lately.
//!
//! Before each search it reads what was added since. A row tells the transaction that wrote it; what was written
//! by one that was still at work at the last look is looked for again, so that who ends late is not missed. What
//! is gone is noticed when it is wanted, or when a count in the project's row tells.

mod chunk;
mod delta;
mod lists;
mod load_gate;
mod snapshot;
mod words;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use forebay_store::query_batcher::QueryBatcher;
use forebay_store::vector_index::{Neighbours, VectorQuery};
use forebay_store::{Embedding, IndexQuery, PurgeReport};
use parking_lot::{Mutex, MutexGuard, RwLock};

use self::chunk::Passage;
use self::delta::{Behind, Glance, News, Progress};
use self::lists::Lists;
pub(super) use self::lists::{List, Posting};
use self::load_gate::Crowd;
use self::snapshot::{Model, Whole};
pub(super) use self::words::Asked;
use super::connection::{Place, Work};
use super::counts::{Counts, Sizes};
use super::error::Fault;
use super::lexemes::Standing;
use super::pool::Pool;
use super::single_flight::InTurn;
use super::vectors::index_if_too_many;

/// Who asks this often holds all words and meanings; before that, the server's indexes are asked.
const OFTEN: usize = 30;
/// Passages that are remembered to be gone, or to be code.
const MOST_GONE: usize = 1_000;
const MOST_TRAITS: usize = 200_000;

#[derive(Debug, Default)]
pub(super) struct Held {
    /// One keeps up, and others wait for him.
    progress: InTurn<Progress>,
    /// Counts up when entries may be gone that were there before.
    doubts: AtomicU64,
    /// Counts questions.
    asked: AtomicUsize,
    crowd: Crowd,
    is_too_large: AtomicBool,
    /// This process has forgotten entries, and what is held was not yet looked at.
    was_purged: AtomicBool,
    whole: RwLock<Option<Whole>>,
    together: QueryBatcher<VectorQuery<Model>, Neighbours>,
    /// Who has the server compare many meanings.
    turn: Mutex<()>,
    lists: RwLock<Lists>,
    traits: RwLock<Traits>,
}

#[derive(Debug, Default)]
struct Traits {
    gone: HashSet<i64>,
    code: HashMap<i64, bool>,
}

impl Held {
    /// Reads what is new, so that what is held is as good as what the server has; gives the newest passage.
    pub(super) fn keep_up(&self, work: &mut Work<'_>) -> Result<i64, Fault> {
        let progress = self.progress.up_to_date(|_| true, |progress| self.look(work, progress))?;
        Ok(progress.state.newest)
    }

    fn look(&self, work: &mut Work<'_>, progress: &mut Progress) -> Result<(), Fault> {
        self.was_purged.store(false, Ordering::SeqCst);
        let Some(glance) = Glance::read(work)? else { return Ok(()) };
        let Glance { state, until, .. } = glance;
        let (is_first, is_purged) =
            (progress.since.is_none(), state.purges != progress.state.purges);
        if is_purged || glance.has_forgotten(progress.since) {
            self.doubts.fetch_add(1, Ordering::SeqCst);
        }
        if is_first || state.renewals != progress.state.renewals {
            self.start_over(progress);
        } else {
            let has_added = glance.has_added(progress.since);
            self.follow(work, progress, is_purged, has_added)?;
        }
        progress.read.retain(|_, transaction| *transaction >= until);
        progress.since = Some(until);
        progress.state = state;
        Ok(())
    }

    /// Adds what was added since the last look and forgets what was purged; where that is much to do for the little
    /// that is held, all of it is let go.
    fn follow(
        &self,
        work: &mut Work<'_>,
        progress: &mut Progress,
        is_purged: bool,
        has_added: bool,
    ) -> Result<(), Fault> {
        let is_held = self.is_whole();
        if is_purged && !is_held {
            self.start_over(progress);
            return Ok(());
        }
        if is_purged {
            self.sweep(work)?;
        }
        if !has_added {
            return Ok(());
        }
        let model = self.model();
        let read: Vec<i64> = progress.read.keys().copied().collect();
        let news = News::read(work, &model, Behind::all_of(progress.since), &read)?;
        if !is_held && news.go_on() {
            self.start_over(progress);
            return Ok(());
        }
        self.add_all(work, news, (&model, &read), |passage, transaction| {
            progress.read.insert(passage, transaction);
        })
    }

    fn start_over(&self, progress: &mut Progress) {
        self.let_go();
        progress.read.clear();
    }

    /// Tells what is known to be there from what must be asked for again: as long as it is the same number, nothing is
    /// gone that was there when it was told.
    pub(super) fn doubts(&self) -> u64 {
        self.doubts.load(Ordering::SeqCst)
    }

    /// Adds a page of news and the pages behind it.
    fn add_all(
        &self,
        work: &mut Work<'_>,
        mut news: News,
        (model, read): (&Model, &[i64]),
        mut note: impl FnMut(i64, u64),
    ) -> Result<(), Fault> {
        let project = work.place().project.to_string();
        loop {
            let passages = news.passages()?;
            let Some((last, transaction)) = passages.last() else { return Ok(()) };
            let behind = Behind { transaction: Some(*transaction), passage: last.id };
            for (passage, transaction) in &passages {
                note(passage.id, *transaction);
            }
            self.add(passages.into_iter().map(|(passage, _)| passage).collect(), &project);
            if !news.go_on() {
                return Ok(());
            }
            news = News::read(work, model, behind, read)?;
        }
    }

    fn add(&self, new: Vec<Passage<'_>>, project: &str) {
        self.lists.write().add(&new, project);
        self.traits.write().add(new.iter().map(|new| (new.id, new.is_code)));
        if let Some(whole) = &mut *self.whole.write() {
            for new in &new {
                whole.add(new, project);
            }
        }
    }

    /// Doubts all words after entries were forgotten here, until the next look.
    pub(super) fn doubt_after(&self, purged: &PurgeReport) {
        if purged.entries > 0 {
            self.doubts.fetch_add(1, Ordering::SeqCst);
            self.was_purged.store(true, Ordering::SeqCst);
            self.lists.write().let_go();
        }
    }

    fn let_go(&self) {
        *self.whole.write() = None;
        self.lists.write().let_go();
        *self.traits.write() = Traits::default();
        self.is_too_large.store(false, Ordering::SeqCst);
    }

    /// Finds out which passages are gone, and forgets them.
    fn sweep(&self, work: &mut Work<'_>) -> Result<(), Fault> {
        let there = snapshot::passages(work)?;
        self.lists.write().let_go();
        let mut traits = self.traits.write();
        traits.gone.clear();
        traits.code.retain(|passage, _| there.contains(passage));
        drop(traits);
        let mut held = self.whole.write();
        if let Some(whole) = &mut *held {
            whole.keep(&there);
        }
        // What is nobody's takes room, and time in every search.
        if held.as_ref().is_some_and(|whole| whole.words.are_mostly_gone()) {
            *held = None;
        }
        Ok(())
    }

    /// Counts who asks, as long as he does. Where many ask at once all there is had better be held, and they wait for it
    /// while it is read.
    pub(super) fn join(&self) -> impl Drop {
        let one = self.crowd.join();
        let may_be_held = !self.is_whole() && !self.is_too_large.load(Ordering::SeqCst);
        if may_be_held && one.is_one_of_many() {
            self.asked.fetch_add(OFTEN, Ordering::SeqCst);
            one.wait_while_read();
        }
        one
    }

    /// Counts a question, and after many of them reads all words and meanings into memory. Who asked waits for that
    /// only where it takes a moment.
    pub(super) fn after_question(
        self: &Arc<Self>,
        query: &IndexQuery,
        (pool, place): (&Arc<Pool>, Place),
        counts: &Counts,
    ) {
        let meaning = query.embedding.clone();
        if !self.wants_whole(meaning.as_ref()) {
            return;
        }
        let (held, pool) = (Arc::clone(self), Arc::clone(pool));
        let read = move || {
            let mut reading = held.crowd.reading();
            let read = |work: &mut Work<'_>| held.read_whole(work, meaning.as_ref());
            match pool.reading(place, read) {
                Ok(is_whole) => reading.is_in_vain = !is_whole,
                Err(error) => {
                    tracing::warn!(%error, "words and meanings are not held in memory");
                }
            }
        };
        if counts.are_few() {
            read();
        } else {
            drop(std::thread::spawn(read));
        }
    }

    /// Whether it is time that somebody reads all there is; one is told so, until he has.
    fn wants_whole(&self, meaning: Option<&Embedding>) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst) + 1 >= OFTEN
            && !self.is_too_large.load(Ordering::SeqCst)
            && !self.holds(&Model::of(meaning))
            && self.crowd.begin_reading()
    }

    /// Reads all there is, and tells whether it is held from then on.
    fn read_whole(&self, work: &mut Work<'_>, meaning: Option<&Embedding>) -> Result<bool, Fault> {
        let result = self.try_to_read_whole(work, Model::of(meaning));
        if !matches!(result, Ok(true)) {
            self.asked.store(0, Ordering::SeqCst);
        }
        result
    }

    fn try_to_read_whole(&self, work: &mut Work<'_>, model: Model) -> Result<bool, Fault> {
        let (since, before) = {
            let mut progress = self.progress.lock();
            self.look(work, &mut progress)?;
            (progress.since, progress.state)
        };
        let Some((mut whole, traits)) = snapshot::read(work, model)? else {
            self.is_too_large.store(true, Ordering::SeqCst);
            index_if_too_many(work)?;
            return Ok(false);
        };
        let mut progress = self.progress.lock();
        self.look(work, &mut progress)?;
        if progress.state.renewals != before.renewals {
            return Ok(false);
        }
        if progress.state.purges != before.purges {
            whole.keep(&snapshot::passages(work)?);
        }
        let model = whole.model.clone();
        *self.whole.write() = Some(whole);
        self.traits.write().add(traits.into_iter());
        // What was added while it was read; what was read with it is read again, and is there once.
        let news = News::read(work, &model, Behind::all_of(since), &[])?;
        let added = self.add_all(work, news, (&model, &[]), |_, _| {});
        if added.is_err() {
            *self.whole.write() = None;
        }
        added.map(|()| true)
    }

    /// The model whose meanings are held.
    fn model(&self) -> Model {
        self.whole.read().as_ref().map(|whole| whole.model.clone()).unwrap_or_default()
    }

    fn is_whole(&self) -> bool {
        self.whole.read().is_some()
    }

    fn holds(&self, model: &Model) -> bool {
        let held = self.whole.read();
        held.as_ref().is_some_and(|whole| model.is_none() || whole.model == *model)
    }

    /// How large the project is, where all of it is held.
    pub(super) fn sizes(&self) -> Option<Sizes> {
        self.whole.read().as_ref().map(|whole| whole.words.sizes())
    }

    /// The best passages by words, best first, where all words are held.
    pub(super) fn best(&self, asked: &Asked, most: usize) -> Option<Vec<(i64, f32)>> {
        let held = self.whole.read();
        let traits = self.traits.read();
        let is_there = |passage| !traits.gone.contains(&passage);
        Some(held.as_ref()?.words.best(asked, most, is_there))
    }

    /// The passages whose meaning is nearest, best first, where meanings are held.
    pub(super) fn nearest(&self, wanted: &Embedding, most: usize) -> Option<Neighbours> {
        let model = Model::of(Some(wanted));
        if model.is_none() || !self.holds(&model) {
            return None;
        }
        let wanted = VectorQuery { model, vector: wanted.vector.clone(), limit: most };
        self.together.announce().run(wanted, |all| self.nearest_to_each(all))
    }

    /// None where meanings are not held, or those of another model.
    fn nearest_to_each(&self, wanted: &[&VectorQuery<Model>]) -> Vec<Option<Neighbours>> {
        let held = self.whole.read();
        let Some(whole) = &*held else { return vec![None; wanted.len()] };
        // It takes a while, and others want to write there.
        let gone = self.traits.read().gone.clone();
        let is_there = |passage| !gone.contains(&passage);
        whole.meanings.search_batch(&whole.model, wanted, is_there)
    }

    /// Waits until nobody of this process has the server compare many meanings: that takes all its processors, which
    /// are wanted by who reads the meanings to hold them.
    pub(super) fn take_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock()
    }

    /// Whether a passage is held that has a word.
    pub(super) fn has(&self, stem: &str) -> bool {
        if self.was_purged.load(Ordering::SeqCst) {
            return false;
        }
        if let Some(whole) = &*self.whole.read() {
            return whole.words.knows(stem);
        }
        let list = self.lists.read().get(Standing::There, stem);
        list.is_some_and(|list| !list.postings.is_empty())
    }

    /// What tells whether a list that is read now is still whole when it is handed in.
    pub(super) fn changes(&self) -> u64 {
        self.lists.read().changes
    }

    pub(super) fn list(&self, standing: Standing, stem: &str, most: i64) -> Option<Arc<List>> {
        let list = self.lists.read().get(standing, stem)?;
        list.suffices(most).then_some(list)
    }

    pub(super) fn hold(&self, standing: Standing, stem: &str, list: &Arc<List>, changes: u64) {
        let mut lists = self.lists.write();
        if lists.changes == changes {
            lists.put(standing, stem, Arc::clone(list));
        }
    }

    /// Leaves out passages that are known to be gone.
    pub(super) fn leave_out_gone<T>(&self, ranked: &mut HashMap<i64, T>) {
        for passage in &self.traits.read().gone {
            ranked.remove(passage);
        }
    }

    /// Whether each of the passages is code, where all of that is known.
    pub(super) fn are_code(&self, passages: &[i64]) -> Option<Vec<(i64, bool)>> {
        let traits = self.traits.read();
        let known = |passage: &i64| Some((*passage, *traits.code.get(passage)?));
        passages.iter().map(known).collect()
    }

    /// Remembers which of the wanted passages are there, and whether they are code.
    pub(super) fn remember(
        &self,
        work: &mut Work<'_>,
        wanted: &[i64],
        there: &[(i64, bool)],
    ) -> Result<(), Fault> {
        let mut traits = self.traits.write();
        traits.add(there.iter().copied());
        if there.len() < wanted.len() {
            let gone: Vec<i64> = wanted
                .iter()
                .filter(|passage| !traits.code.contains_key(passage))
                .copied()
                .collect();
            traits.gone.extend(gone);
        }
        let is_much_gone = traits.gone.len() > MOST_GONE;
        drop(traits);
        if !is_much_gone {
            return Ok(());
        }
        let _progress = self.progress.lock();
        self.sweep(work)
    }

    /// Has the server asked about passages anew that turned out to be no hits: they may be gone.
    pub(super) fn doubt(&self, passages: impl Iterator<Item = i64>) {
        let mut passages = passages.peekable();
        if passages.peek().is_none() {
            return;
        }
        let mut traits = self.traits.write();
        for passage in passages {
            traits.code.remove(&passage);
        }
    }
}

impl Traits {
    fn add(&mut self, there: impl Iterator<Item = (i64, bool)>) {
        if self.code.len() > MOST_TRAITS {
            self.code.clear();
        }
        self.code.extend(there);
    }
}
