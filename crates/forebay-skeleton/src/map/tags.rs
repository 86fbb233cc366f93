//! What a file defines and what it uses, by name.

use super::words;
use crate::document::Document;
use crate::kind::Kind;
use crate::language::Language;
use crate::nature;
use crate::outline::Outline;
use crate::skeleton::LineIndex;
use crate::{render, surface};

/// The names that a file defines and uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    pub definitions: Vec<Definition>,
    /// Names used, with how often; in order of names.
    pub references: Vec<(String, u32)>,
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
        }
    }
}

impl Document {
    fn definitions(&self) -> Vec<Definition> {
        // Without recovery: a map does well without what stands around an error.
        let outline = Outline::of(self);
        let lines = LineIndex::of(&self.source);
        let is_told = |kind: Kind| {
            !matches!(kind, Kind::Impl | Kind::Reexport | Kind::Field | Kind::Variant | Kind::Key)
        };
        let items = outline.items.iter().filter(|item| is_told(item.kind) && !item.name.is_empty());
        items
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

fn cut(mut signature: String) -> String {
    if signature.len() > WIDTH {
        signature.truncate(signature.floor_char_boundary(WIDTH));
        signature.push_str("...");
    }
    signature
}
