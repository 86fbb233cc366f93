//! Scala.

use crate::language::LanguageSpec;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["scala", "sc", "sbt"],
    is_public: |context| !context.has_modifier("private"),
    member_contexts: &[("class X {", "}"), ("enum X {", "}")],
    ..LanguageSpec::new("Scala", tree_sitter_scala::LANGUAGE, include_str!("scala.scm"))
};
