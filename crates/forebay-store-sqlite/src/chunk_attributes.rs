//! What passages are, remembered by whoever asks more than once: it does not change.

use forebay_domain::EntryKind;
use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension, Row};

/// The traits of the passages that were asked for.
#[derive(Debug, Default)]
pub(super) struct Traits {
    kinds: Remembered<EntryKind>,
    are_code: Remembered<bool>,
}

impl Traits {
    /// The kind of a passage's entry; none for what is not there.
    pub(super) fn kind(
        &self,
        connection: &Connection,
        passage: i64,
    ) -> rusqlite::Result<Option<EntryKind>> {
        const SQL: &str =
            "SELECT entry.kind FROM chunk JOIN entry ON entry.id = chunk.entry WHERE chunk.id = ?1";
        let kind = |row: &Row<'_>| Ok(EntryKind::from_word(row.get_ref(0)?.as_str()?));
        self.kinds.get(passage, || read(connection, SQL, passage, kind).map(Option::flatten))
    }

    /// Whether each is source code; of what has no meaning that is not known.
    pub(super) fn are_code(
        &self,
        connection: &Connection,
        passages: &[i64],
    ) -> rusqlite::Result<Vec<bool>> {
        const SQL: &str = "SELECT code FROM meaning WHERE chunk = ?1";
        let is_code = |passage| read(connection, SQL, passage, |row| row.get(0));
        let mut are_code = self.are_code.known(passages);
        for (passage, known) in passages.iter().zip(&mut are_code) {
            if known.is_none() {
                *known = self.are_code.get(*passage, || is_code(*passage))?;
            }
        }
        Ok(are_code.into_iter().map(Option::unwrap_or_default).collect())
    }
}

fn read<T>(
    connection: &Connection,
    sql: &str,
    passage: i64,
    map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    connection.prepare_cached(sql)?.query_row([passage], map).optional()
}

/// One trait of each passage, by the passage's number; what is not there is asked for again.
#[derive(Debug)]
struct Remembered<T>(RwLock<Vec<Option<T>>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Copy> Remembered<T> {
    fn get(
        &self,
        passage: i64,
        read: impl FnOnce() -> rusqlite::Result<Option<T>>,
    ) -> rusqlite::Result<Option<T>> {
        let place = place(passage);
        if let Some(Some(known)) = self.0.read().get(place) {
            return Ok(Some(*known));
        }
        let found = read()?;
        if found.is_some() {
            let mut known = self.0.write();
            if known.len() <= place {
                known.resize(place + 1, None);
            }
            known[place] = found;
        }
        Ok(found)
    }

    /// What is remembered of each.
    fn known(&self, passages: &[i64]) -> Vec<Option<T>> {
        let known = self.0.read();
        passages.iter().map(|passage| known.get(place(*passage)).copied().flatten()).collect()
    }
}

/// Where a passage's trait is remembered.
fn place(passage: i64) -> usize {
    usize::try_from(passage).unwrap_or_default()
}
