//! A parallel map that keeps the order of its items.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Fewer items are not worth a thread.
const MIN_PARALLEL_ITEMS: usize = 4;

/// Applies `work` to each item on all cores; results are in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // Counting the cores means reading files of the kernel.
    let cores = match items.len() {
        ..MIN_PARALLEL_ITEMS => 1,
        _ => thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    if cores == 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    // Threads run_worker items one by one: some are a thousand times larger than others.
    let run_worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (1..cores).map(|_| scope.spawn(run_worker)).collect();
        let mut done = run_worker();
        for worker in workers {
            match worker.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn keeps_the_order_of_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(
            map(&items, |item| item * 2),
            items.iter().map(|item| item * 2).collect::<Vec<_>>()
        );
        assert_eq!(map(&[] as &[usize], |item| *item), Vec::<usize>::new());
    }
}
