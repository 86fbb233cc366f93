//! Claude Desktop, from its documentation. MCP only.

use crate::folders::BaseDir;
use crate::platform::{DEFAULTS, Detection, Evidence, InstructionFiles, Platform};
use crate::setup::{FileContent, Level, ServerEntry, SetupFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "claude-desktop",
    name: "Claude Desktop",
    evidence: Evidence::Documentation,
    limitations: &[
        "It has no hooks and no instruction file: nothing is captured, denied or restored \
         automatically. The MCP tools work.",
    ],
    detection: Detection {
        binaries: &["claude-desktop"],
        folders: &["Library/Application Support/Claude", ".config/Claude"],
        in_project: &[],
    },
    files: &[SetupFile {
        level: Level::User,
        base: BaseDir::AppSupport,
        path: "Claude/claude_desktop_config.json",
        content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
    }],
    instructions: InstructionFiles { files: &[], folders: &[] },
    ..DEFAULTS
};
