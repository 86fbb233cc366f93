//! Runs ANALYZE after bulk writes, so that the query planner has current statistics.

use parking_lot::Mutex;

use super::connection::ProjectScope;
use super::pool::Pool;

/// Chunks written before the first ANALYZE; the threshold doubles each time.
const FIRST_THRESHOLD: usize = 2_000;

/// Counts the chunks this process wrote since its last ANALYZE.
#[derive(Debug)]
pub(super) struct AutoAnalyze(Mutex<Counter>);

#[derive(Debug)]
struct Counter {
    chunks: usize,
    threshold: usize,
}

impl Default for AutoAnalyze {
    fn default() -> Self {
        Self(Mutex::new(Counter { chunks: 0, threshold: FIRST_THRESHOLD }))
    }
}

impl AutoAnalyze {
    /// Adds `chunks` to the count and runs ANALYZE at the threshold. Autovacuum takes about a minute; until then the
    /// planner assumes empty tables, and a search takes ten times as long.
    pub(super) fn add(&self, pool: &Pool, scope: ProjectScope, chunks: usize) {
        {
            let mut counter = self.0.lock();
            counter.chunks += chunks;
            if counter.chunks < counter.threshold {
                return;
            }
            *counter = Counter { chunks: 0, threshold: 2 * counter.threshold };
        }
        let sql = "ANALYZE blob, blob_part, entry, chunk, meaning, word";
        let analyzed = pool.with_connection(scope, |conn| conn.batch(sql));
        if let Err(error) = analyzed {
            tracing::warn!(%error, "ANALYZE failed");
        }
    }
}
