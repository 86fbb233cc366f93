//! Migrations as both engines know them: append-only SQL files, each recorded with its checksum.

use std::path::Path;

use crate::StoreError;

pub struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}

impl Migration {
    pub fn checksum(&self) -> String {
        blake3::hash(self.sql.as_bytes()).to_hex().to_string()
    }
}

/// Refuses a store that is newer or was made by other files; `applied` has names and checksums.
pub fn check_ledger(
    known: &[Migration],
    applied: &[(String, String)],
    store: &Path,
) -> Result<(), StoreError> {
    let path = || store.to_owned();
    for (index, (name, checksum)) in applied.iter().enumerate() {
        match known.get(index) {
            None => return Err(StoreError::Newer { path: path(), migration: name.clone() }),
            Some(known) if known.name != name || known.checksum() != *checksum => {
                return Err(StoreError::Altered { path: path(), migration: name.clone() });
            }
            Some(_) => {}
        }
    }
    Ok(())
}
