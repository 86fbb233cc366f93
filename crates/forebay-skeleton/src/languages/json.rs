//! JSON.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["json", "jsonc", "geojson", "webmanifest"],
    files: &[".babelrc", ".eslintrc"],
    name_of: |captured| captured.trim_matches('"').to_owned(),
    notation: Notation::PLAIN_SLASHES,
    depth: 3,
    is_data: true,
    member_blocks: &[("{", "}")],
    ..Table::new("JSON", tree_sitter_json::LANGUAGE, include_str!("json.scm"))
};
