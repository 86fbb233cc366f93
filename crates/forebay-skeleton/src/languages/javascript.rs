//! JavaScript, with JSX.

use crate::kind::Kind;
use crate::language::{Facts, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node", "bun", "deno"],
    public,
    name_of,
    member_blocks: &[("class X {", "}"), ("export default {", "}")],
    imports: Some(crate::imports::SCRIPT),
    ..Table::new("JavaScript", tree_sitter_javascript::LANGUAGE, QUERY)
};

const QUERY: &str =
    concat!(include_str!("exported_object.scm"), "\n", include_str!("javascript.scm"));

/// What is exported, or everything in a file that exports nothing by name; members that are not
/// marked as private.
pub(super) fn public(facts: &Facts<'_>) -> bool {
    match facts.parent {
        Some((Kind::Module, _)) => true,
        Some(_) => !facts.says("private") && !facts.name.starts_with('#'),
        // `declare module "name"` and `declare global` add to what everyone sees.
        None if facts.kind == Kind::Module && facts.says("declare") && !facts.says("namespace") => {
            true
        }
        None => facts.exported || !facts.file_exports || facts.says("export"),
    }
}

/// `exports.a.b` is called `b`; a name in quotes goes without them.
pub(super) fn name_of(captured: &str) -> String {
    let quoted = captured.starts_with(['"', '\'', '{', '[', '(']);
    let name = if quoted { captured } else { captured.rsplit('.').next().unwrap_or(captured) };
    name.trim_matches(['"', '\'']).to_owned()
}
