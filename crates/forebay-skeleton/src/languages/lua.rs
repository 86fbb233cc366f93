//! Lua.

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["lua"],
    interpreters: &["lua", "luajit"],
    is_public: |context| !context.has_modifier("local"),
    plain_name: |captured| captured.rsplit(['.', ':']).next().unwrap_or(captured).to_owned(),
    comment_syntax: CommentSyntax::DASHES,
    block_end: "end",
    closer: "\nend",
    ..LanguageSpec::new("Lua", forebay_grammars::LUA, include_str!("lua.scm"))
};
