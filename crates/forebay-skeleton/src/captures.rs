//! The captures that queries use.
//!
//! - `@item.<kind>`: an item, with `@name` and these parts: `@body` (omitted), `@members` (contains nested items;
//!   `@rest`: they extend from here to the end of the item), `@value` (omitted if long), `@doc` (documentation),
//!   `@owner` (the type of a member that is declared outside of it);
//! - `@wrapper` and `@export`: nodes that start where their item starts (`export`, decorators);
//! - `@exported`: a name that is exported apart from its item; `@hidden`: one that is made private apart from it;
//! - `@comment`, `@attribute`: precede an item;
//! - `@module_doc`: describes the file;
//! - `@opaque`: contains no items of the file; `@open`: exempts a node from `@opaque`;
//! - `@section.private`, `@section.public`: visibility of what follows in this block;
//! - `@import`: an import of the file.
//!
//! If several patterns capture the same item, the first one of the query wins.

use tree_sitter::Query;

use crate::symbol_kind::SymbolKind;

/// The meaning of one capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Item(SymbolKind),
    Name,
    Body,
    Members,
    Rest,
    Value,
    Doc,
    Owner,
    Wrapper,
    Export,
    Exported,
    Hidden,
    Comment,
    Attribute,
    ModuleDoc,
    Opaque,
    Open,
    Section { is_public: bool },
    Import,
}

/// The captures of a query by index.
pub(crate) struct Captures(Vec<Option<Capture>>);

impl Captures {
    pub(crate) fn new(query: &Query) -> Self {
        Self(query.capture_names().iter().map(|name| Capture::from_name(name)).collect())
    }

    pub(crate) fn get(&self, index: u32) -> Option<Capture> {
        self.0.get(index as usize).copied().flatten()
    }
}

impl Capture {
    /// Parses a capture name; names with a leading `_` are only used in predicates.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "name" => Self::Name,
            "body" => Self::Body,
            "members" => Self::Members,
            "rest" => Self::Rest,
            "value" => Self::Value,
            "doc" => Self::Doc,
            "owner" => Self::Owner,
            "wrapper" => Self::Wrapper,
            "export" => Self::Export,
            "exported" => Self::Exported,
            "hidden" => Self::Hidden,
            "comment" => Self::Comment,
            "attribute" => Self::Attribute,
            "module_doc" => Self::ModuleDoc,
            "opaque" => Self::Opaque,
            "open" => Self::Open,
            "section.private" => Self::Section { is_public: false },
            "section.public" => Self::Section { is_public: true },
            "import" => Self::Import,
            _ => Self::Item(SymbolKind::from_name(name.strip_prefix("item.")?)?),
        })
    }
}
