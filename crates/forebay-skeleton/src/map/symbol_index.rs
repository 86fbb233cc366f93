//! The names of a repository: what each file defines and uses, with every name kept once.
//!
//! Ten thousand files have a million uses of names, so all texts lie in one string and files speak of
//! names by number. `packed` writes it down and reads it back without looking at any single name.

use std::collections::HashMap;

use super::Tags;
use crate::kind::Kind;
use crate::symbol::last_name;

/// What the files of a repository define and use.
#[derive(Debug, Clone, Default)]
pub struct RepositoryNames {
    pub(super) text: String,
    pub(super) names: Vec<Name>,
    pub(super) files: Vec<FileNames>,
    /// Numbers by family and name, as far as names were added since it was read.
    pub(super) numbers: HashMap<u8, HashMap<String, u32>>,
}

/// A name among the languages that can mean the same by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: Span,
    pub(super) family: u8,
}

/// A stretch of the text of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) length: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileNames {
    pub(super) path: Span,
    pub(super) stamp: u64,
    pub(super) definitions: Vec<Defined>,
    /// Numbers of names with how often each is used, in order of names.
    pub(super) references: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Defined {
    pub(super) name: u32,
    pub(super) kind: Kind,
    pub(super) signature: Span,
    pub(super) line: u32,
    pub(super) public: bool,
    /// The name of what it stands in or belongs to.
    pub(super) parent: Option<u32>,
}

impl RepositoryNames {
    /// Adds a file; `stamp` tells contents of a path apart.
    pub fn add(&mut self, path: &str, stamp: u64, tags: &Tags) {
        if self.numbers.is_empty() {
            self.number_names();
        }
        let family = tags.family;
        let path = self.put(path);
        let definitions = tags.definitions.iter().map(|definition| Defined {
            name: self.number(&definition.name, family),
            kind: definition.kind,
            signature: self.put(&definition.signature),
            line: definition.line as u32,
            public: definition.public,
            parent: definition.parent.as_ref().map(|parent| self.number(parent, family)),
        });
        let definitions = definitions.collect();
        let references = tags.references.iter();
        let references = references.map(|(name, count)| (self.number(name, family), *count));
        let references = references.collect();
        self.files.push(FileNames { path, stamp, definitions, references });
    }

    /// Forgets files that are no longer there or have another content.
    pub fn retain(&mut self, mut keeps: impl FnMut(&str, u64) -> bool) {
        let mut files = std::mem::take(&mut self.files);
        files.retain(|file| keeps(self.at(file.path), file.stamp));
        self.files = files;
    }

    /// Paths with their stamps.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        self.files.iter().map(|file| (self.at(file.path), file.stamp))
    }

    /// The files that define a name, also as the last of several, in order of paths.
    pub fn defining(&self, name: &str) -> Vec<&str> {
        let is_it = |own: &str| own == name || last_name(own) == name;
        self.paths_where(|file| {
            file.definitions.iter().any(|defined| is_it(self.name(defined.name)))
        })
    }

    /// The files that have a name somewhere, in order of paths.
    pub fn mentioning(&self, name: &str) -> Vec<&str> {
        self.paths_where(|file| {
            file.references.iter().any(|(number, _)| self.name(*number) == name)
        })
    }

    fn paths_where(&self, holds: impl Fn(&FileNames) -> bool) -> Vec<&str> {
        let files = self.files.iter().filter(|file| holds(file));
        let mut paths: Vec<&str> = files.map(|file| self.at(file.path)).collect();
        paths.sort_unstable();
        paths
    }

    pub(super) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| self.at(name.text))
    }

    pub(super) fn at(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.text.get(start..start + span.length as usize).unwrap_or_default()
    }

    pub(super) fn put(&mut self, text: &str) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Span { start, length: text.len() as u32 }
    }

    fn number(&mut self, name: &str, family: u8) -> u32 {
        let known = self.numbers.get(&family).and_then(|numbers| numbers.get(name));
        if let Some(number) = known {
            return *number;
        }
        let number = self.names.len() as u32;
        let text = self.put(name);
        self.names.push(Name { text, family });
        self.numbers.entry(family).or_default().insert(name.to_owned(), number);
        number
    }

    fn number_names(&mut self) {
        let mut numbers: HashMap<u8, HashMap<String, u32>> = HashMap::new();
        for (number, name) in self.names.iter().enumerate() {
            let text = self.at(name.text).to_owned();
            numbers.entry(name.family).or_default().insert(text, number as u32);
        }
        self.numbers = numbers;
    }
}
