//! Resolves a file's imports to files of the project.

use std::collections::HashMap;

use forebay_skeleton::{Document, ProjectFiles, detect_language};

use super::walk::WalkedFile;
use crate::edit::source_file;
use crate::parallel;
use forebay_store::own_files;

/// Manifests that map package names to folders.
const MANIFESTS: &[&str] = &["Cargo.toml", "go.mod", "package.json", "tsconfig.json"];
const MAX_MANIFESTS: usize = 500;
const MAX_MANIFEST_BYTES: u64 = 256 * 1024;

/// Resolver of imports among the files of a project.
pub(crate) struct Dependencies {
    project: ProjectFiles,
}

impl Dependencies {
    pub(crate) fn among(files: &[WalkedFile]) -> Self {
        let is_manifest = |file: &&WalkedFile| {
            let name = file.shown.rsplit('/').next().unwrap_or_default();
            MANIFESTS.contains(&name)
                && file.bytes <= MAX_MANIFEST_BYTES
                && !own_files::contains_path(&file.path)
        };
        let manifests = files.iter().filter(is_manifest).take(MAX_MANIFESTS);
        let texts: Vec<(&str, String)> = manifests
            .filter_map(|file| {
                let bytes = source_file::read_if_regular(&file.path)?;
                Some((file.shown.as_str(), String::from_utf8(bytes).ok()?))
            })
            .collect();
        let manifests = texts.iter().map(|(path, text)| (*path, text.as_str()));
        Self { project: ProjectFiles::new(files.iter().map(|file| file.shown.clone()), manifests) }
    }

    /// Returns the files that a text at a path imports, in order.
    pub(crate) fn imports_of(&self, shown: &str, text: &str) -> Vec<String> {
        let document = detect_language(shown, text.as_bytes())
            .and_then(|language| Document::parse(text, language).ok());
        document.map(|document| document.dependencies(shown, &self.project)).unwrap_or_default()
    }

    /// Counts how many of these files import each file.
    pub(crate) fn counts<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> HashMap<String, usize> {
        let files: Vec<(&str, &str)> = files.collect();
        let mut counts = HashMap::new();
        for imported in parallel::map(&files, |(shown, text)| self.imports_of(shown, text)) {
            for file in imported {
                *counts.entry(file).or_default() += 1;
            }
        }
        counts
    }
}
