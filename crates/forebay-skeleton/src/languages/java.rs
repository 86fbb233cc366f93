//! Java.

use crate::language::LanguageSpec;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["java"],
    is_public: |context| !context.has_modifier("private"),
    member_contexts: &[("class X {", "}"), ("enum X {", "}"), ("interface X {", "}")],
    imports: Some(crate::imports::JAVA),
    ..LanguageSpec::new("Java", forebay_grammars::JAVA, include_str!("java.scm"))
};
