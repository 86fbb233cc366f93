//! Parallel preparation with a single consumer: all cores read and prepare, one thread stores.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::AppError;

/// Queued results per worker; more would only fill memory.
const QUEUE_PER_WORKER: usize = 4;

/// Applies `work` to each of `jobs` in parallel and passes the results to `take`; an error or a
/// break of `take` stops everything.
pub(super) fn each<Job: Sync, Made: Send>(
    jobs: &[Job],
    work: impl Fn(&Job) -> Made + Sync,
    mut take: impl FnMut(&Job, Made) -> Result<ControlFlow<()>, AppError>,
) -> Result<(), AppError> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    if workers <= 1 {
        for job in jobs {
            if take(job, work(job))?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let (made, taken) = sync_channel(workers * QUEUE_PER_WORKER);
        for _ in 0..workers {
            let made = made.clone();
            let (next, ended, work) = (&next, &ended, &work);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if ended.load(Ordering::Relaxed) || made.send((job, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(made);
        let mut results = taken.iter().map(|(job, made)| take(job, made));
        let end = results.find(|taken| !matches!(taken, Ok(ControlFlow::Continue(()))));
        ended.store(true, Ordering::Relaxed);
        // Workers blocked on a full queue must not wait forever.
        drop(results);
        drop(taken);
        end.map_or(Ok(()), |end| end.map(|_| ()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_every_job_once_and_stops_on_error() {
        let jobs: Vec<u64> = (0..1_000).collect();
        let mut sum = 0;
        each(
            &jobs,
            |job| job * 2,
            |_, made| {
                sum += made;
                Ok(ControlFlow::Continue(()))
            },
        )
        .unwrap();
        assert_eq!(sum, 999_000);
        let mut taken = 0;
        let failed = each(
            &jobs,
            |job| *job,
            |_, _| {
                taken += 1;
                Err(AppError::bad_input("no", "no"))
            },
        );
        assert!(failed.is_err());
        assert_eq!(taken, 1);
        let broken = each(
            &jobs,
            |job| *job,
            |_, _| {
                taken += 1;
                Ok(ControlFlow::Break(()))
            },
        );
        assert!(broken.is_ok());
        assert_eq!(taken, 2);
    }
}
