//! The page of bounds, from their table.

use forebay_app::bounds::TABLE;

use super::{GENERATED, table};

pub(super) fn page() -> String {
    let rows: Vec<Vec<String>> = TABLE
        .iter()
        .map(|bound| [bound.what, bound.limit, bound.beyond].map(str::to_owned).to_vec())
        .collect();
    format!(
        "{GENERATED}\n\n# Bounds\n\n\
         What a caller can ask for is bounded. These bounds are fixed; those that depend on your machine or your team\n\
         are [settings](settings.md).\n\n{}",
        table(&["bound", "limit", "beyond it"], &rows)
    )
}
