//! Batches concurrent vector queries into one scan.
//!
//! A scan of all vectors is bound by memory bandwidth, so comparing them with several queries costs
//! about as much as with one. A caller announces its query early; others wait for it briefly.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread::{self, Thread, available_parallelism, yield_now};
use std::time::{Duration, Instant};

use foldhash::HashMap;
use parking_lot::{Mutex, MutexGuard};

/// Maximum number of queries in one scan.
const MAX_BATCH: usize = 16;
/// A batch of this size does not wait for more queries: it would delay its callers.
const MIN_FULL_BATCH: usize = 8;
/// Maximum time to wait for announced queries.
const GATHER_TIMEOUT: Duration = Duration::from_millis(3);

#[derive(Debug)]
pub struct QueryBatcher<Query, Answer> {
    gather_timeout: Duration,
    state: Mutex<State<Query, Answer>>,
}

#[derive(Debug)]
struct State<Query, Answer> {
    next_id: u64,
    /// Announced queries that are not enqueued yet.
    announced: usize,
    queue: Vec<QueuedQuery<Query>>,
    /// None where the batch returned no answer.
    answers: HashMap<u64, Option<Answer>>,
    /// Batches being scanned.
    active_batches: usize,
}

/// A query waiting for its batch.
#[derive(Debug)]
struct QueuedQuery<Query> {
    id: u64,
    query: Query,
    /// Parked until the answer arrives or it may lead a batch.
    thread: Thread,
}

/// An announced query; dropping it withdraws the announcement.
#[derive(Debug)]
pub struct PendingQuery<'a, Query, Answer> {
    batcher: &'a QueryBatcher<Query, Answer>,
}

impl<Query, Answer> Default for QueryBatcher<Query, Answer> {
    fn default() -> Self {
        let (next_id, announced, queue, answers, active_batches) = Default::default();
        let state = Mutex::new(State { next_id, announced, queue, answers, active_batches });
        Self { gather_timeout: GATHER_TIMEOUT, state }
    }
}

impl<Query, Answer> PendingQuery<'_, Query, Answer> {
    /// Returns the answer to a query, from `run_queries` called here or by a concurrent caller.
    pub fn run(
        self,
        query: Query,
        run_queries: impl Fn(&[&Query]) -> Vec<Option<Answer>>,
    ) -> Option<Answer> {
        let batcher = self.batcher;
        let id = batcher.enqueue(query);
        drop(self);
        batcher.wait(id, run_queries)
    }
}

impl<Query, Answer> Drop for PendingQuery<'_, Query, Answer> {
    fn drop(&mut self) {
        let mut state = self.batcher.state.lock();
        state.announced -= 1;
        let next = state.next_leader();
        drop(state);
        next.iter().for_each(Thread::unpark);
    }
}

impl<Query, Answer> QueryBatcher<Query, Answer> {
    /// Announces a query, so that concurrent batches wait for it.
    pub fn announce(&self) -> PendingQuery<'_, Query, Answer> {
        self.state.lock().announced += 1;
        PendingQuery { batcher: self }
    }

    /// Enqueues a query and returns its id.
    fn enqueue(&self, query: Query) -> u64 {
        let mut state = self.state.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.queue.push(QueuedQuery { id, query, thread: thread::current() });
        id
    }

    fn wait(
        &self,
        id: u64,
        run_queries: impl Fn(&[&Query]) -> Vec<Option<Answer>>,
    ) -> Option<Answer> {
        // Lets threads with announced queries run first, so that they join this batch.
        yield_now();
        let enqueued_at = Instant::now();
        loop {
            let mut state = self.state.lock();
            if let Some(answer) = state.answers.remove(&id) {
                return answer;
            }
            let may_lead = state.is_waiting(id) && state.active_batches < *MAX_ACTIVE_BATCHES;
            let remaining = self
                .gather_timeout
                .checked_sub(enqueued_at.elapsed())
                .filter(|left| !left.is_zero());
            if may_lead && (state.is_batch_ready() || remaining.is_none()) {
                self.run_batch(state, &run_queries);
            } else {
                drop(state);
                thread::park_timeout(remaining.unwrap_or(self.gather_timeout));
            }
        }
    }

    fn run_batch(
        &self,
        mut state: MutexGuard<'_, State<Query, Answer>>,
        run_queries: impl Fn(&[&Query]) -> Vec<Option<Answer>>,
    ) {
        let size = state.queue.len().min(MAX_BATCH);
        let batch = state.queue.drain(..size).collect();
        state.active_batches += 1;
        drop(state);
        let mut running = RunningBatch { batcher: self, batch, answers: Vec::new() };
        let queries: Vec<&Query> = running.batch.iter().map(|queued| &queued.query).collect();
        running.answers = run_queries(&queries);
    }
}

