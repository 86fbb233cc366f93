//! Zed (its documentation): MCP only.

use crate::encode;
use crate::platform::{
    ANYBODY, Evidence, Installed, McpNames, NO_LIMITS, Platform, Replaces, SNAKE_CASE,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "zed",
    name: "Zed",
    evidence: Evidence::Documentation,
    mcp_client: Some("Zed"),
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
        "It has no hooks: nothing is captured, denied or restored by itself. The MCP tools work.",
        "Agents that run inside Zed bring hooks of their own.",
    ],
    installed: Installed { binaries: &["zed", "zeditor"], folders: &[".config/zed"] },
    caller: ANYBODY,
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Config,
            path: "zed/settings.json",
            holds: Holds::Servers { key: "context_servers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".zed/settings.json",
            holds: Holds::Servers { key: "context_servers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "AGENTS.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: None,
};
