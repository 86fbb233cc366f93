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
