//! The hosts, one file each, and the list that drives decoding, setup, `doctor`, docs and tests.

use crate::Platform;

macro_rules! platforms {
    ($($platform:ident),+ $(,)?) => {
        $(mod $platform;)+

        /// Every host, in the order in which they are listed.
        pub static PLATFORMS: &[&Platform] = &[$(&$platform::PLATFORM),+];
    };
}

platforms! {
    claude_code,
    codex,
    gemini_cli,
    copilot_cli,
    opencode,
    cursor,
    qwen_code,
    cline,
    vscode_copilot,
    kiro,
    windsurf,
    antigravity,
    zed,
    claude_desktop,
}

/// The host of a name.
pub fn find(id: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().copied().find(|platform| platform.id == id)
}

/// The host that connects to an MCP server under this name.
pub fn of_mcp_client(name: &str) -> Option<&'static Platform> {
    let is_it = |platform: &&Platform| platform.mcp_client.is_some_and(|own| name.starts_with(own));
    PLATFORMS.iter().copied().find(|platform| is_it(platform))
}
