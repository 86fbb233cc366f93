//! What a process that is asked again and again holds of a project: the passages of words, and all meanings.
//!
//! Before each search it reads what was added since. A row tells the transaction that wrote it; what was written
//! by one that was still at work at the last look is looked for again, so that who ends late is not missed. What
//! is gone is noticed when it is wanted.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::postgres::Row;
use parking_lot::{Mutex, RwLock};

use super::connection::Work;
use super::fault::Fault;
use super::lexemes::{Standing, Written, known, written};
use super::vectors::Vector;
use crate::contract::Purged;
use crate::nearest::{Meanings, are_too_many};
use crate::passage::Meaning;

/// Who asks this often for meanings holds them; before that, the server's index is asked.
const OFTEN: usize = 30;
/// Where more is new than this, all is let go.
const MOST_NEW: usize = 2_000;
/// What lists may hold together: 16 bytes each. In 100,000 passages a common word alone has thousands.
const MOST_POSTINGS: usize = 4_000_000;
/// Passages that are remembered to be gone, or to be code.
const MOST_GONE: usize = 1_000;
const MOST_TRAITS: usize = 200_000;
/// Meanings that are read at once.
const PAGE: i64 = 5_000;

#[derive(Debug, Default)]
pub(super) struct Held {
    /// Counts those who want to be up to date.
    wanted: AtomicU64,
    /// One keeps up, and others wait for him.
    progress: Mutex<Progress>,
    lists: RwLock<Lists>,
    meanings: RwLock<Option<OfModel>>,
    traits: RwLock<Traits>,
}

/// How far it was read.
#[derive(Debug, Default)]
struct Progress {
    /// All of the transactions before this one was read.
    since: Option<u64>,
    /// Of this one and later ones, the passages that were read, with their transactions.
    read: HashMap<i64, u64>,
    /// How often words were forgotten in the project, or passages indexed anew.
    purges: i64,
    /// The newest passage.
    newest: i64,
    /// Those who wanted it before the last look began.
    looked_for: u64,
    /// How often meanings were asked for.
    asked: usize,
}

/// Passages with a word.
#[derive(Debug, Default, Clone)]
pub(super) struct List {
    pub(super) postings: Vec<Posting>,
    /// No more than these were read.
    most: i64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) passage: i64,
    /// The words of the passage.
    pub(super) length: i32,
    /// About how often the word stands there.
    pub(super) times: f32,
}

#[derive(Debug, Default)]
struct Lists {
    /// Counts up when something is added: a list that was read before that lacks it.
    changes: u64,
    postings: usize,
    by_word: HashMap<(Standing, String), HeldList>,
    /// Counts up with every use.
    clock: AtomicU64,
}

#[derive(Debug)]
struct HeldList {
    list: Arc<List>,
    /// When it was used last.
    used: AtomicU64,
}

#[derive(Debug)]
struct OfModel {
    model: String,
    meanings: Meanings,
}

#[derive(Debug, Default)]
struct Traits {
    gone: HashSet<i64>,
    code: HashMap<i64, bool>,
}

impl List {
    pub(super) fn new(postings: Vec<Posting>, most: i64) -> Self {
        Self { postings, most }
    }

    /// Whether reading up to `most` would give no more.
    fn suffices(&self, most: i64) -> bool {
        self.most >= most || (self.postings.len() as i64) < self.most
    }
}

/// A passage that was added.
struct New {
    passage: i64,
    transaction: u64,
    length: i32,
    around_length: i32,
    words: Vec<String>,
    meaning: Option<(String, Vec<u8>)>,
    is_code: bool,
}

/// The first transaction that is still at work, how often the project changed, its newest passage, and passages that
/// were added. In a server that was restored from a dump older rows tell of transactions that are yet to come.
const WHAT_IS_NEW: &str = "
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text, project.purges,
        coalesce((SELECT id FROM chunk WHERE workspace = $1 AND project = $2 ORDER BY id DESC LIMIT 1), 0),
        new.id, new.written::text, new.length, new.around_length, tsvector_to_array(new.words), model.name,
        meaning.vector, new.code
    FROM project
    LEFT JOIN LATERAL
        (SELECT * FROM chunk WHERE workspace = $1 AND project = $2
             AND written >= $3::text::xid8 AND written < pg_snapshot_xmax(pg_current_snapshot())
             AND id <> ALL ($4)
         ORDER BY written LIMIT $5) AS new ON true
    LEFT JOIN meaning ON meaning.workspace = $1 AND meaning.project = $2 AND meaning.chunk = new.id
    LEFT JOIN model ON model.id = meaning.model
    WHERE project.workspace = $1 AND project.id = $2";

