//! Zed, from its documentation. MCP only.

use crate::folders::BaseDir;
use crate::platform::{DEFAULTS, Detection, Evidence, Platform};
use crate::setup::{FileContent, Level, ServerEntry, SetupFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "zed",
    name: "Zed",
    evidence: Evidence::Documentation,
    limitations: &[
        "It has no hooks: nothing is captured, denied or restored automatically. The MCP tools \
         work.",
        "Agents that run inside Zed bring their own hooks.",
    ],
    detection: Detection {
        binaries: &["zed", "zeditor"],
        folders: &[".config/zed"],
        in_project: &[".zed"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Config,
            path: "zed/settings.json",
            content: FileContent::McpServers { key: "context_servers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".zed/settings.json",
            content: FileContent::McpServers { key: "context_servers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    ..DEFAULTS
};
