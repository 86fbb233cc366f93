//! The bounds of what callers may do stand in one table.

use super::rust_code::without_comments_and_literals;
use super::{Codebase, Rule};

pub(super) const IN_ONE_TABLE: Rule = Rule {
    name: "bounds of doors are in the table of forebay-app/src/bounds",
    reason: "The reference lists every bound, and a caller who meets one can look it up.",
    check: |codebase| Ok(violations(codebase)),
};

const DOORS: &str = "crates/forebay/src/doors/";

fn violations(codebase: &Codebase) -> Vec<String> {
    let sources = codebase.rust_sources_of("forebay");
    let doors = sources.filter(|source| source.path.starts_with(DOORS));
    doors.flat_map(|source| violations_in(&source.path, &source.text)).collect()
}

fn violations_in(path: &str, text: &str) -> Vec<String> {
    let code = without_comments_and_literals(text);
    let bounds = code.lines().enumerate().filter_map(|(index, line)| {
        let (_, definition) = line.split_once("const ")?;
        let name = definition.split_once(':')?.0;
        let is_bound = name.starts_with("MAX_") || name.ends_with("TIMEOUT");
        is_bound.then(|| format!("{path}:{}: {name}", index + 1))
    });
    bounds.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_bounds_in_doors_only() {
        let codebase = Codebase::with_files(&[
            ("crates/forebay/src/doors/http/a.rs", "//! A.\npub(super) const MAX_A: usize = 1;\n"),
            (
                "crates/forebay/src/doors/b.rs",
                "//! B.\nconst B_TIMEOUT: u8 = 1;\nconst B: u8 = 1;\n",
            ),
            ("crates/forebay/src/cli/c.rs", "//! C.\nconst MAX_C: u8 = 1;\n"),
        ]);
        let expected = [
            "crates/forebay/src/doors/http/a.rs:2: MAX_A",
            "crates/forebay/src/doors/b.rs:2: B_TIMEOUT",
        ];
        assert_finds(&IN_ONE_TABLE, &codebase, &expected);
    }
}
