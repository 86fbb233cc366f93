//! Scala.

use crate::language::LanguageSpec;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["scala", "sc", "sbt"],
    is_public: |context| !context.has_modifier("private"),
    member_contexts: &[("class X {", "}"), ("enum X {", "}")],
    ..LanguageSpec::new("Scala", forebay_grammars::SCALA, include_str!("scala.scm"))
};
