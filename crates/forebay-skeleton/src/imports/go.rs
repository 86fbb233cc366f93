//! `import` of Go: a package is a folder.

use super::project::{Manifest, Project};
use super::{Imports, has_ending, joined, unquoted};

pub(crate) const GO: Imports = Imports { read: |text| vec![unquoted(text).to_owned()], resolve };

fn resolve(path: &str, _from: &str, project: &Project) -> Vec<String> {
    let Some((own, rest)) = project.named(Manifest::Go, path, "/") else { return Vec::new() };
    let Some(folder) = joined(own, rest) else { return Vec::new() };
    let files = project.in_folder(&folder);
    files.filter(|file| has_ending(file, "go") && !file.ends_with("_test.go")).cloned().collect()
}
