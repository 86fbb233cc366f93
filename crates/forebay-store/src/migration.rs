//! Migrations, shared by the engines: append-only SQL files, each recorded with its checksum.

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

/// Rejects a store whose applied migrations (names and checksums) are newer or different.
pub fn check_applied(
    expected: &[Migration],
    applied: &[(String, String)],
    store: &Path,
) -> Result<(), StoreError> {
    let path = || store.to_owned();
    for (index, (name, checksum)) in applied.iter().enumerate() {
        match expected.get(index) {
            None => return Err(StoreError::Newer { path: path(), migration: name.clone() }),
            Some(expected) if expected.name != name || expected.checksum() != *checksum => {
                return Err(StoreError::Altered { path: path(), migration: name.clone() });
            }
            Some(_) => {}
        }
    }
    Ok(())
}
