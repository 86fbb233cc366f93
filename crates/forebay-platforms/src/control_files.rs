//! Files of hosts in a project that make a host execute something or change what it may do.

use crate::permissions::RuleFolder;
use crate::platforms::PLATFORMS;
use crate::setup::{FileContent, Level};

/// Folders that hosts share with the project's own files.
const SHARED_FOLDERS: &[&str] = &[".github"];

/// Folders of hosts whose tables name no file in a project.
const MORE_FOLDERS: &[&str] = &[".vscode", ".zed"];

/// Returns hooks, servers and rules of all hosts, relative to the project's root: a host's own folder as a whole, else
/// the file.
pub fn control_files() -> Vec<&'static str> {
    let mut paths: Vec<&str> = PLATFORMS
        .iter()
        .flat_map(|platform| {
            let is_control = |content| !matches!(content, FileContent::Instructions);
            let files = platform.files.iter();
            let files =
                files.filter(move |file| file.level == Level::Project && is_control(file.content));
            let rules = platform.permissions.iter();
            let rules = rules.filter(|source| is_in_project(source.folder));
            files.map(|file| file.path).chain(rules.map(|source| source.path))
        })
        .map(own_folder)
        .chain(MORE_FOLDERS.iter().copied())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

const fn is_in_project(folder: RuleFolder) -> bool {
    matches!(folder, RuleFolder::Local | RuleFolder::ProjectRoot | RuleFolder::Project)
}

fn own_folder(path: &'static str) -> &'static str {
    match path.split_once('/') {
        Some((folder, _)) if !SHARED_FOLDERS.contains(&folder) => folder,
        _ => path.trim_end_matches('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_folders_of_hosts_and_no_instructions() {
        let paths = control_files();
        for expected in [".claude", ".codex", ".cursor", ".gemini", ".mcp.json"] {
            assert!(paths.contains(&expected), "{expected} in {paths:?}");
        }
        let is_instructions = |path: &&str| path.to_ascii_lowercase().ends_with(".md");
        assert!(!paths.iter().any(is_instructions), "{paths:?}");
        assert!(!paths.contains(&".github") && !paths.contains(&""), "{paths:?}");
    }
}
