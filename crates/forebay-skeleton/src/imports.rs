//! What a file takes from elsewhere, and where in the project that is.

mod c;
mod go;
mod java;
mod project;
mod python;
mod rust;
mod script;

pub use project::Project;

use crate::document::Document;
use crate::skeleton::LineIndex;

pub(crate) use c::C;
pub(crate) use go::GO;
pub(crate) use java::JAVA;
pub(crate) use python::PYTHON;
pub(crate) use rust::RUST;
pub(crate) use script::SCRIPT;

/// How a language imports.
#[derive(Clone, Copy)]
pub(crate) struct Imports {
    /// The paths that an import names, each as the language writes it.
    read: fn(&str) -> Vec<String>,
    /// The files of a project that a path may mean, from within a file.
    resolve: fn(&str, &str, &Project) -> Vec<String>,
}

/// One thing that a file imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// As the language writes it, without quotes: `crate::a::b`, `./a`, `.a.b`, `a/b.h`.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
}

impl Document {
    /// The imports of the file, in source order; none for languages whose imports are not known.
    pub fn imports(&self) -> Vec<Import> {
        let Some(imports) = self.language.table.imports else { return Vec::new() };
        let (outline, _) = self.outline();
        let lines = LineIndex::of(&self.source);
        let mut found = Vec::new();
        for range in &outline.imports {
            let line = lines.line(range.start);
            let paths = (imports.read)(&self.source[range.clone()]);
            found.extend(paths.into_iter().map(|path| Import { path, line }));
        }
        found
    }

    /// The files of a project that this file, at `path`, imports; in order, each once.
    pub fn dependencies(&self, path: &str, project: &Project) -> Vec<String> {
        let Some(imports) = self.language.table.imports else { return Vec::new() };
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

/// The folder of a file, without a slash at its end; empty at the top.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path below a folder, with `.` and `..` taken out; nothing above the top.
fn joined(folder: &str, path: &str) -> Option<String> {
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

/// Whether a file is of a kind, as its ending says.
fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, own)| own == ending)
}

/// A text without the quotes or brackets around it.
fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '`', '<', '>'])
}

#[cfg(test)]
mod tests;
