//! CSS.

use super::masking::respelled;
use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["css"],
    masked,
    notation: Notation {
        remark: ("/* ", " */"),
        doc: ("/* ", " */"),
        doc_marks: &["/*"],
        ..Notation::SLASHES
    },
    ..Table::new("CSS", tree_sitter_css::LANGUAGE, include_str!("css.scm"))
};

/// Blanks what `@container` asks for: this grammar does not know it, but at-rules that ask for nothing.
fn masked(source: &str) -> Option<String> {
    const WORD: &str = "@container";
    let changes = source.match_indices(WORD).filter_map(|(at, _)| {
        let asked = at + WORD.len();
        let end = asked + source[asked..].find(['{', ';', '}'])?;
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        Some((asked..end, source[asked..end].bytes().map(blank).collect::<String>()))
    });
    respelled(source, changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(masked(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn what_is_asked_for_is_blank() {
        check("@container a (b: 1px) { .c {} }", "@container            { .c {} }");
        check("@container (a)\n  and (b) {}", "@container    \n          {}");
        check("@media print {}", "@media print {}");
        check("@container é", "@container é");
    }
}
