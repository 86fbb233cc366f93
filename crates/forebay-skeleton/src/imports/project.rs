//! The files of a project, for resolving imports.

use std::collections::{BTreeSet, HashMap};

use super::folder;
use crate::document::Document;
use crate::language::language_by_name;

/// The files of a project, with the names in its manifests.
#[derive(Debug, Clone, Default)]
pub struct ProjectFiles {
    files: BTreeSet<String>,
    by_name: HashMap<String, Vec<String>>,
    /// Folders by package name: crates, Go modules, workspace packages.
    packages: Vec<(Manifest, String, String)>,
    /// Path prefixes that `tsconfig.json` maps.
    aliases: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manifest {
    Cargo,
    Go,
    Node,
}

impl ProjectFiles {
    /// Creates a project of these files, relative to its root with `/`; `manifests` are the texts of those named
    /// `Cargo.toml`, `go.mod`, `package.json` or `tsconfig.json`.
    pub fn new<'a>(
        files: impl IntoIterator<Item = String>,
        manifests: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut project = Self { files: files.into_iter().collect(), ..Self::default() };
        for file in &project.files {
            let name = file.rsplit('/').next().unwrap_or(file);
            project.by_name.entry(name.to_owned()).or_default().push(file.clone());
        }
        for (path, text) in manifests {
            project.read_manifest(path, text);
        }
        // Longer names first: they are more specific.
        project.packages.sort_by_key(|(_, name, _)| std::cmp::Reverse(name.len()));
        project
    }

    pub fn contains(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    fn read_manifest(&mut self, path: &str, text: &str) {
        let base = folder(path).to_owned();
        match path.rsplit('/').next() {
            Some("Cargo.toml") => {
                let name = package_name(text).map(|name| name.replace('-', "_"));
                self.packages.extend(name.map(|name| (Manifest::Cargo, name, base)));
            }
            Some("go.mod") => {
                let name = text.lines().find_map(|line| line.strip_prefix("module "));
                let name = name.map(|name| name.trim().to_owned());
                self.packages.extend(name.map(|name| (Manifest::Go, name, base)));
            }
            Some("package.json") => {
                let name = json_values(text, &["name"]).pop().map(|(_, name)| name);
                self.packages.extend(name.map(|name| (Manifest::Node, name, base)));
            }
            Some("tsconfig.json") => self.read_aliases(&base, text),
            _ => {}
        }
    }

    fn read_aliases(&mut self, folder: &str, text: &str) {
        let base = json_values(text, &["compilerOptions", "baseUrl"]).pop();
        let base = base.map_or_else(String::new, |(_, base)| base);
        for (alias, target) in json_values(text, &["compilerOptions", "paths", "*"]) {
            let target = format!("{base}/{}", target.trim_end_matches('*'));
            let target = super::join_path(folder, &target).unwrap_or_default();
            self.aliases.push((alias.trim_end_matches('*').to_owned(), target));
        }
    }

    /// Returns the folder of a package, and the rest of the path after its name.
    pub(super) fn resolve_package<'a>(
        &self,
        kind: Manifest,
        path: &'a str,
        part: &str,
    ) -> Option<(&str, &'a str)> {
        self.packages.iter().filter(|(manifest, ..)| *manifest == kind).find_map(
            |(_, name, folder)| {
                let rest = path.strip_prefix(name.as_str())?;
                (rest.is_empty() || rest.starts_with(part)).then_some((folder.as_str(), rest))
            },
        )
    }

    pub(super) fn resolve_alias(&self, path: &str) -> Option<String> {
        self.aliases.iter().find_map(|(alias, target)| {
            Some(format!("{target}/{}", path.strip_prefix(alias.as_str())?))
        })
    }

    /// Returns the first candidate that exists.
    pub(super) fn first_existing(
        &self,
        candidates: impl IntoIterator<Item = String>,
    ) -> Option<String> {
        candidates.into_iter().find(|path| self.contains(path))
    }

    /// Returns the files directly in a folder.
    pub(super) fn files_in_folder<'a>(
        &'a self,
        parent: &'a str,
    ) -> impl Iterator<Item = &'a String> {
        let prefix = if parent.is_empty() { String::new() } else { format!("{parent}/") };
        let files = self.files.range(prefix.clone()..);
        files
            .take_while(move |file| file.starts_with(&prefix))
            .filter(move |file| folder(file) == parent)
    }

    /// Returns files whose path ends with this one, the nearest first.
    pub(super) fn files_with_suffix(&self, path: &str, from: &str) -> Vec<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let files_with_suffix = format!("/{path}");
        let files = self.by_name.get(name).into_iter().flatten();
        let mut found: Vec<String> = files
            .filter(|file| *file == path || file.ends_with(&files_with_suffix))
            .cloned()
            .collect();
        found.sort_by_key(|file| {
            (std::cmp::Reverse(common_components(file, from)), file.len(), file.clone())
        });
        found
    }
}

/// Returns how many leading components two paths share.
fn common_components(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

/// Returns the name in the `[package]` table of a `Cargo.toml`.
fn package_name(text: &str) -> Option<String> {
    let package = text.split("[package]").nth(1)?;
    let lines = package.lines().skip(1).take_while(|line| !line.starts_with('['));
    let mut names = lines.filter_map(|line| line.strip_prefix("name")?.trim().strip_prefix('='));
    names.next().map(|name| name.trim().trim_matches('"').to_owned())
}

/// Returns the keys and strings at a path of a JSON file, which may have comments; `*` matches any key.
fn json_values(text: &str, path: &[&str]) -> Vec<(String, String)> {
    let json = language_by_name("JSON");
    let Some(document) = json.and_then(|json| Document::parse(text, json).ok()) else {
        return Vec::new();
    };
    let outline = document.outline().0;
    let is_at = |mut index: usize| {
        let mut names = path.iter().rev();
        loop {
            let item = &outline.items[index];
            if names.next().is_none_or(|name| *name != "*" && *name != item.name) {
                return false;
            }
            match item.parent {
                Some(parent) => index = parent,
                None => return names.next().is_none(),
            }
        }
    };
    let at_path = (0..outline.items.len()).filter(|index| is_at(*index));
    let value = |index: usize| {
        let item = &outline.items[index];
        let text = &text[item.values.first()?.clone()];
        let first_existing =
            text.trim_matches(['[', ']', ' ', '\n', '\r', '\t']).split(',').next()?;
        Some((item.name.clone(), first_existing.trim().trim_matches('"').to_owned()))
    };
    at_path.filter_map(value).collect()
}
