//! Kinds of symbols, common to all languages.

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    Class,
    Constant,
    Element,
    Enum,
    Field,
    Function,
    Heading,
    Impl,
    Instruction,
    Interface,
    Key,
    Macro,
    Method,
    Module,
    Reexport,
    Rule,
    Struct,
    Table,
    Target,
    Trait,
    Type,
    Union,
    Variable,
    Variant,
}

/// The name of each kind in queries and answers; the position is its stored code.
const NAMES: &[(SymbolKind, &str)] = &[
    (SymbolKind::Class, "class"),
    (SymbolKind::Constant, "constant"),
    (SymbolKind::Element, "element"),
    (SymbolKind::Enum, "enum"),
    (SymbolKind::Field, "field"),
    (SymbolKind::Function, "function"),
    (SymbolKind::Heading, "heading"),
    (SymbolKind::Impl, "impl"),
    (SymbolKind::Instruction, "instruction"),
    (SymbolKind::Interface, "interface"),
    (SymbolKind::Key, "key"),
    (SymbolKind::Macro, "macro"),
    (SymbolKind::Method, "method"),
    (SymbolKind::Module, "module"),
    (SymbolKind::Reexport, "reexport"),
    (SymbolKind::Rule, "rule"),
    (SymbolKind::Struct, "struct"),
    (SymbolKind::Table, "table"),
    (SymbolKind::Target, "target"),
    (SymbolKind::Trait, "trait"),
    (SymbolKind::Type, "type"),
    (SymbolKind::Union, "union"),
    (SymbolKind::Variable, "variable"),
    (SymbolKind::Variant, "variant"),
];

impl SymbolKind {
    pub fn as_str(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("item", |(_, name)| name)
    }

    /// Finds the kind of `@item.<name>`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, candidate)| *candidate == name).map(|(kind, _)| *kind)
    }

    /// Returns the number that represents the kind in serialized data.
    pub(crate) fn code(self) -> u64 {
        NAMES.iter().position(|(kind, _)| *kind == self).unwrap_or_default() as u64
    }

    pub(crate) fn from_code(code: u64) -> Option<Self> {
        NAMES.get(usize::try_from(code).ok()?).map(|(kind, _)| *kind)
    }

    /// Returns whether it is a function or method, which is shown without a semicolon.
    pub(crate) fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Returns whether it is a type that can have `impl` blocks.
    pub(crate) fn is_implementable(self) -> bool {
        matches!(self, Self::Class | Self::Enum | Self::Struct | Self::Type | Self::Union)
    }

    /// Returns whether it is a type or a table.
    pub(crate) fn is_type(self) -> bool {
        const TYPES: &[SymbolKind] = &[
            SymbolKind::Class,
            SymbolKind::Enum,
            SymbolKind::Interface,
            SymbolKind::Struct,
            SymbolKind::Table,
            SymbolKind::Trait,
            SymbolKind::Type,
            SymbolKind::Union,
        ];
        TYPES.contains(&self)
    }

    /// Returns whether it is a small part of a type that fits on a line with its siblings.
    pub(crate) fn is_part(self) -> bool {
        matches!(self, Self::Field | Self::Variant | Self::Key)
    }

    /// Returns whether it only groups other items.
    pub(crate) fn is_grouping(self) -> bool {
        matches!(self, Self::Impl | Self::Module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_round_trip() {
        for (kind, as_str) in NAMES {
            assert_eq!(SymbolKind::from_name(as_str), Some(*kind));
            assert_eq!(kind.as_str(), *as_str);
            assert_eq!(SymbolKind::from_code(kind.code()), Some(*kind));
        }
        assert_eq!(SymbolKind::from_name("thing"), None);
    }
}
