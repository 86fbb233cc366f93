//! The top-level modules of a crate do not import each other in a cycle.
//!
//! Each folder below `src/` is a node. All files directly in `src/` form one node, the crate root: every folder
//! may import it, and it may import no folder that does. `lib.rs` and `app.rs` compose the crate and may import
//! everything.

use std::collections::{BTreeMap, BTreeSet};

use super::rust_code::{without_comments_and_literals, without_test_items};
use super::{Codebase, Rule};
use crate::workspace::Source;

pub(super) const NO_CYCLES: Rule = Rule {
    name: "top-level modules of a crate import each other without cycles",
    reason: "Modules in a cycle can only be understood, tested and changed together.",
    check: |codebase| Ok(CRATES.iter().flat_map(|name| violations(codebase, name)).collect()),
};

/// The crates that this rule checks.
const CRATES: &[&str] = &["forebay-app"];
/// Files that put the crate's parts together.
const COMPOSITION: &[&str] = &["lib.rs", "app.rs"];
const ROOT: &str = "crate root";

/// For each pair of nodes, the imports from one to the other as `file -> file`.
type Graph = BTreeMap<(String, String), Vec<String>>;

fn violations(codebase: &Codebase, package: &str) -> Vec<String> {
    let folder = format!("crates/{package}/src/");
    let files: BTreeMap<&str, &Source> = codebase
        .rust_sources_of(package)
        .filter(|source| !source.is_test())
        .filter_map(|source| Some((source.path.strip_prefix(&folder)?, source)))
        .collect();
    let graph = imports(&files);
    cycles(&graph).iter().map(|nodes| describe(package, nodes, &graph)).collect()
}

fn imports(files: &BTreeMap<&str, &Source>) -> Graph {
    let mut graph = Graph::new();
    for (path, source) in files.iter().filter(|(path, _)| !COMPOSITION.contains(path)) {
        let code = without_test_items(&without_comments_and_literals(&source.text));
        for import in crate_paths(&code, &module_path(path)) {
            let target = file_of(&import, files);
            let (from, to) = (node(path), node(&target));
            if from != to {
                let edge = graph.entry((from, to)).or_default();
                edge.push(format!("{path} -> {target}"));
            }
        }
    }
    graph
}

/// Returns the folder of a file below `src/`.
fn node(path: &str) -> String {
    path.split_once('/').map_or(ROOT, |(folder, _)| folder).to_owned()
}

/// Returns the module path of a file: `search/query.rs` is `search::query`.
fn module_path(path: &str) -> Vec<&str> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').filter(|name| *name != "lib").collect()
}

/// Returns the file that defines what a path names, or the root file that re-exports it.
fn file_of(path: &[String], files: &BTreeMap<&str, &Source>) -> String {
    for length in (1..=path.len()).rev() {
        let module = path[..length].join("/");
        for file in [format!("{module}.rs"), format!("{module}/mod.rs")] {
            if files.contains_key(file.as_str()) {
                return file;
            }
        }
    }
    "lib.rs".to_owned()
}

/// Lists the paths below the crate root that code in `module` mentions, by `crate::` or `super::`.
fn crate_paths(code: &str, module: &[&str]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
            if is_whole {
                let base = if start == "crate::" { &[][..] } else { parent(module) };
                let base: Vec<String> = base.iter().map(|name| (*name).to_owned()).collect();
                collect_tree(&code[at + start.len()..], &base, &mut paths);
            }
        }
    }
    paths
}

