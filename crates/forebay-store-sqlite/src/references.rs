//! New references: random, and such as neither an entry nor a forgotten one has.

use forebay_domain::Reference;
use rusqlite::{CachedStatement, Connection};

pub(super) const IS_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM entry WHERE ref = ?1)
         OR EXISTS (SELECT 1 FROM gone WHERE ref = ?1)";

/// Bytes that one reference is made of.
const RANDOM_BYTES: usize = 16;
/// The system is asked for so many references at once, at most.
const AT_ONCE: usize = 64;

/// One that is unused.
pub(super) fn unused(connection: &Connection) -> rusqlite::Result<Reference> {
    References::expecting(connection, 1)?.unused()
}

/// References for entries that are written one after the other.
pub(super) struct References<'work> {
    is_taken: CachedStatement<'work>,
    at_once: usize,
    random: Vec<[u8; RANDOM_BYTES]>,
}

impl<'work> References<'work> {
    /// For about so many entries.
    pub(super) fn expecting(
        connection: &'work Connection,
        entries: usize,
    ) -> rusqlite::Result<Self> {
        let is_taken = connection.prepare_cached(IS_TAKEN)?;
        Ok(Self { is_taken, at_once: entries.clamp(1, AT_ONCE), random: Vec::new() })
    }

    pub(super) fn unused(&mut self) -> rusqlite::Result<Reference> {
        loop {
            let reference = Reference::from_random(self.random()?);
            if !self.is_taken.query_row([reference.as_str()], |row| row.get::<_, bool>(0))? {
                return Ok(reference);
            }
        }
    }

    fn random(&mut self) -> rusqlite::Result<[u8; RANDOM_BYTES]> {
        loop {
            if let Some(random) = self.random.pop() {
                return Ok(random);
            }
            self.random.resize(self.at_once, [0; RANDOM_BYTES]);
            getrandom::fill(self.random.as_flattened_mut())
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        }
    }
}
