//! `import`, `export .. from` and `require` of TypeScript and JavaScript.

use super::project::{Manifest, Project};
use super::{Imports, folder, joined, unquoted};

pub(crate) const SCRIPT: Imports =
    Imports { read: |text| vec![unquoted(text).to_owned()], resolve };

/// Endings that a path may go without, in the order in which they are tried.
const ENDINGS: &[&str] = &[
    "", ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue",
    ".svelte",
];
/// Endings that a path has where the source has another.
const COMPILED: &[(&str, &str)] =
    &[(".js", ".ts"), (".js", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts"), (".jsx", ".tsx")];

fn resolve(path: &str, from: &str, project: &Project) -> Vec<String> {
    let target = if path.starts_with('.') {
        joined(folder(from), path)
    } else if let Some(target) = project.aliased(path) {
        joined("", &target)
    } else {
        let package = project.named(Manifest::Node, path, "/");
        package.and_then(|(own, rest)| joined(own, rest))
    };
    target.and_then(|target| file(&target, project)).into_iter().collect()
}

fn file(target: &str, project: &Project) -> Option<String> {
    let plain = ENDINGS.iter().map(|ending| format!("{target}{ending}"));
    let compiled = COMPILED.iter().filter_map(|(compiled, source)| {
        Some(format!("{}{source}", target.strip_suffix(compiled)?))
    });
    let inside = ["index", "src/index"]
        .into_iter()
        .flat_map(|name| ENDINGS[1..].iter().map(move |ending| format!("{target}/{name}{ending}")));
    let candidates = plain.chain(compiled).chain(inside);
    project.first(candidates.map(|path| path.trim_start_matches('/').to_owned()))
}
