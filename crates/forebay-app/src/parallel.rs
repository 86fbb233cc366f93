//! Work spread over the processor's cores, in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Fewer pieces are not worth a thread.
const FEW: usize = 4;

/// `work` done for each item; the results stand in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cores == 1 || items.len() < FEW {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    // Items are taken one by one: some are a thousand times larger than others.
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for other in others {
            match other.join() {
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
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(
            map(&items, |item| item * 2),
            items.iter().map(|item| item * 2).collect::<Vec<_>>()
        );
        assert_eq!(map(&[] as &[usize], |item| *item), Vec::<usize>::new());
    }
}
