//! `use`, `mod` and `extern crate` of Rust.

use super::project::{Manifest, ProjectFiles};
use super::{ImportSyntax, folder};

pub(crate) const RUST: ImportSyntax = ImportSyntax { parse, resolve };

fn parse(statement: &str) -> Vec<String> {
    let text = statement.trim_end_matches(';').trim();
    let text = text.strip_prefix("pub").map_or(text, after_visibility);
    let words = |keyword: &str| text.strip_prefix(keyword).map(str::trim);
    if let Some(name) = words("mod ") {
        return vec![format!("self::{name}")];
    }
    if let Some(name) = words("extern crate ") {
        return vec![name.split_whitespace().next().unwrap_or(name).to_owned()];
    }
    let mut paths = Vec::new();
    if let Some(tree) = words("use ") {
        expand_use_tree("", tree, &mut paths, 0);
    }
    paths
}

fn after_visibility(text: &str) -> &str {
    let text = text.trim_start();
    let rest = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    rest.map_or(text, |(_, rest)| rest).trim_start()
}

/// Expands a use tree into paths.
fn expand_use_tree(prefix: &str, tree: &str, paths: &mut Vec<String>, depth: usize) {
    let tree = tree.trim();
    if depth > 16 || tree.is_empty() {
        return;
    }
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        let path = path.trim_start_matches("::").trim_end_matches("::*");
        let path = if path == "self" || path == "*" { "" } else { path };
        paths.push(format!("{prefix}{path}").trim_end_matches("::").to_owned());
        return;
    };
    let outer = format!("{prefix}{}", tree[..open].trim());
    let inner = tree[open + 1..].trim_end().trim_end_matches('}');
    for part in split_list(inner) {
        expand_use_tree(&outer, part, paths, depth + 1);
    }
}

/// Splits a list at commas outside of braces.
fn split_list(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut split_list = Vec::new();
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                split_list.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    split_list.push(&list[start..]);
    split_list
}

fn resolve(path: &str, from: &str, project: &ProjectFiles) -> Vec<String> {
    let segments: Vec<&str> = path.split("::").collect();
    let Some((first_existing, rest)) = segments.split_first() else { return Vec::new() };
    let found = match *first_existing {
        "crate" => find_module(&crate_root(from, project), rest, project),
        "self" => find_module(&module_folder(from), rest, project),
        "super" => {
            let ups = segments.iter().take_while(|segment| **segment == "super").count();
            let mut parent = module_folder(from);
            for _ in 0..ups {
                parent = folder(&parent).to_owned();
            }
            find_module(&parent, &segments[ups..], project)
        }
        _ => match project.resolve_package(Manifest::Cargo, path, "::") {
            Some((package, _)) => {
                let root = format!("{package}/src");
                find_module(root.trim_start_matches('/'), rest, project)
            }
            // `self` may be omitted before a submodule.
            None => find_module(&module_folder(from), &segments, project)
                .filter(|file| !is_root(file) && file != from),
        },
    };
    found.into_iter().collect()
}

/// Returns the folder of a file's submodules.
fn module_folder(file: &str) -> String {
    let parent = folder(file);
    match file.rsplit('/').next().unwrap_or(file) {
        "lib.rs" | "main.rs" | "mod.rs" => parent.to_owned(),
        name => {
            format!("{parent}/{}", name.trim_end_matches(".rs")).trim_start_matches('/').to_owned()
        }
    }
}

fn crate_root(file: &str, project: &ProjectFiles) -> String {
    let mut current = folder(file);
    loop {
        let has =
            |name: &str| project.contains(format!("{current}/{name}").trim_start_matches('/'));
        if current.is_empty() || has("lib.rs") || has("main.rs") {
            return current.to_owned();
        }
        current = folder(current);
    }
}

/// Returns the file of the longest prefix of a path that is a module.
fn find_module(root: &str, segments: &[&str], project: &ProjectFiles) -> Option<String> {
    let lengths = (1..=segments.len()).rev();
    let nested = lengths.flat_map(|length| {
        let path = format!("{root}/{}", segments[..length].join("/"));
        [format!("{path}.rs"), format!("{path}/mod.rs")]
    });
    let root_files = [
        format!("{root}.rs"),
        format!("{root}/lib.rs"),
        format!("{root}/mod.rs"),
        format!("{root}/main.rs"),
    ];
    project.first_existing(
        nested.chain(root_files).map(|path| path.trim_start_matches('/').to_owned()),
    )
}

fn is_root(file: &str) -> bool {
    ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| file.ends_with(name))
}
