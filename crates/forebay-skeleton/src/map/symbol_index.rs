//! Symbol index of a repository: the definitions and references of each file, with interned names.
//!
//! Ten thousand files have a million references, so all texts are in one string, and files refer to names by id.
//! `codec` deserializes it without visiting single names.

use std::collections::HashMap;

use super::Tags;
use crate::symbol_kind::SymbolKind;
use crate::symbol_path::last_segment;

/// The definitions and references of the files of a repository.
#[derive(Debug, Clone, Default)]
pub struct SymbolIndex {
    pub(super) text: String,
    pub(super) names: Vec<Name>,
    pub(super) files: Vec<FileSymbols>,
    /// Ids by family and name; empty until the first name is added.
    pub(super) ids: HashMap<u8, HashMap<String, u32>>,
}

/// A name within a family of languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: Span,
    pub(super) family: u8,
}

/// A range of the text of the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) length: u32,
}

/// The definitions and references of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileSymbols {
    pub(super) path: Span,
    pub(super) stamp: u64,
    pub(super) definitions: Vec<IndexedDefinition>,
    /// Ids of names with their number of occurrences, sorted by name.
    pub(super) references: Vec<(u32, u32)>,
}

/// A definition with interned names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexedDefinition {
    pub(super) name: u32,
    pub(super) kind: SymbolKind,
    pub(super) signature: Span,
    pub(super) line: u32,
    pub(super) is_public: bool,
    /// Name of the enclosing item or owning type.
    pub(super) parent: Option<u32>,
}

impl SymbolIndex {
    /// Adds a file; `stamp` identifies the version of its content.
    pub fn add(&mut self, path: &str, stamp: u64, tags: &Tags) {
        if self.ids.is_empty() {
            self.build_ids();
        }
        let family = tags.family;
        let path = self.append(path);
        let definitions = tags.definitions.iter().map(|definition| IndexedDefinition {
            name: self.intern(&definition.name, family),
            kind: definition.kind,
            signature: self.append(&definition.signature),
            line: definition.line as u32,
            is_public: definition.is_public,
            parent: definition.parent.as_ref().map(|parent| self.intern(parent, family)),
        });
        let definitions = definitions.collect();
        let references = tags.references.iter();
        let references = references.map(|(name, count)| (self.intern(name, family), *count));
        let references = references.collect();
        self.files.push(FileSymbols { path, stamp, definitions, references });
    }

    /// Removes files for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, u64) -> bool) {
        let mut files = std::mem::take(&mut self.files);
        files.retain(|file| keep(self.text(file.path), file.stamp));
        self.files = files;
    }

    /// Returns the paths and stamps of all files.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        self.files.iter().map(|file| (self.text(file.path), file.stamp))
    }

    /// Returns the files that define a name or a path that ends with it, sorted by path.
    pub fn files_defining(&self, name: &str) -> Vec<&str> {
        let matches = |candidate: &str| candidate == name || last_segment(candidate) == name;
        self.paths_where(|file| {
            file.definitions.iter().any(|defined| matches(self.name(defined.name)))
        })
    }

    /// Returns the files that contain a name, sorted by path.
    pub fn files_referencing(&self, name: &str) -> Vec<&str> {
        self.paths_where(|file| file.references.iter().any(|(id, _)| self.name(*id) == name))
    }

    fn paths_where(&self, predicate: impl Fn(&FileSymbols) -> bool) -> Vec<&str> {
        let files = self.files.iter().filter(|file| predicate(file));
        let mut paths: Vec<&str> = files.map(|file| self.text(file.path)).collect();
        paths.sort_unstable();
        paths
    }

    pub(super) fn name(&self, id: u32) -> &str {
        self.names.get(id as usize).map_or("", |name| self.text(name.text))
    }

    pub(super) fn text(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.text.get(start..start + span.length as usize).unwrap_or_default()
    }

    pub(super) fn append(&mut self, text: &str) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Span { start, length: text.len() as u32 }
    }

    fn intern(&mut self, name: &str, family: u8) -> u32 {
        let known = self.ids.get(&family).and_then(|ids| ids.get(name));
        if let Some(id) = known {
            return *id;
        }
        let id = self.names.len() as u32;
        let text = self.append(name);
        self.names.push(Name { text, family });
        self.ids.entry(family).or_default().insert(name.to_owned(), id);
        id
    }

    fn build_ids(&mut self) {
        let mut ids: HashMap<u8, HashMap<String, u32>> = HashMap::new();
        for (id, name) in self.names.iter().enumerate() {
            let text = self.text(name.text).to_owned();
            ids.entry(name.family).or_default().insert(text, id as u32);
        }
        self.ids = ids;
    }
}