impl<Query, Answer> State<Query, Answer> {
    fn is_waiting(&self, id: u64) -> bool {
        self.queue.iter().any(|queued| queued.id == id)
    }

    /// Returns whether waiting for more queries is not worthwhile.
    fn is_batch_ready(&self) -> bool {
        self.announced == 0 || self.queue.len() >= MIN_FULL_BATCH
    }

    /// Returns a waiting thread if a batch is ready.
    fn next_leader(&self) -> Option<Thread> {
        let first = self.queue.first().filter(|_| self.is_batch_ready());
        first.map(|queued| queued.thread.clone())
    }
}

/// A batch being scanned; answers its callers when dropped, also after a panic.
struct RunningBatch<'a, Query, Answer> {
    batcher: &'a QueryBatcher<Query, Answer>,
    batch: Vec<QueuedQuery<Query>>,
    answers: Vec<Option<Answer>>,
}

impl<Query, Answer> Drop for RunningBatch<'_, Query, Answer> {
    fn drop(&mut self) {
        let mut state = self.batcher.state.lock();
        let mut answers = std::mem::take(&mut self.answers).into_iter();
        for queued in &self.batch {
            state.answers.insert(queued.id, answers.next().flatten());
        }
        state.active_batches -= 1;
        let next = state.next_leader();
        drop(state);
        next.iter().chain(self.batch.iter().map(|queued| &queued.thread)).for_each(Thread::unpark);
    }
}

/// Half of the processors, since the rest of each search needs some too. Cached: determining the
/// count takes as long as many queries.
static MAX_ACTIVE_BATCHES: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).div_ceil(2));

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn each_caller_gets_its_own_answer() {
        let batcher = QueryBatcher::default();
        let run_queries = |queries: &[&u8]| -> Vec<Option<String>> {
            assert!(queries.len() <= MAX_BATCH);
            queries.iter().map(|query| Some(query.to_string())).collect()
        };
        thread::scope(|scope| {
            for query in 0..100_u8 {
                let batcher = &batcher;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let answer = batcher.announce().run(query, run_queries);
                        assert_eq!(answer, Some(query.to_string()));
                    }
                });
            }
        });
        assert!(batcher.state.lock().answers.is_empty());
    }

    #[test]
    fn waits_for_announced_queries() {
        let batcher =
            QueryBatcher { gather_timeout: Duration::from_mins(10), ..QueryBatcher::default() };
        let run_queries = |queries: &[&u8]| vec![Some(queries.len()); queries.len()];
        let (late, never) = (batcher.announce(), batcher.announce());
        thread::scope(|scope| {
            let first = scope.spawn(|| batcher.announce().run(1, run_queries));
            while batcher.state.lock().queue.is_empty() {
                yield_now();
            }
            let second = scope.spawn(|| late.run(2, run_queries));
            while batcher.state.lock().queue.len() < 2 {
                yield_now();
            }
            drop(never);
            assert_eq!([first, second].map(|answer| answer.join().unwrap()), [Some(2); 2]);
        });
    }

    #[test]
    fn stops_waiting_after_the_timeout() {
        let batcher = QueryBatcher::default();
        let _never = batcher.announce();
        assert_eq!(batcher.announce().run(1, |queries: &[&u8]| vec![Some(queries.len())]), Some(1));
    }

    #[test]
    fn a_panic_releases_the_batch() {
        let batcher = QueryBatcher::<u8, u8>::default();
        let result =
            catch_unwind(AssertUnwindSafe(|| batcher.announce().run(1, |_| panic!("fell"))));
        assert!(result.is_err());
        assert_eq!(batcher.announce().run(2, |queries| vec![None; queries.len()]), None);
        assert_eq!(batcher.state.lock().active_batches, 0);
    }
}
