//! `import` of Go: a package is a folder.

use super::project::{Manifest, ProjectFiles};
use super::{ImportSyntax, has_extension, join_path, unquoted};

pub(crate) const GO: ImportSyntax =
    ImportSyntax { parse: |text| vec![unquoted(text).to_owned()], resolve };

fn resolve(path: &str, _from: &str, project: &ProjectFiles) -> Vec<String> {
    let Some((package, rest)) = project.resolve_package(Manifest::Go, path, "/") else {
        return Vec::new();
    };
    let Some(folder) = join_path(package, rest) else { return Vec::new() };
    let files = project.files_in_folder(&folder);
    files.filter(|file| has_extension(file, "go") && !file.ends_with("_test.go")).cloned().collect()
}
