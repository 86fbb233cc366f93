//! Files of hosts in a project that make a host execute something or change what it may do.

use crate::permissions::RuleFolder;
use crate::platforms::PLATFORMS;
use crate::setup::{FileContent, Level};

/// Folders that hosts share with the project's own files.
const SHARED_FOLDERS: &[&str] = &[".github"];

/// Files and folders of hosts whose tables do not name them, with servers, hooks or commands of them.
const MORE_PATHS: &[&str] = &[
    ".vscode",
    ".zed",
    ".github/mcp.json",
    ".github/agents",
    ".github/copilot",
    ".github/extensions",
    ".aider.conf.yml",
    ".amazonq",
    ".amp",
    ".augment",
    ".continue",
    ".crush.json",
    "crush.json",
    ".factory",
    ".junie",
    ".kilocode",
    ".openhands",
    ".qoder",
    ".roo",
    ".trae",
];

/// Returns hooks, servers and rules of all hosts, relative to the project's root: a host's own folder as a whole, its folder
/// in a shared one, else the file.
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
        .chain(MORE_PATHS.iter().copied())
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
        // A host obeys each file that is there.
        Some((shared, rest)) => {
            let end = rest.find('/').map_or(path.len(), |end| shared.len() + 1 + end);
            path.get(..end).unwrap_or(path)
        }
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_folders_of_hosts_and_no_instructions() {
        let paths = control_files();
        for expected in [".claude", ".codex", ".cursor", ".gemini", ".mcp.json", ".github/hooks"] {
            assert!(paths.contains(&expected), "{expected} in {paths:?}");
        }
        let is_instructions = |path: &&str| path.to_ascii_lowercase().ends_with(".md");
        assert!(!paths.iter().any(is_instructions), "{paths:?}");
        assert!(!paths.contains(&".github") && !paths.contains(&""), "{paths:?}");
    }
}
