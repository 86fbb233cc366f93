//! CSS.

use crate::language::{Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["css"],
    masked,
    notation: Notation { remark: ("/* ", " */"), doc: ("/* ", " */"), doc_marks: &["/*"], ..Notation::SLASHES },
    ..Table::new("CSS", tree_sitter_css::LANGUAGE, include_str!("css.scm"))
};

/// Blanks what `@container` asks for: this grammar does not know it, but at-rules that ask for nothing.
fn masked(source: &str) -> Option<String> {
    const WORD: &str = "@container";
    let mut copy: Option<String> = None;
    for (at, _) in source.match_indices(WORD) {
        let asked = at + WORD.len();
        let Some(length) = source[asked..].find(['{', ';', '}']) else { continue };
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        let blanks: String = source[asked..asked + length].bytes().map(blank).collect();
        copy.get_or_insert_with(|| source.to_owned()).replace_range(asked..asked + length, &blanks);
    }
    copy
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
