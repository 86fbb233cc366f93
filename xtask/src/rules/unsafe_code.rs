//! Crates that only define values and decisions contain no unsafe code.

use super::rust_code::{identifiers, without_comments_and_literals};
use super::{Codebase, Rule};

pub(super) const FORBIDDEN: Rule = Rule {
    name: "crates of values and decisions forbid unsafe code",
    reason: "What decides about permissions and secrets must not depend on hand-checked memory access.",
    check: |codebase| Ok(CRATES.iter().flat_map(|name| violations(codebase, name)).collect()),
};

const CRATES: &[&str] = &["forebay-domain", "forebay-policy", "forebay-redact"];
const ATTRIBUTE: &str = "#![forbid(unsafe_code)]";

/// A crate that does not exist has no violation.
fn violations(codebase: &Codebase, package: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let root = format!("crates/{package}/src/lib.rs");
    for source in codebase.rust_sources_of(package) {
        if source.path == root && !source.text.contains(ATTRIBUTE) {
            violations.push(format!("{root} lacks `{ATTRIBUTE}`"));
        }
        let code = without_comments_and_literals(&source.text);
        let keywords = identifiers(&code).filter(|(_, word)| *word == "unsafe");
        violations.extend(keywords.map(|(line, _)| format!("{}:{line}: unsafe", source.path)));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_finds;
    use super::*;

    #[test]
    fn finds_unsafe_and_a_missing_attribute() {
        let codebase = Codebase::with_files(&[
            ("crates/forebay-domain/src/lib.rs", "//! Domain.\n#![forbid(unsafe_code)]\n"),
            ("crates/forebay-domain/src/a.rs", "// unsafe\nfn a() { unsafe { b() } }\n"),
            ("crates/forebay-policy/src/lib.rs", "//! Policy.\n"),
            ("crates/forebay-text/src/lib.rs", "fn a() { unsafe { b() } }\n"),
        ]);
        let expected = [
            "crates/forebay-domain/src/a.rs:2: unsafe",
            "crates/forebay-policy/src/lib.rs lacks `#![forbid(unsafe_code)]`",
        ];
        assert_finds(&FORBIDDEN, &codebase, &expected);
    }
}
