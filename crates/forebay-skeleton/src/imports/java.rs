//! `import` of Java.

use super::project::Project;
use super::{Imports, folder, has_ending};

pub(crate) const JAVA: Imports =
    Imports { read: |text| vec![text.split_whitespace().collect()], resolve };

/// A class is a file; a nested class or a static member stands in the file of its outer class.
fn resolve(path: &str, from: &str, project: &Project) -> Vec<String> {
    let mut parts: Vec<&str> = path.split('.').collect();
    let mut tried = 0;
    while !parts.is_empty() && tried < 3 {
        let file = format!("{}.java", parts.join("/"));
        if let Some(found) = project.ending(&file, from).into_iter().next() {
            return vec![found];
        }
        parts.pop();
        tried += 1;
    }
    package(path, from, project)
}

/// All classes of a package, found by the sources of this very project.
fn package(path: &str, from: &str, project: &Project) -> Vec<String> {
    let wanted = path.trim_end_matches(".*").replace('.', "/");
    // Packages of one source root share the folders above their first part.
    let first = wanted.split('/').next().unwrap_or(&wanted);
    let own = format!("/{}/", folder(from));
    let Some(at) = own.find(&format!("/{first}/")) else { return Vec::new() };
    let root = own[..at].trim_start_matches('/');
    let target = format!("{root}/{wanted}");
    let target = target.trim_start_matches('/');
    project.in_folder(target).filter(|file| has_ending(file, "java")).cloned().collect()
}
