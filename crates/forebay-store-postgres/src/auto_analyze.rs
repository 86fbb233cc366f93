//! How much this process has added: a server that was given a lot must look at it before it plans well.

use parking_lot::Mutex;

use super::connection::Place;
use super::pool::Pool;

/// So many passages at first, then twice as many each time.
const FIRST: usize = 2_000;

/// The passages this process wrote since the server last looked.
#[derive(Debug)]
pub(super) struct Growth(Mutex<Written>);

#[derive(Debug)]
struct Written {
    passages: usize,
    enough: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Self(Mutex::new(Written { passages: 0, enough: FIRST }))
    }
}

impl Growth {
    /// Counts passages. The server looks at its tables by itself within a minute or so; until then it plans for
    /// the empty tables that it knows, and a search takes ten times as long.
    pub(super) fn add(&self, pool: &Pool, place: Place, passages: usize) {
        {
            let mut written = self.0.lock();
            written.passages += passages;
            if written.passages < written.enough {
                return;
            }
            *written = Written { passages: 0, enough: 2 * written.enough };
        }
        let analyse = "ANALYZE blob, blob_part, entry, chunk, meaning, word";
        let looked = pool.reading(place, |work| work.batch(analyse));
        if let Err(error) = looked {
            tracing::warn!(%error, "the server did not look at what was added");
        }
    }
}
