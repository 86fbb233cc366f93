//! Questions that come at once are answered together: to read all meanings from memory takes longer than to compare
//! them with one question, or with several. Whoever is about to ask says so, and the others wait for him a little.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::LazyLock;
use std::thread::{self, Thread, available_parallelism, yield_now};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

/// Questions that are answered in one go.
const AT_ONCE: usize = 16;
/// As many as are worth it: more would keep those who asked from their other work.
const ENOUGH: usize = 8;
/// How long others are waited for: some of them may take their time.
const PATIENCE: Duration = Duration::from_millis(3);

#[derive(Debug)]
pub struct QueryBatcher<Question, Answer> {
    patience: Duration,
    state: Mutex<State<Question, Answer>>,
}

#[derive(Debug)]
struct State<Question, Answer> {
    /// Counts questions.
    count: u64,
    /// Those who are about to ask.
    coming: usize,
    waiting: Vec<Asker<Question>>,
    /// None where there was no answer.
    answers: HashMap<u64, Option<Answer>>,
    /// Those who answer for all.
    busy: usize,
}

/// Who asked what.
#[derive(Debug)]
struct Asker<Question> {
    number: u64,
    question: Question,
    /// Sleeps until it is answered, or may answer.
    thread: Thread,
}

/// Somebody who is about to ask, or who thought so.
#[derive(Debug)]
pub struct PendingQuery<'a, Question, Answer> {
    together: &'a QueryBatcher<Question, Answer>,
}

impl<Question, Answer> Default for QueryBatcher<Question, Answer> {
    fn default() -> Self {
        let (count, coming, waiting, answers, busy) = Default::default();
        let state = Mutex::new(State { count, coming, waiting, answers, busy });
        Self { patience: PATIENCE, state }
    }
}

impl<Question, Answer> PendingQuery<'_, Question, Answer> {
    /// Answers a question, by `answer` or by that of another who asked at once.
    pub fn ask(
        self,
        question: Question,
        answer: impl Fn(&[&Question]) -> Vec<Option<Answer>>,
    ) -> Option<Answer> {
        let together = self.together;
        let number = together.enqueue(question);
        drop(self);
        together.wait(number, answer)
    }
}

impl<Question, Answer> Drop for PendingQuery<'_, Question, Answer> {
    fn drop(&mut self) {
        let mut state = self.together.state.lock();
        state.coming -= 1;
        let next = state.next_to_answer();
        drop(state);
        next.iter().for_each(Thread::unpark);
    }
}

impl<Question, Answer> QueryBatcher<Question, Answer> {
    /// Lets others know that a question is about to come.
    pub fn announce(&self) -> PendingQuery<'_, Question, Answer> {
        self.state.lock().coming += 1;
        PendingQuery { together: self }
    }

    /// Has a question wait for its answer; gives its number.
    fn enqueue(&self, question: Question) -> u64 {
        let mut state = self.state.lock();
        let number = state.count;
        state.count += 1;
        state.waiting.push(Asker { number, question, thread: thread::current() });
        number
    }

    fn wait(
        &self,
        number: u64,
        answer: impl Fn(&[&Question]) -> Vec<Option<Answer>>,
    ) -> Option<Answer> {
        // Whoever is about to ask gets the processor first, and is answered in the same go.
        yield_now();
        let asked = Instant::now();
        loop {
            let mut state = self.state.lock();
            if let Some(answer) = state.answers.remove(&number) {
                return answer;
            }
            let may_answer = state.is_waiting(number) && state.busy < *MOST_BUSY;
            let patience =
                self.patience.checked_sub(asked.elapsed()).filter(|left| !left.is_zero());
            if may_answer && (state.are_enough() || patience.is_none()) {
                self.answer_some(state, &answer);
            } else {
                drop(state);
                thread::park_timeout(patience.unwrap_or(self.patience));
            }
        }
    }

    fn answer_some(
        &self,
        mut state: MutexGuard<'_, State<Question, Answer>>,
        answer: impl Fn(&[&Question]) -> Vec<Option<Answer>>,
    ) {
        let some = state.waiting.len().min(AT_ONCE);
        let askers = state.waiting.drain(..some).collect();
        state.busy += 1;
        drop(state);
        let mut answering = Answering { together: self, askers, answers: Vec::new() };
        let questions: Vec<&Question> =
            answering.askers.iter().map(|asker| &asker.question).collect();
        answering.answers = answer(&questions);
    }
}

