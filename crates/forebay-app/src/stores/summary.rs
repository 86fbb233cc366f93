//! What is stored for a project, told without opening its store: nothing is written, and no server is asked.

use forebay_store::{Home, Project};
use forebay_store_sqlite::peek;

/// What is stored for a project, or for the user outside of any project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    Nothing,
    Entries(u64),
    /// There is a store; its entries cannot be counted without writing.
    Unknown,
}

/// Returns what a data folder has for a project.
pub fn stored(home: &Home, project: Option<&Project>) -> Stored {
    let database = match project {
        Some(project) => home.project_database(&project.id),
        None => home.user_database(),
    };
    if !database.is_file() {
        return Stored::Nothing;
    }
    match peek::entry_count(&database) {
        Some(0) => Stored::Nothing,
        Some(count) => Stored::Entries(count),
        None => Stored::Unknown,
    }
}
