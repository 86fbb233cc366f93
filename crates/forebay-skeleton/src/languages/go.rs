//! Go.

use crate::kind::Kind;
use crate::language::{Facts, Notation, Table};

pub(super) const TABLE: Table = Table {
    extensions: &["go"],
    public,
    name_of,
    leads: &[
        (Kind::Struct, "type "),
        (Kind::Interface, "type "),
        (Kind::Type, "type "),
        (Kind::Constant, "const "),
        (Kind::Variable, "var "),
    ],
    notation: Notation::PLAIN_SLASHES,
    member_blocks: &[("type X struct {", "}"), ("type (", ")"), ("const (", ")"), ("var (", ")")],
    imports: Some(crate::imports::GO),
    ..Table::new("Go", tree_sitter_go::LANGUAGE, include_str!("go.scm"))
};

/// What begins with a capital, and the types that an interface is made of.
fn public(facts: &Facts<'_>) -> bool {
    let is_constraint = facts.kind == Kind::Field && facts.is_in(&[Kind::Interface]);
    is_constraint || facts.name.chars().next().is_some_and(char::is_uppercase)
}

/// A type's own name: without pointer, package and type arguments.
fn name_of(captured: &str) -> String {
    let plain = captured.trim_start_matches('*').split('[').next().unwrap_or(captured);
    plain.rsplit('.').next().unwrap_or(plain).to_owned()
}