impl<Question, Answer> State<Question, Answer> {
    fn is_waiting(&self, number: u64) -> bool {
        self.waiting.iter().any(|asker| asker.number == number)
    }

    /// Whether nobody else is worth waiting for.
    fn are_enough(&self) -> bool {
        self.coming == 0 || self.waiting.len() >= ENOUGH
    }

    /// One of those who wait, if it is time to answer.
    fn next_to_answer(&self) -> Option<Thread> {
        let first = self.waiting.first().filter(|_| self.are_enough());
        first.map(|asker| asker.thread.clone())
    }
}

/// Somebody who answers: whatever happens to him, those who wait are answered.
struct Answering<'a, Question, Answer> {
    together: &'a QueryBatcher<Question, Answer>,
    askers: Vec<Asker<Question>>,
    answers: Vec<Option<Answer>>,
}

impl<Question, Answer> Drop for Answering<'_, Question, Answer> {
    fn drop(&mut self) {
        let mut state = self.together.state.lock();
        let mut answers = std::mem::take(&mut self.answers).into_iter();
        for asker in &self.askers {
            state.answers.insert(asker.number, answers.next().flatten());
        }
        state.busy -= 1;
        let next = state.next_to_answer();
        drop(state);
        next.iter().chain(self.askers.iter().map(|asker| &asker.thread)).for_each(Thread::unpark);
    }
}

/// Half of the processors: the others have the rest of each search to do. To count them takes as long as many a
/// question, so it is done once.
static MOST_BUSY: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).div_ceil(2));

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn each_is_told_the_answer_to_its_own_question() {
        let together = QueryBatcher::default();
        let answer = |questions: &[&u8]| -> Vec<Option<String>> {
            assert!(questions.len() <= AT_ONCE);
            questions.iter().map(|question| Some(question.to_string())).collect()
        };
        thread::scope(|scope| {
            for question in 0..100_u8 {
                let together = &together;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let told = together.announce().ask(question, answer);
                        assert_eq!(told, Some(question.to_string()));
                    }
                });
            }
        });
        assert!(together.state.lock().answers.is_empty());
    }

    #[test]
    fn who_is_about_to_ask_is_waited_for() {
        let together =
            QueryBatcher { patience: Duration::from_mins(10), ..QueryBatcher::default() };
        let answer = |questions: &[&u8]| vec![Some(questions.len()); questions.len()];
        let (late, never) = (together.announce(), together.announce());
        thread::scope(|scope| {
            let first = scope.spawn(|| together.announce().ask(1, answer));
            while together.state.lock().waiting.is_empty() {
                yield_now();
            }
            let second = scope.spawn(|| late.ask(2, answer));
            while together.state.lock().waiting.len() < 2 {
                yield_now();
            }
            drop(never);
            assert_eq!([first, second].map(|told| told.join().unwrap()), [Some(2); 2]);
        });
    }

    #[test]
    fn nobody_is_waited_for_too_long() {
        let together = QueryBatcher::default();
        let _never = together.announce();
        assert_eq!(
            together.announce().ask(1, |questions: &[&u8]| vec![Some(questions.len())]),
            Some(1)
        );
    }

    #[test]
    fn nobody_waits_for_one_who_fell() {
        let together = QueryBatcher::<u8, u8>::default();
        let falls =
            catch_unwind(AssertUnwindSafe(|| together.announce().ask(1, |_| panic!("fell"))));
        assert!(falls.is_err());
        assert_eq!(together.announce().ask(2, |questions| vec![None; questions.len()]), None);
        assert_eq!(together.state.lock().busy, 0);
    }
}
