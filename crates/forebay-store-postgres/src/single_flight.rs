//! Questions to the server that many ask at once: one asks for all.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

/// Something that the server is asked for again and again. One asks, and whoever came before he began to is told the
/// same: it is as new as what he would have been told himself.
#[derive(Debug, Default)]
pub(super) struct InTurn<T> {
    /// Counts those who want to know.
    wanted: AtomicU64,
    known: Mutex<Known<T>>,
}

#[derive(Debug, Default)]
struct Known<T> {
    value: T,
    /// Those who wanted it before it was asked for.
    asked_for: u64,
}

impl<T> InTurn<T> {
    /// Has `ask` bring what is known up to date, unless somebody did since this was called and it `suits`.
    pub(super) fn up_to_date<E>(
        &self,
        suits: impl FnOnce(&T) -> bool,
        ask: impl FnOnce(&mut T) -> Result<(), E>,
    ) -> Result<MappedMutexGuard<'_, T>, E> {
        let number = self.wanted.fetch_add(1, Ordering::SeqCst) + 1;
        let mut known = self.known.lock();
        if known.asked_for < number || !suits(&known.value) {
            let wanted = self.wanted.load(Ordering::SeqCst);
            // What is known after a fault is nobody's answer.
            known.asked_for = 0;
            ask(&mut known.value)?;
            known.asked_for = wanted;
        }
        Ok(MutexGuard::map(known, |known| &mut known.value))
    }

    /// What is known, however old.
    pub(super) fn lock(&self) -> MappedMutexGuard<'_, T> {
        MutexGuard::map(self.known.lock(), |known| &mut known.value)
    }
}

/// The answer to one of several questions.
pub(super) type Shared<Q, A> = InTurn<Option<(Q, A)>>;

impl<Q: Clone + PartialEq, A: Clone + Default> Shared<Q, A> {
    /// The answer to a question, by `ask` or by that of another who asked the same.
    pub(super) fn answer<E>(
        &self,
        question: &Q,
        ask: impl FnOnce() -> Result<A, E>,
    ) -> Result<A, E> {
        let is_same =
            |known: &Option<(Q, A)>| known.as_ref().is_some_and(|(asked, _)| asked == question);
        let known = self.up_to_date(is_same, |known| {
            *known = Some((question.clone(), ask()?));
            Ok(())
        })?;
        Ok(known.as_ref().map(|(_, answer)| answer.clone()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn nobody_is_told_what_was_asked_before_he_came() {
        let (answered, moment) = (Shared::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let came = moment.fetch_add(1, Ordering::SeqCst);
                        let ask = || Ok::<_, Infallible>(moment.load(Ordering::SeqCst));
                        let Ok(told) = answered.answer(&"moment", ask);
                        assert!(told > came, "{told} at {came}");
                    }
                });
            }
        });
    }

    #[test]
    fn callers_that_wait_share_one_query() {
        const WAITING: u64 = 8;
        let (shared, queries) = (Shared::default(), AtomicUsize::new(0));
        let query = |answer| {
            queries.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(answer)
        };
        std::thread::scope(|scope| {
            let mut callers = Vec::new();
            let first = shared.answer(&"key", || {
                for _ in 0..WAITING {
                    callers.push(scope.spawn(|| shared.answer(&"key", || query("second"))));
                }
                // The query ends only when every other caller waits for it.
                while shared.wanted.load(Ordering::SeqCst) <= WAITING {
                    std::thread::yield_now();
                }
                query("first")
            });
            assert_eq!(first, Ok("first"));
            for caller in callers {
                assert_eq!(caller.join().unwrap(), Ok("second"));
            }
        });
        assert_eq!(queries.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn another_question_and_one_after_a_fault_are_asked_anew() {
        let answered = Shared::default();
        assert_eq!(answered.answer(&1, || Ok::<_, ()>("one")), Ok("one"));
        assert_eq!(answered.answer(&2, || Ok::<_, ()>("two")), Ok("two"));
        assert_eq!(answered.answer(&2, || Err("broken")), Err("broken"));
        assert_eq!(answered.answer(&2, || Ok::<_, ()>("again")), Ok("again"));
    }
}
