//! The hosts, one file each, and the list that drives decoding, setup, `doctor`, docs and tests.

mod antigravity;
mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod copilot_cli;
mod cursor;
mod gemini_cli;
mod kiro;
mod opencode;
mod qwen_code;
mod vscode_copilot;
mod windsurf;
mod zed;

use crate::Platform;
use crate::platform::Harness;

/// Every host, in display order.
pub static PLATFORMS: &[&Platform] = &[
    &claude_code::PLATFORM,
    &codex::PLATFORM,
    &gemini_cli::PLATFORM,
    &copilot_cli::PLATFORM,
    &opencode::PLATFORM,
    &cursor::PLATFORM,
    &qwen_code::PLATFORM,
    &cline::PLATFORM,
    &vscode_copilot::PLATFORM,
    &kiro::PLATFORM,
    &windsurf::PLATFORM,
    &antigravity::PLATFORM,
    &zed::PLATFORM,
    &claude_desktop::PLATFORM,
];

/// Finds a host by its id.
pub fn find(id: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().copied().find(|platform| platform.id == id)
}

/// Finds a host by what people call it: its id, its name, an alias or one of its programs.
fn find_by_name(name: &str) -> Option<&'static Platform> {
    let name = spelled_as_id(name);
    let is_called = |platform: &Platform| {
        let called = platform.aliases.iter().chain(platform.detection.binaries);
        spelled_as_id(platform.name) == name || called.copied().any(|other| other == name)
    };
    find(&name).or_else(|| PLATFORMS.iter().copied().find(|platform| is_called(platform)))
}

/// Finds what people mean by a name: a host with the harnesses that are set up with it, or `HOST:HARNESS`.
pub fn find_with_harnesses(name: &str) -> Option<Vec<&'static Platform>> {
    let Some((host, harness)) = name.split_once(':') else {
        let host = find_by_name(name)?;
        let is_other = |harness: &&Harness| harness.is_default && harness.platform != host.id;
        let others = host.harnesses.iter().filter(is_other);
        let others = others.filter_map(|harness| find(harness.platform));
        return Some([host].into_iter().chain(others).collect());
    };
    let harness = spelled_as_id(harness);
    let named = find_by_name(host)?.harnesses.iter().find(|other| other.name == harness)?;
    find(named.platform).map(|platform| vec![platform])
}

/// `Claude Code` and `claude_code` as `claude-code`.
fn spelled_as_id(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '_'], "-")
}

/// Whether a host loads instructions for the model from a file with this path.
pub fn is_instruction_file(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let name = file_name(&path);
    PLATFORMS.iter().map(|platform| &platform.instructions).any(|instructions| {
        instructions.files.iter().any(|file| file_name(file) == name)
            || instructions.folders.iter().any(|folder| path.contains(&format!("/{folder}/")))
    })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_hosts_by_what_people_call_them() {
        for (name, id) in [
            ("claude", "claude-code"),
            ("Claude Code", "claude-code"),
            ("gemini", "gemini-cli"),
            ("copilot", "copilot-cli"),
            ("qwen", "qwen-code"),
            ("vscode", "vscode-copilot"),
            ("code", "vscode-copilot"),
            ("cursor-agent", "cursor"),
            ("agy", "antigravity"),
            ("kiro-cli", "kiro"),
            ("codex_cli", "codex"),
            ("zed", "zed"),
        ] {
            assert_eq!(find_by_name(name).map(|platform| platform.id), Some(id), "{name}");
        }
        assert!(find_by_name("emacs").is_none());
    }

    #[test]
    fn every_name_belongs_to_one_host() {
        let mut names: Vec<String> = Vec::new();
        for platform in PLATFORMS {
            let called = platform.aliases.iter().chain(platform.detection.binaries);
            let mut own: Vec<String> = called.map(|name| (*name).to_owned()).collect();
            own.extend([platform.id.to_owned(), spelled_as_id(platform.name)]);
            own.sort();
            own.dedup();
            names.extend(own);
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn recognizes_instruction_files_of_every_host() {
        for path in [
            "/p/CLAUDE.md",
            "AGENTS.md",
            "/p/.github/copilot-instructions.md",
            "C:\\p\\.cursor\\rules\\a.mdc",
            "/p/.kiro/steering/x.md",
        ] {
            assert!(is_instruction_file(path), "{path}");
        }
        for path in ["/p/README.md", "/p/claude/rules/x.md", ""] {
            assert!(!is_instruction_file(path), "{path}");
        }
    }
}
