//! TypeScript with JSX.

use crate::language::LanguageSpec;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    name: "TSX",
    extensions: &["tsx"],
    grammar: forebay_grammars::TSX,
    normalize: super::typescript::normalize_tsx,
    ..super::typescript::SPEC
};
