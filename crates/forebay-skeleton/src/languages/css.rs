//! CSS.

use super::overwrite::overwrite;
use crate::language::{CommentSyntax, LanguageSpec};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    extensions: &["css"],
    normalize,
    comment_syntax: CommentSyntax {
        comment: ("/* ", " */"),
        doc: ("/* ", " */"),
        doc_prefixes: &["/*"],
        ..CommentSyntax::SLASHES
    },
    ..LanguageSpec::new("CSS", forebay_grammars::CSS, include_str!("css.scm"))
};

/// Blanks the condition of `@container`, which the grammar does not support.
fn normalize(source: &str) -> Option<String> {
    const WORD: &str = "@container";
    let edits = source.match_indices(WORD).filter_map(|(at, _)| {
        let condition = at + WORD.len();
        let end = condition + source[condition..].find(['{', ';', '}'])?;
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        Some((condition..end, source[condition..end].bytes().map(blank).collect::<String>()))
    });
    overwrite(source, edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(normalize(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn blanks_container_conditions() {
        check("@container a (b: 1px) { .c {} }", "@container            { .c {} }");
        check("@container (a)\n  and (b) {}", "@container    \n          {}");
        check("@media print {}", "@media print {}");
        check("@container é", "@container é");
    }
}