impl Held {
    /// Reads what is new, so that what is held is as good as what the server has; gives the newest passage.
    pub(super) fn keep_up(&self, work: &mut Work<'_>) -> Result<i64, Fault> {
        let number = self.wanted.fetch_add(1, Ordering::SeqCst) + 1;
        let mut progress = self.progress.lock();
        // Somebody else who waited for the lock may have looked for both.
        if progress.looked_for < number {
            let wanted = self.wanted.load(Ordering::SeqCst);
            self.look(work, &mut progress)?;
            progress.looked_for = wanted;
        }
        Ok(progress.newest)
    }

    fn look(&self, work: &mut Work<'_>, progress: &mut Progress) -> Result<(), Fault> {
        let since = progress.since.map(|since| since.to_string());
        let read: Vec<i64> = progress.read.keys().copied().collect();
        let rows = work.query(WHAT_IS_NEW, &[&since, &read, &(MOST_NEW as i64)])?;
        let Some(row) = rows.first() else { return Ok(()) };
        let until = transaction(row, 0)?;
        let purges: i64 = row.try_get(1)?;
        progress.newest = row.try_get(2)?;
        if since.is_none() || purges != progress.purges || rows.len() >= MOST_NEW {
            self.let_go();
            progress.read.clear();
        } else {
            let new = rows.iter().filter_map(|row| new(row).transpose());
            let new = new.collect::<Result<Vec<New>, Fault>>()?;
            self.add(&new, work.place().project);
            progress.read.extend(new.iter().map(|new| (new.passage, new.transaction)));
            progress.read.retain(|_, transaction| *transaction >= until);
        }
        progress.since = Some(until);
        progress.purges = purges;
        Ok(())
    }

    fn add(&self, new: &[New], project: i32) {
        if !new.is_empty() {
            self.lists.write().add(new, project);
            self.add_meanings(new);
            self.traits.write().add(new.iter().map(|new| (new.passage, new.is_code)));
        }
    }

    /// Lets go of all where entries were forgotten.
    pub(super) fn let_go_after(&self, purged: &Purged) {
        if purged.entries > 0 {
            self.let_go();
        }
    }

    fn let_go(&self) {
        let mut lists = self.lists.write();
        *lists = Lists { changes: lists.changes + 1, ..Lists::default() };
        *self.meanings.write() = None;
        *self.traits.write() = Traits::default();
    }

    fn add_meanings(&self, new: &[New]) {
        let mut held = self.meanings.write();
        let Some(of_model) = held.as_mut() else { return };
        for New { passage, meaning, .. } in new {
            let Some((_, vector)) = meaning.as_ref().filter(|(model, _)| *model == of_model.model)
            else {
                continue;
            };
            if !of_model.meanings.has(*passage) {
                of_model.meanings.add(*passage, vector);
            }
        }
    }

    /// What tells whether a list that is read now is still whole when it is handed in.
    pub(super) fn changes(&self) -> u64 {
        self.lists.read().changes
    }

    pub(super) fn list(&self, standing: Standing, stem: &str, most: i64) -> Option<Arc<List>> {
        let list = self.lists.read().get(standing, stem)?;
        list.suffices(most).then_some(list)
    }

    /// Whether a passage is held that has a word.
    pub(super) fn has(&self, stem: &str) -> bool {
        let list = self.lists.read().get(Standing::There, stem);
        list.is_some_and(|list| !list.postings.is_empty())
    }

    pub(super) fn hold(&self, standing: Standing, stem: &str, list: &Arc<List>, changes: u64) {
        let mut lists = self.lists.write();
        if lists.changes == changes {
            lists.put(standing, stem, Arc::clone(list));
        }
    }

    /// The passages whose meaning is nearest, best first, where meanings are held; in a project with so many.
    pub(super) fn nearest(
        &self,
        work: &mut Work<'_>,
        wanted: &Meaning,
        (most, passages): (usize, f64),
    ) -> Result<Option<Vec<(i64, f32)>>, Fault> {
        if wanted.is_remote() || are_too_many(passages as i64, wanted.vector.len()) {
            return Ok(None);
        }
        if !self.holds(&wanted.model) {
            let mut progress = self.progress.lock();
            progress.asked += 1;
            if progress.asked < OFTEN {
                return Ok(None);
            }
            if !self.holds(&wanted.model) {
                // Nobody keeps up meanwhile, so what is added while they are read is added next time.
                let (meanings, traits) = read_meanings(work, wanted)?;
                let model = wanted.model.clone();
                *self.meanings.write() = Some(OfModel { model, meanings });
                self.traits.write().add(traits.into_iter());
            }
        }
        let held = self.meanings.read();
        let traits = self.traits.read();
        let is_there = |passage| !traits.gone.contains(&passage);
        let nearest = |held: &OfModel| held.meanings.nearest(&wanted.vector, most, is_there);
        Ok(held.as_ref().map(nearest))
    }

