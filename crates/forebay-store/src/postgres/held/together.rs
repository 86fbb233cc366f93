//! Questions that come at once are answered together: to read all meanings from memory takes longer than to compare
//! them with one question, or with several.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::LazyLock;
use std::thread::{available_parallelism, yield_now};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::whole::Model;

/// Questions that are answered in one go.
const AT_ONCE: usize = 16;

/// The nearest passages, best first; nothing where meanings are not held.
pub(super) type Near = Option<Vec<(i64, f32)>>;

#[derive(Debug, Default)]
pub(super) struct Together {
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Counts questions.
    count: u64,
    waiting: Vec<Wanted>,
    answers: HashMap<u64, Near>,
    /// Those who answer for all.
    busy: usize,
}

/// A question: what is near to this.
#[derive(Debug)]
pub(super) struct Wanted {
    number: u64,
    pub(super) model: Model,
    pub(super) vector: Vec<u8>,
    pub(super) most: usize,
}

impl Together {
    /// Answers a question, by `answer` or by that of another who asked at once.
    pub(super) fn ask(
        &self,
        (model, vector, most): (Model, Vec<u8>, usize),
        answer: impl Fn(&[Wanted]) -> Vec<Near>,
    ) -> Near {
        let number = self.enqueue((model, vector, most));
        // Whoever is about to ask gets the processor first, and is answered in the same go.
        yield_now();
        let mut state = self.state.lock();
        loop {
            if let Some(near) = state.answers.remove(&number) {
                return near;
            }
            if state.busy < *MOST_BUSY && state.is_waiting(number) {
                self.answer_some(state, &answer);
                state = self.state.lock();
            } else {
                self.answered.wait(&mut state);
            }
        }
    }

    /// Has a question wait for its answer; gives its number.
    fn enqueue(&self, (model, vector, most): (Model, Vec<u8>, usize)) -> u64 {
        let mut state = self.state.lock();
        let number = state.count;
        state.count += 1;
        state.waiting.push(Wanted { number, model, vector, most });
        number
    }

    fn answer_some(
        &self,
        mut state: MutexGuard<'_, State>,
        answer: impl Fn(&[Wanted]) -> Vec<Near>,
    ) {
        let some = state.waiting.len().min(AT_ONCE);
        let wanted = state.waiting.drain(..some).collect();
        state.busy += 1;
        drop(state);
        let mut answering = Answering { together: self, wanted, answers: Vec::new() };
        answering.answers = answer(&answering.wanted);
    }
}

impl State {
    fn is_waiting(&self, number: u64) -> bool {
        self.waiting.iter().any(|wanted| wanted.number == number)
    }
}

/// Somebody who answers: whatever happens to him, those who wait are answered.
struct Answering<'a> {
    together: &'a Together,
    wanted: Vec<Wanted>,
    answers: Vec<Near>,
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        let mut state = self.together.state.lock();
        let mut answers = std::mem::take(&mut self.answers).into_iter();
        for wanted in &self.wanted {
            state.answers.insert(wanted.number, answers.next().flatten());
        }
        state.busy -= 1;
        drop(state);
        self.together.answered.notify_all();
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

    fn ask(together: &Together, byte: u8, answer: impl Fn(&[Wanted]) -> Vec<Near>) -> Near {
        together.ask((Model::default(), vec![byte], 1), answer)
    }

    #[test]
    fn each_is_told_the_answer_to_its_own_question() {
        let together = Together::default();
        let answer = |wanted: &[Wanted]| -> Vec<Near> {
            assert!(wanted.len() <= AT_ONCE);
            wanted.iter().map(|wanted| Some(vec![(wanted.vector[0].into(), 1.0)])).collect()
        };
        std::thread::scope(|scope| {
            for byte in 0..100 {
                let together = &together;
                scope.spawn(move || {
                    for _ in 0..50 {
                        assert_eq!(ask(together, byte, answer), Some(vec![(byte.into(), 1.0)]));
                    }
                });
            }
        });
        assert!(together.state.lock().answers.is_empty());
    }

    #[test]
    fn nobody_waits_for_one_who_fell() {
        let together = Together::default();
        let falls = catch_unwind(AssertUnwindSafe(|| ask(&together, 1, |_| panic!("fell"))));
        assert!(falls.is_err());
        assert_eq!(ask(&together, 2, |wanted| vec![None; wanted.len()]), None);
        assert_eq!(together.state.lock().busy, 0);
    }
}
