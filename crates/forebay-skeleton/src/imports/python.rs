//! `import` and `from .. import` of Python.

use super::project::ProjectFiles;
use super::{ImportSyntax, folder};

pub(crate) const PYTHON: ImportSyntax = ImportSyntax { parse, resolve };

fn parse(statement: &str) -> Vec<String> {
    let text = statement.replace(['(', ')', '\\', '\n'], " ");
    let name = |part: &str| part.split(" as ").next().unwrap_or(part).trim().to_owned();
    if let Some(list) = text.strip_prefix("import ") {
        return list.split(',').map(name).filter(|name| !name.is_empty()).collect();
    }
    let Some((module, list)) =
        text.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
    else {
        return Vec::new();
    };
    let module = module.trim();
    let gap = if module.ends_with('.') { "" } else { "." };
    let names = list.split(',').map(name).filter(|name| !name.is_empty());
    names
        .map(|name| if name == "*" { module.to_owned() } else { format!("{module}{gap}{name}") })
        .collect()
}

/// A name may be a module or a member of one, so the longest prefix that is a file counts.
fn resolve(path: &str, from: &str, project: &ProjectFiles) -> Vec<String> {
    let dots = path.len() - path.trim_start_matches('.').len();
    let segments: Vec<&str> = path[dots..].split('.').filter(|part| !part.is_empty()).collect();
    let mut roots: Vec<&str> = Vec::new();
    let mut current = folder(from);
    if dots > 0 {
        for _ in 1..dots {
            current = folder(current);
        }
        roots.push(current);
    } else {
        // Scripts import from their own folder, packages from the folder of their top-level package.
        loop {
            roots.push(current);
            if current.is_empty() {
                break;
            }
            current = folder(current);
        }
        roots.push("src");
        roots.push("lib");
    }
    roots
        .iter()
        .find_map(|root| find_module(root, &segments, dots > 0, project))
        .into_iter()
        .collect()
}

fn find_module(
    root: &str,
    segments: &[&str],
    relative: bool,
    project: &ProjectFiles,
) -> Option<String> {
    let min = usize::from(!relative);
    let lengths = (min..=segments.len()).rev();
    let candidates = lengths.flat_map(|length| {
        let path = format!("{root}/{}", segments[..length].join("/"));
        let path = path.trim_matches('/').to_owned();
        [format!("{path}.py"), format!("{path}/__init__.py"), format!("{path}.pyi")]
    });
    project.first_existing(candidates.map(|path| path.trim_start_matches('/').to_owned()))
}