    fn holds(&self, model: &str) -> bool {
        self.meanings.read().as_ref().is_some_and(|held| held.model == model)
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
    pub(super) fn remember(&self, wanted: &[i64], there: &[(i64, bool)]) {
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
        drop(traits);
        self.start_over_where_much_is_gone();
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

    fn start_over_where_much_is_gone(&self) {
        if self.traits.read().gone.len() > MOST_GONE {
            let mut progress = self.progress.lock();
            progress.since = None;
            self.let_go();
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

impl Lists {
    fn get(&self, standing: Standing, stem: &str) -> Option<Arc<List>> {
        let held = self.by_word.get(&(standing, known(stem).to_owned()))?;
        held.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(&held.list))
    }

    fn put(&mut self, standing: Standing, stem: &str, list: Arc<List>) {
        if self.postings + list.postings.len() > MOST_POSTINGS {
            self.let_go_of_half();
        }
        self.postings += list.postings.len();
        let used = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed));
        let before =
            self.by_word.insert((standing, known(stem).to_owned()), HeldList { list, used });
        self.postings -= before.map_or(0, |before| before.list.postings.len());
    }

    /// Lets go of the half that was not used for longest.
    fn let_go_of_half(&mut self) {
        let mut used: Vec<u64> = self.by_word.values().map(HeldList::used).collect();
        used.sort_unstable();
        let middle = used.get(used.len() / 2).copied().unwrap_or_default();
        self.by_word.retain(|_, held| held.used() > middle);
        self.postings = self.by_word.values().map(|held| held.list.postings.len()).sum();
    }

    fn add(&mut self, new: &[New], project: i32) {
        self.changes += 1;
        for new in new {
            for word in &new.words {
                let Some(Written { standing, stem }) = written(word, project) else { continue };
                let (of, length) = match standing {
                    Standing::Around => (Standing::Around, new.around_length),
                    _ => (Standing::There, new.length),
                };
                if let Some(held) = self.by_word.get_mut(&(of, stem.to_owned())) {
                    Arc::make_mut(&mut held.list).add(new.passage, length, standing.times() as f32);
                    self.postings += 1;
                }
            }
        }
    }
}

impl HeldList {
    fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

impl List {
    /// Adds a passage, unless it was read with the list already.
    fn add(&mut self, passage: i64, length: i32, times: f32) {
        match self.postings.iter_mut().rev().find(|posting| posting.passage == passage) {
            Some(posting) => posting.times = posting.times.max(times),
            None => self.postings.push(Posting { passage, length, times }),
        }
    }
}

fn new(row: &Row) -> Result<Option<New>, Fault> {
    let Some(passage) = row.try_get(3)? else { return Ok(None) };
    let model: Option<String> = row.try_get(8)?;
    let vector: Option<Vector> = row.try_get(9)?;
    Ok(Some(New {
        passage,
        transaction: transaction(row, 4)?,
        length: row.try_get(5)?,
        around_length: row.try_get(6)?,
        words: row.try_get(7)?,
        meaning: model.zip(vector.map(|vector| vector.0)),
        is_code: row.try_get(10)?,
    }))
}

fn transaction(row: &Row, column: usize) -> Result<u64, Fault> {
    row.try_get::<_, &str>(column)?.parse().map_err(Fault::content)
}

/// All meanings of a model, and which of their passages are code.
fn read_meanings(
    work: &mut Work<'_>,
    wanted: &Meaning,
) -> Result<(Meanings, Vec<(i64, bool)>), Fault> {
    let (mut meanings, mut traits) = (Meanings::new(wanted.vector.len()), Vec::new());
    let model = super::text::kept(&wanted.model);
    let (width, mut last) = (wanted.vector.len() as i32, 0_i64);
    loop {
        let rows = work.query(
            "SELECT meaning.chunk, meaning.vector, chunk.code FROM
                 (SELECT chunk, vector FROM meaning WHERE workspace = $1 AND project = $2 AND chunk > $3
                      AND model = (SELECT id FROM model WHERE name = $4) AND vector_dims(vector) = $5
                  ORDER BY chunk LIMIT $6) AS meaning
             JOIN chunk ON chunk.workspace = $1 AND chunk.project = $2 AND chunk.id = meaning.chunk
             ORDER BY meaning.chunk",
            &[&last, &model, &width, &PAGE],
        )?;
        for row in &rows {
            last = row.try_get(0)?;
            meanings.add(last, &row.try_get::<_, Vector>(1)?.0);
            traits.push((last, row.try_get(2)?));
        }
        if (rows.len() as i64) < PAGE {
            return Ok((meanings, traits));
        }
    }
}
