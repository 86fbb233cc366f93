//! Generates random references that neither an entry nor a tombstone uses.

use forebay_domain::Reference;
use rusqlite::{CachedStatement, Connection};

pub(super) const IS_USED: &str = "SELECT EXISTS (SELECT 1 FROM entry WHERE ref = ?1)
         OR EXISTS (SELECT 1 FROM gone WHERE ref = ?1)";

/// Random bytes per reference.
const RANDOM_BYTES: usize = 16;
/// Maximum number of references per call for random bytes.
const MAX_BATCH: usize = 64;

/// Returns an unused reference.
pub(super) fn unused(connection: &Connection) -> rusqlite::Result<Reference> {
    References::with_expected(connection, 1)?.unused()
}

/// Generates references for many entries.
pub(super) struct References<'work> {
    is_used: CachedStatement<'work>,
    batch_size: usize,
    random: Vec<[u8; RANDOM_BYTES]>,
}

impl<'work> References<'work> {
    /// `entries` is the expected number.
    pub(super) fn with_expected(
        connection: &'work Connection,
        entries: usize,
    ) -> rusqlite::Result<Self> {
        let is_used = connection.prepare_cached(IS_USED)?;
        Ok(Self { is_used, batch_size: entries.clamp(1, MAX_BATCH), random: Vec::new() })
    }

    pub(super) fn unused(&mut self) -> rusqlite::Result<Reference> {
        loop {
            let reference = Reference::from_random(self.random()?);
            if !self.is_used.query_row([reference.as_str()], |row| row.get::<_, bool>(0))? {
                return Ok(reference);
            }
        }
    }

    fn random(&mut self) -> rusqlite::Result<[u8; RANDOM_BYTES]> {
        loop {
            if let Some(random) = self.random.pop() {
                return Ok(random);
            }
            self.random.resize(self.batch_size, [0; RANDOM_BYTES]);
            getrandom::fill(self.random.as_flattened_mut())
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        }
    }
}
