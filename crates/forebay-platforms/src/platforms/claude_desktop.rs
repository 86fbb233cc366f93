//! Claude Desktop (its documentation): MCP only.

use crate::encode;
use crate::platform::{
    ANYBODY, Evidence, Installed, McpNames, NO_LIMITS, Platform, Replaces, SNAKE_CASE,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "claude-desktop",
    name: "Claude Desktop",
    evidence: Evidence::Documentation,
    mcp_client: Some("claude-ai"),
    events: &[],
    tools: &[],
    mcp_names: McpNames::Unknown,
    payload: &SNAKE_CASE,
    start_words: &[],
    reply: encode::nothing,
    can: &[],
    replaces: Replaces::Nothing,
    limits: NO_LIMITS,
    cannot: &[
        "It has no hooks and no instruction file: nothing is captured, denied or restored by itself. The \
         MCP tools work.",
    ],
    installed: Installed {
        binaries: &["claude-desktop"],
        folders: &["Library/Application Support/Claude", ".config/Claude"],
    },
    caller: ANYBODY,
    files: &[SetupFile {
        level: Level::User,
        base: Base::AppSupport,
        path: "Claude/claude_desktop_config.json",
        holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
    }],
    afterwards: None,
};
