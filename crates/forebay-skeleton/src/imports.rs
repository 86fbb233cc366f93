//! Imports of a file, and the project files that they resolve to.

mod c;
mod go;
mod java;
mod javascript;
mod project;
mod python;
mod rust;

pub use project::ProjectFiles;

use crate::document::Document;
use crate::skeleton::LineIndex;

pub(crate) use c::C;
pub(crate) use go::GO;
pub(crate) use java::JAVA;
pub(crate) use javascript::JAVASCRIPT;
pub(crate) use python::PYTHON;
pub(crate) use rust::RUST;

/// How a language imports.
#[derive(Clone, Copy)]
pub(crate) struct ImportSyntax {
    /// Extracts the paths of an import statement, as written.
    parse: fn(&str) -> Vec<String>,
    /// Resolves a path, imported from a file, to files of the project.
    resolve: fn(&str, &str, &ProjectFiles) -> Vec<String>,
}

/// An import of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// As written, without quotes: `crate::a::b`, `./a`, `.a.b`, `a/b.h`.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
}

impl Document {
    /// Returns the imports in source order; empty for languages without import support.
    pub fn imports(&self) -> Vec<Import> {
        let Some(imports) = self.language.spec.imports else { return Vec::new() };
        let (outline, _) = self.outline();
        let lines = LineIndex::new(&self.source);
        let mut found = Vec::new();
        for range in &outline.imports {
            let line = lines.line(range.start);
            let paths = (imports.parse)(&self.source[range.clone()]);
            found.extend(paths.into_iter().map(|path| Import { path, line }));
        }
        found
    }

    /// Returns the project files that this file, at `path`, imports; in order, without duplicates.
    pub fn dependencies(&self, path: &str, project: &ProjectFiles) -> Vec<String> {
        let Some(imports) = self.language.spec.imports else { return Vec::new() };
        let mut found: Vec<String> = Vec::new();
        for import in self.imports() {
            for file in (imports.resolve)(&import.path, path, project) {
                if file != path && !found.contains(&file) {
                    found.push(file);
                }
            }
        }
        found
    }
}

/// Returns the folder of a file, without trailing slash; empty at the root.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a relative path; returns `None` above the root.
fn join_path(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns whether a file has this extension.
fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, actual)| actual == extension)
}

/// Strips quotes or angle brackets.
fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '`', '<', '>'])
}

#[cfg(test)]
mod tests;
