//! `import`, `export .. from` and `require` of TypeScript and JavaScript.

use super::project::{Manifest, ProjectFiles};
use super::{ImportSyntax, folder, join_path, unquoted};

pub(crate) const JAVASCRIPT: ImportSyntax =
    ImportSyntax { parse: |text| vec![unquoted(text).to_owned()], resolve };

/// Extensions that a path may omit, in lookup order.
const EXTENSIONS: &[&str] = &[
    "", ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue",
    ".svelte",
];
/// Extensions in paths that differ from those of the source.
const COMPILED_EXTENSIONS: &[(&str, &str)] =
    &[(".js", ".ts"), (".js", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts"), (".jsx", ".tsx")];

fn resolve(path: &str, from: &str, project: &ProjectFiles) -> Vec<String> {
    let target = if path.starts_with('.') {
        join_path(folder(from), path)
    } else if let Some(target) = project.resolve_alias(path) {
        join_path("", &target)
    } else {
        let package = project.resolve_package(Manifest::Node, path, "/");
        package.and_then(|(base, rest)| join_path(base, rest))
    };
    target.and_then(|target| find_file(&target, project)).into_iter().collect()
}

fn find_file(target: &str, project: &ProjectFiles) -> Option<String> {
    let plain = EXTENSIONS.iter().map(|extension| format!("{target}{extension}"));
    let compiled = COMPILED_EXTENSIONS.iter().filter_map(|(compiled, source)| {
        Some(format!("{}{source}", target.strip_suffix(compiled)?))
    });
    let inside = ["index", "src/index"].into_iter().flat_map(|name| {
        EXTENSIONS[1..].iter().map(move |extension| format!("{target}/{name}{extension}"))
    });
    let candidates = plain.chain(compiled).chain(inside);
    project.first_existing(candidates.map(|path| path.trim_start_matches('/').to_owned()))
}
