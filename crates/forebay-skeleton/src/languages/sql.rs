//! SQL.

mod normalize;

use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["sql", "ddl"],
    plain_name: |captured| captured.trim_matches(['"', '`']).to_owned(),
    normalize: normalize::normalize,
    comment_syntax: CommentSyntax::DASHES,
    closer: ")",
    member_contexts: &[("CREATE TABLE x (", ");"), ("CREATE TABLE x (y INT, ", ");")],
    ..LanguageSpec::new("SQL", forebay_grammars::SQL, include_str!("sql.scm"))
};
