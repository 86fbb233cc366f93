//! What passages are of, remembered by whoever asks more than once: it never changes.

use forebay_domain::EntryKind;
use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension};

/// The kind of the entry of each passage that was asked for, by the passage's number.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    known: RwLock<Vec<Option<EntryKind>>>,
}

impl Kinds {
    /// The kind of a passage's entry; none for what is not there.
    pub(super) fn of(
        &self,
        connection: &Connection,
        passage: i64,
    ) -> rusqlite::Result<Option<EntryKind>> {
        let place = usize::try_from(passage).unwrap_or_default();
        if let Some(Some(kind)) = self.known.read().get(place) {
            return Ok(Some(*kind));
        }
        let kind = read(connection, passage)?;
        let mut known = self.known.write();
        if known.len() <= place {
            known.resize(place + 1, None);
        }
        known[place] = kind;
        Ok(kind)
    }
}

fn read(connection: &Connection, passage: i64) -> rusqlite::Result<Option<EntryKind>> {
    let kind = connection
        .prepare_cached(
            "SELECT entry.kind FROM chunk JOIN entry ON entry.id = chunk.entry WHERE chunk.id = ?1",
        )?
        .query_row([passage], |row| Ok(EntryKind::from_word(row.get_ref(0)?.as_str()?)))
        .optional()?;
    Ok(kind.flatten())
}
