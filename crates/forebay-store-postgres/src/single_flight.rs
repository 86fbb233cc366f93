//! Single-flight queries: concurrent callers share one query to the server.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

/// A value that is queried again and again. One caller runs the query; all callers that arrived before it started
/// share the result, which is as fresh as their own would be.
#[derive(Debug, Default)]
pub(super) struct SingleFlight<T> {
    /// Number of requests.
    requests: AtomicU64,
    state: Mutex<State<T>>,
}

#[derive(Debug, Default)]
struct State<T> {
    value: T,
    /// The last request that the value is fresh enough for.
    fresh_for: u64,
}

impl<T> SingleFlight<T> {
    /// Refreshes the value with `query`, unless that happened since this call started and the value `suits`.
    pub(super) fn refresh<E>(
        &self,
        suits: impl FnOnce(&T) -> bool,
        query: impl FnOnce(&mut T) -> Result<(), E>,
    ) -> Result<MappedMutexGuard<'_, T>, E> {
        let request = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        let mut state = self.state.lock();
        if state.fresh_for < request || !suits(&state.value) {
            let latest = self.requests.load(Ordering::SeqCst);
            // A value is not fresh after an error.
            state.fresh_for = 0;
            query(&mut state.value)?;
            state.fresh_for = latest;
        }
        Ok(MutexGuard::map(state, |state| &mut state.value))
    }

    /// Locks the value without a refresh.
    pub(super) fn lock(&self) -> MappedMutexGuard<'_, T> {
        MutexGuard::map(self.state.lock(), |state| &mut state.value)
    }
}

/// Single flight with a key: the result of the last key is shared.
pub(super) type KeyedSingleFlight<K, V> = SingleFlight<Option<(K, V)>>;

impl<K: Clone + PartialEq, V: Clone + Default> KeyedSingleFlight<K, V> {
    /// Returns the result of `query` for a key, or that of a concurrent caller with the same key.
    pub(super) fn get<E>(&self, key: &K, query: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let is_same =
            |state: &Option<(K, V)>| state.as_ref().is_some_and(|(last_key, _)| last_key == key);
        let state = self.refresh(is_same, |state| {
            *state = Some((key.clone(), query()?));
            Ok(())
        })?;
        Ok(state.as_ref().map(|(_, value)| value.clone()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn results_are_never_older_than_the_request() {
        let (flight, moment) = (KeyedSingleFlight::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let requested = moment.fetch_add(1, Ordering::SeqCst);
                        let query = || Ok::<_, Infallible>(moment.load(Ordering::SeqCst));
                        let Ok(result) = flight.get(&"moment", query);
                        assert!(result > requested, "{result} at {requested}");
                    }
                });
            }
        });
    }

    #[test]
    fn callers_that_wait_share_one_query() {
        const WAITING: u64 = 8;
        let (shared, queries) = (KeyedSingleFlight::default(), AtomicUsize::new(0));
        let query = |result| {
            queries.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(result)
        };
        std::thread::scope(|scope| {
            let mut callers = Vec::new();
            let first = shared.get(&"key", || {
                for _ in 0..WAITING {
                    callers.push(scope.spawn(|| shared.get(&"key", || query("second"))));
                }
                // The query ends only when every other caller waits for it.
                while shared.requests.load(Ordering::SeqCst) <= WAITING {
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
    fn queries_again_for_another_key_and_after_an_error() {
        let flight = KeyedSingleFlight::default();
        assert_eq!(flight.get(&1, || Ok::<_, ()>("one")), Ok("one"));
        assert_eq!(flight.get(&2, || Ok::<_, ()>("two")), Ok("two"));
        assert_eq!(flight.get(&2, || Err("broken")), Err("broken"));
        assert_eq!(flight.get(&2, || Ok::<_, ()>("again")), Ok("again"));
    }
}
