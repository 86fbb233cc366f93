//! The page of bounds, from their table.

use forebay_app::bounds::{SECTIONS, Section};

use super::{GENERATED, table};

pub(super) fn page() -> String {
    let sections: Vec<String> = SECTIONS.iter().map(section).collect();
    format!(
        "{GENERATED}\n\n# Bounds\n\n\
         What a caller can ask for is bounded. These bounds are fixed; those that depend on your machine or your team\n\
         are [settings](settings.md).\n\n{}",
        sections.join("\n")
    )
}

fn section(section: &Section) -> String {
    let rows: Vec<Vec<String>> = section
        .bounds
        .iter()
        .map(|bound| [bound.what, bound.limit, bound.beyond].map(str::to_owned).to_vec())
        .collect();
    format!("## {}\n\n{}", section.title, table(&["bound", "limit", "beyond it"], &rows))
}
