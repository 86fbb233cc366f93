//! What a file defines and what it uses, by name.

use super::words;
use crate::document::Document;
use crate::kind::Kind;
use crate::language::{Language, languages};
use crate::nature;
use crate::outline::{Item, Outline};
use crate::skeleton::LineIndex;
use crate::{render, surface};

/// The names that a file defines and uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    pub definitions: Vec<Definition>,
    /// Names used, with how often; in order of names.
    pub references: Vec<(String, u32)>,
    /// Only files of one family can use each other's names.
    pub(super) family: u8,
}

/// A definition that others may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub kind: Kind,
    /// On one line, cut if long.
    pub signature: String,
    /// Counted from 1.
    pub line: usize,
    pub public: bool,
    pub parent: Option<String>,
}

/// Longer signatures are cut.
const WIDTH: usize = 120;
/// Languages whose files use each other's names; any other is a family of its own.
const FAMILIES: &[&[&str]] =
    &[&["JavaScript", "TypeScript", "TSX"], &["C", "C++"], &["Java", "Kotlin", "Scala"]];

fn family(language: &Language) -> u8 {
    let known = FAMILIES.iter().position(|family| family.contains(&language.name()));
    let own = || FAMILIES.len() + languages().iter().take_while(|other| *other != language).count();
    known.unwrap_or_else(own) as u8
}

impl Tags {
    /// What a text defines and uses.
    pub fn of(source: &str, language: &'static Language) -> Self {
        if language.table.is_data || nature::is_minified(source) {
            return Self::default();
        }
        let document =
            surface::parsed(source, language).map_or_else(|| Document::parse(source, language), Ok);
        Self {
            definitions: document.map(|document| document.definitions()).unwrap_or_default(),
            references: words::names(source, language),
            family: family(language),
        }
    }
}

impl Document {
    fn definitions(&self) -> Vec<Definition> {
        // Without recovery: a map does well without what stands around an error.
        let outline = Outline::of(self);
        let lines = LineIndex::of(&self.source);
        let items = outline.items.iter().filter(|item| !item.name.is_empty());
        items
            .filter(|item| is_definition(&outline, item) && !self.is_required(item))
            .map(|item| Definition {
                name: item.name.clone(),
                kind: item.kind,
                signature: cut(render::signature(self.language, &self.source, &outline, item)),
                line: lines.line(item.range.start),
                public: item.public,
                parent: item.owner.clone().or_else(|| {
                    Some(outline.items[item.parent?].name.clone()).filter(|name| !name.is_empty())
                }),
            })
            .collect()
    }
}

impl Document {
    /// Whether an item is only the name that another file's is taken over by.
    fn is_required(&self, item: &Item) -> bool {
        let is_value = matches!(item.kind, Kind::Variable | Kind::Constant);
        is_value
            && self.source[item.range.clone()].contains("require(")
            && self.source[item.range.clone()].lines().count() == 1
    }
}

/// Whether others can look for an item by its name.
fn is_definition(outline: &Outline, item: &Item) -> bool {
    let parent = item.parent.map(|parent| outline.items[parent].kind);
    match item.kind {
        Kind::Impl | Kind::Reexport | Kind::Field | Kind::Variant | Kind::Key => false,
        // It stands in another file.
        Kind::Module => item.members.is_some(),
        // What a trait leaves to others says nothing by itself.
        Kind::Type => !matches!(parent, Some(Kind::Trait | Kind::Impl)),
        _ => true,
    }
}

fn cut(mut signature: String) -> String {
    if signature.len() > WIDTH {
        signature.truncate(signature.floor_char_boundary(WIDTH));
        signature.push_str("...");
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_made_of_known_languages() {
        for name in FAMILIES.iter().flat_map(|family| family.iter()) {
            assert!(crate::language_named(name).is_some(), "{name}");
        }
        let of = |name: &str| family(crate::language_named(name).unwrap());
        assert_eq!(of("TypeScript"), of("JavaScript"));
        assert_ne!(of("Rust"), of("Python"));
    }
}
