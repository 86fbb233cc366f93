//! Kinds of items, in words that fit every language.

/// What an item of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
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

/// Each kind with the word that queries and answers use for it.
const WORDS: &[(Kind, &str)] = &[
    (Kind::Class, "class"),
    (Kind::Constant, "constant"),
    (Kind::Element, "element"),
    (Kind::Enum, "enum"),
    (Kind::Field, "field"),
    (Kind::Function, "function"),
    (Kind::Heading, "heading"),
    (Kind::Impl, "impl"),
    (Kind::Instruction, "instruction"),
    (Kind::Interface, "interface"),
    (Kind::Key, "key"),
    (Kind::Macro, "macro"),
    (Kind::Method, "method"),
    (Kind::Module, "module"),
    (Kind::Reexport, "reexport"),
    (Kind::Rule, "rule"),
    (Kind::Struct, "struct"),
    (Kind::Table, "table"),
    (Kind::Target, "target"),
    (Kind::Trait, "trait"),
    (Kind::Type, "type"),
    (Kind::Union, "union"),
    (Kind::Variable, "variable"),
    (Kind::Variant, "variant"),
];

impl Kind {
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(kind, _)| *kind == self).map_or("item", |(_, word)| word)
    }

    /// The kind that a query means by `@item.<word>`.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        WORDS.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind)
    }

    /// Its place among the kinds, for those who write it down.
    pub(crate) fn number(self) -> u64 {
        WORDS.iter().position(|(kind, _)| *kind == self).unwrap_or_default() as u64
    }

    pub(crate) fn of_number(number: u64) -> Option<Self> {
        WORDS.get(usize::try_from(number).ok()?).map(|(kind, _)| *kind)
    }

    /// Whether it is called, and so reads well without a semicolon.
    pub(crate) fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether it is a type that something can be implemented for.
    pub(crate) fn is_implementable(self) -> bool {
        matches!(self, Self::Class | Self::Enum | Self::Struct | Self::Type | Self::Union)
    }

    /// Whether values or rows of it can be spoken of.
    pub(crate) fn is_type(self) -> bool {
        const TYPES: &[Kind] = &[
            Kind::Class,
            Kind::Enum,
            Kind::Interface,
            Kind::Struct,
            Kind::Table,
            Kind::Trait,
            Kind::Type,
            Kind::Union,
        ];
        TYPES.contains(&self)
    }

    /// Whether it is a part of a type that fits on a line with its neighbours.
    pub(crate) fn is_part(self) -> bool {
        matches!(self, Self::Field | Self::Variant | Self::Key)
    }

    /// Whether it groups what stands in it and says nothing without.
    pub(crate) fn is_mere_group(self) -> bool {
        matches!(self, Self::Impl | Self::Module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_back_to_its_kind() {
        for (kind, word) in WORDS {
            assert_eq!(Kind::of_word(word), Some(*kind));
            assert_eq!(kind.word(), *word);
            assert_eq!(Kind::of_number(kind.number()), Some(*kind));
        }
        assert_eq!(Kind::of_word("thing"), None);
    }
}
