//! Lua.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["lua"],
    interpreters: &["lua", "luajit"],
    public: |facts| !facts.says("local"),
    name_of: |captured| captured.rsplit(['.', ':']).next().unwrap_or(captured).to_owned(),
    notation: Notation::DASHES,
    block_end: "end",
    closer: "\nend",
    ..Table::new("Lua", tree_sitter_lua::LANGUAGE, include_str!("lua.scm"))
};
