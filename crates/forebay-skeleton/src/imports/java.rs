//! `import` of Java.

use super::project::ProjectFiles;
use super::{ImportSyntax, folder, has_extension};

pub(crate) const JAVA: ImportSyntax =
    ImportSyntax { parse: |text| vec![text.split_whitespace().collect()], resolve };

/// A class is a file; nested classes and static members are in the file of the outer class.
fn resolve(path: &str, from: &str, project: &ProjectFiles) -> Vec<String> {
    let mut parts: Vec<&str> = path.split('.').collect();
    let mut tried = 0;
    while !parts.is_empty() && tried < 3 {
        let file = format!("{}.java", parts.join("/"));
        if let Some(found) = project.files_with_suffix(&file, from).into_iter().next() {
            return vec![found];
        }
        parts.pop();
        tried += 1;
    }
    package_files(path, from, project)
}

/// Returns all classes of a package under the source root of the importing file.
fn package_files(path: &str, from: &str, project: &ProjectFiles) -> Vec<String> {
    let package_path = path.trim_end_matches(".*").replace('.', "/");
    // Packages of one source root share the folders above their first component.
    let first = package_path.split('/').next().unwrap_or(&package_path);
    let source_folder = format!("/{}/", folder(from));
    let Some(at) = source_folder.find(&format!("/{first}/")) else { return Vec::new() };
    let root = source_folder[..at].trim_start_matches('/');
    let target = format!("{root}/{package_path}");
    let target = target.trim_start_matches('/');
    project.files_in_folder(target).filter(|file| has_extension(file, "java")).cloned().collect()
}
