//! What the captures of a query mean.
//!
//! - `@item.<kind>`: an item, with `@name` and, inside it, what is treated specially: `@body` (left
//!   out), `@members` (its own items are shown in it;
//!   `@rest`: they reach from here to its end), `@value` (left out when long), `@doc` (its
//!   docs), `@owner` (the type it belongs to, when it does not stand in it);
//! - `@wrapper` and `@export`: nodes that begin where the item they hold begins (`export`, decorators);
//! - `@exported`: a name that is exported without its item; `@hidden`: one that is made private without it;
//! - `@comment`, `@attribute`: stand before an item;
//! - `@purpose`: says what the file is for;
//! - `@opaque`: nothing in it is an item of the file; `@open`: it is not opaque after all;
//! - `@section.private`, `@section.public`: what follows in this block is that;
//! - `@import`: what the file takes from elsewhere.
//!
//! Of several patterns that capture the same item, the first in the file counts.

use tree_sitter::Query;

use crate::kind::Kind;

/// What one capture says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Item(Kind),
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
    Purpose,
    Opaque,
    Open,
    Section { public: bool },
    Import,
}

/// The captures of a query by their index.
pub(crate) struct Captures(Vec<Option<Capture>>);

impl Captures {
    pub(crate) fn of(query: &Query) -> Self {
        Self(query.capture_names().iter().map(|name| Capture::named(name)).collect())
    }

    pub(crate) fn get(&self, index: u32) -> Option<Capture> {
        self.0.get(index as usize).copied().flatten()
    }
}

impl Capture {
    /// The capture of this name; those with `_` first serve predicates only.
    pub(crate) fn named(name: &str) -> Option<Self> {
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
            "purpose" => Self::Purpose,
            "opaque" => Self::Opaque,
            "open" => Self::Open,
            "section.private" => Self::Section { public: false },
            "section.public" => Self::Section { public: true },
            "import" => Self::Import,
            _ => Self::Item(Kind::of_word(name.strip_prefix("item.")?)?),
        })
    }
}
