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

/// Every host, in the order in which they are listed.
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

/// The host of a name.
pub fn find(id: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().copied().find(|platform| platform.id == id)
}

/// The host that connects to an MCP server under this name.
pub fn of_mcp_client(name: &str) -> Option<&'static Platform> {
    let is_it = |platform: &&Platform| platform.mcp_client.is_some_and(|own| name.starts_with(own));
    PLATFORMS.iter().copied().find(|platform| is_it(platform))
}
