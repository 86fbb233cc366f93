//! The definitions and references of a file.

use super::identifiers;
use crate::document::Document;
use crate::file_class;
use crate::language::{Language, languages};
use crate::outline::{Item, Outline};
use crate::skeleton::LineIndex;
use crate::symbol_kind::SymbolKind;
use crate::{elision, render};

/// The definitions and references of a file, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    pub definitions: Vec<Definition>,
    /// Identifiers with their number of occurrences, sorted by name.
    pub references: Vec<(String, u32)>,
    /// References only match definitions of the same family of languages.
    pub(super) family: u8,
}

/// A definition that other files may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub kind: SymbolKind,
    /// On one line, cut if long.
    pub signature: String,
    /// Counted from 1.
    pub line: usize,
    pub is_public: bool,
    pub parent: Option<String>,
}

/// Longer signatures are cut.
const MAX_SIGNATURE_BYTES: usize = 120;
/// Languages that can refer to each other's names; any other language is its own family.
const FAMILIES: &[&[&str]] =
    &[&["JavaScript", "TypeScript", "TSX"], &["C", "C++"], &["Java", "Kotlin", "Scala"]];

fn family(language: &Language) -> u8 {
    let known = FAMILIES.iter().position(|family| family.contains(&language.name()));
    let own_family =
        || FAMILIES.len() + languages().iter().take_while(|other| *other != language).count();
    known.unwrap_or_else(own_family) as u8
}

impl Tags {
    /// Extracts the definitions and references of a text.
    pub fn extract(source: &str, language: &'static Language) -> Self {
        if language.spec.is_data || file_class::is_minified(source) {
            return Self::default();
        }
        let document =
            elision::parse(source, language).map_or_else(|| Document::parse(source, language), Ok);
        Self {
            definitions: document.map(|document| document.definitions()).unwrap_or_default(),
            references: identifiers::count_identifiers(source, language),
            family: family(language),
        }
    }
}

impl Document {
    fn definitions(&self) -> Vec<Definition> {
        // Without recovery: a map does not need the items near an error.
        let outline = Outline::new(self);
        let lines = LineIndex::new(&self.source);
        let items = outline.items.iter().filter(|item| !item.name.is_empty());
        items
            .filter(|item| is_definition(&outline, item) && !self.is_require_binding(item))
            .map(|item| Definition {
                name: item.name.clone(),
                kind: item.kind,
                signature: truncate(render::signature(self.language, &self.source, &outline, item)),
                line: lines.line(item.range.start),
                is_public: item.is_public,
                parent: item.owner.clone().or_else(|| {
                    Some(outline.items[item.parent?].name.clone()).filter(|name| !name.is_empty())
                }),
            })
            .collect()
    }
}

impl Document {
    /// Returns whether an item only binds the exports of another file.
    fn is_require_binding(&self, item: &Item) -> bool {
        let is_value = matches!(item.kind, SymbolKind::Variable | SymbolKind::Constant);
        is_value
            && self.source[item.range.clone()].contains("require(")
            && self.source[item.range.clone()].lines().count() == 1
    }
}

/// Returns whether an item can be referred to by its name.
fn is_definition(outline: &Outline, item: &Item) -> bool {
    let parent = item.parent.map(|parent| outline.items[parent].kind);
    match item.kind {
        SymbolKind::Impl
        | SymbolKind::Reexport
        | SymbolKind::Field
        | SymbolKind::Variant
        | SymbolKind::Key => false,
        // A module without members is defined in another file.
        SymbolKind::Module => item.members.is_some(),
        // Associated types are not useful on their own.
        SymbolKind::Type => !matches!(parent, Some(SymbolKind::Trait | SymbolKind::Impl)),
        _ => true,
    }
}

fn truncate(mut signature: String) -> String {
    if signature.len() > MAX_SIGNATURE_BYTES {
        signature.truncate(signature.floor_char_boundary(MAX_SIGNATURE_BYTES));
        signature.push_str("...");
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_name_known_languages() {
        for name in FAMILIES.iter().flat_map(|family| family.iter()) {
            assert!(crate::language_by_name(name).is_some(), "{name}");
        }
        let of = |name: &str| family(crate::language_by_name(name).unwrap());
        assert_eq!(of("TypeScript"), of("JavaScript"));
        assert_ne!(of("Rust"), of("Python"));
    }
}