fn parent<'a>(module: &'a [&'a str]) -> &'a [&'a str] {
    module.split_last().map_or(&[], |(_, parent)| parent)
}

/// Collects the paths of a use tree; returns how many bytes it took.
fn collect_tree(code: &str, base: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = base.to_vec();
    let mut at = 0;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        if code[at..].starts_with('{') {
            return at + collect_group(&code[at..], &path, paths);
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = code[at..].find(|c| !is_part(c)).unwrap_or(code.len() - at);
        match &code[at..at + length] {
            "super" => drop(path.pop()),
            "self" | "" => {}
            name => path.push(name.to_owned()),
        }
        at += length;
        match code[at..].strip_prefix("::") {
            Some(rest) if !rest.starts_with('<') => at += 2,
            _ => break,
        }
    }
    paths.push(path);
    at
}

/// Collects the trees between braces.
fn collect_group(code: &str, base: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut at = 1;
    while at < code.len() {
        at += code[at..].len() - code[at..].trim_start().len();
        match code[at..].chars().next() {
            None => break,
            Some('}') => return at + 1,
            Some(c) if c == ',' || c == '*' => at += 1,
            Some(_) => {
                let length = collect_tree(&code[at..], base, paths);
                // Skips `as name`, and what is no use tree.
                let rest = &code[at + length..];
                at += length + rest.find([',', '}']).unwrap_or(rest.len());
            }
        }
    }
    code.len()
}

/// Returns the sets of nodes that reach each other.
fn cycles(graph: &Graph) -> Vec<BTreeSet<&str>> {
    let nodes: BTreeSet<&str> = graph.keys().map(|(from, _)| from.as_str()).collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        nodes.iter().map(|node| (*node, reachable(graph, node))).collect();
    let mut cycles: Vec<BTreeSet<&str>> = nodes
        .iter()
        .filter(|node| reach[*node].contains(*node))
        .map(|node| {
            let others = reach[node].iter().copied();
            others
                .filter(|other| reach.get(other).is_some_and(|back| back.contains(node)))
                .collect()
        })
        .collect();
    cycles.sort();
    cycles.dedup();
    cycles
}

fn reachable<'a>(graph: &'a Graph, start: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        for (_, to) in graph.keys().filter(|(from, _)| from == node) {
            if reached.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    reached
}

/// Names the nodes of a cycle, and for each edge the imports.
fn describe(package: &str, nodes: &BTreeSet<&str>, graph: &Graph) -> String {
    let names = nodes.iter().copied().collect::<Vec<_>>().join(", ");
    let inner = graph
        .iter()
        .filter(|((from, to), _)| nodes.contains(from.as_str()) && nodes.contains(to.as_str()));
    let edges = inner.map(|(_, imports)| {
        let unique: BTreeSet<&str> = imports.iter().map(String::as_str).collect();
        unique.into_iter().map(|import| format!("\n       {import}")).collect::<String>()
    });
    format!("{package}: {names}{}", edges.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let paths: Vec<String> =
            files.iter().map(|(path, _)| format!("crates/a/src/{path}")).collect();
        let files: Vec<(&str, &str)> =
            paths.iter().zip(files).map(|(path, (_, text))| (path.as_str(), *text)).collect();
        assert_eq!(violations(&Codebase::with_files(&files), "a"), expected);
    }

    #[test]
    fn finds_a_cycle_with_its_files() {
        check(
            &[
                ("search/query.rs", "use crate::{index::{Writer, reader::Reader}, App};"),
                ("index/mod.rs", "mod reader;"),
                ("index/reader.rs", "fn f() { crate::render::line() }"),
                ("render/mod.rs", "use crate::search::query;"),
                ("guide/mod.rs", "use crate::search::query;"),
            ],
            &["a: index, render, search\n       index/reader.rs -> render/mod.rs\n       \
               render/mod.rs -> search/query.rs\n       search/query.rs -> index/mod.rs\n       \
               search/query.rs -> index/reader.rs"],
        );
    }

    #[test]
    fn root_and_composition_make_no_cycle() {
        check(
            &[
                ("lib.rs", "pub use app::App; mod search;"),
                ("app.rs", "use crate::search::find;"),
                ("error.rs", "pub enum AppError {}"),
                ("search/mod.rs", "use crate::App; use crate::error::AppError; use super::error;"),
            ],
            &[],
        );
    }

    #[test]
    fn finds_a_root_file_that_imports_a_folder() {
        check(
            &[
                ("error.rs", "use crate::search::Hit;"),
                ("search/mod.rs", "use super::error::AppError;"),
            ],
            &["a: crate root, search\n       error.rs -> search/mod.rs\n       \
               search/mod.rs -> error.rs"],
        );
    }

    #[test]
    fn tests_and_comments_do_not_count() {
        check(
            &[
                ("index/mod.rs", "use crate::search::Hit;"),
                (
                    "search/mod.rs",
                    "// crate::index\n#[cfg(test)]\nmod tests { use crate::index::X; }",
                ),
                ("search/tests.rs", "use crate::index::X;"),
            ],
            &[],
        );
    }
}
