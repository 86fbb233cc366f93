//! Antigravity, from documentation and third-party reports. Events are decoded; only the MCP server is registered.

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, PayloadFields, Platform, SNAKE_CASE, recognized,
};
use crate::setup::{FileContent, Level, ServerEntry, SetupFile};

static PAYLOAD: PayloadFields = PayloadFields {
    cwd: &[&["workspacePaths"]],
    tool_name: &[&["toolCall", "name"]],
    tool_input: &[&["toolCall", "args"]],
    tool_id: &[&["toolCall", "id"]],
    tool_result: &[&["toolResult"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "antigravity",
    name: "Antigravity",
    evidence: Evidence::Documentation,
    events: &[
        recognized("PreToolUse", Moment::BeforeTool),
        recognized("PostToolUse", Moment::AfterTool),
        recognized("Stop", Moment::Stop),
    ],
    tools: &[
        ("run_command", ToolKind::Shell),
        ("view_file", ToolKind::Read),
        ("replace_file_content", ToolKind::Edit),
        ("write_to_file", ToolKind::Write),
        ("grep_search", ToolKind::Search),
        ("find_by_name", ToolKind::Search),
        ("read_url_content", ToolKind::Fetch),
        ("search_web", ToolKind::WebSearch),
    ],
    payload: &PAYLOAD,
    encode: encode::antigravity::reply,
    capabilities: &[Capability::Deny, Capability::Ask],
    limitations: &[
        "Hooks are not set up: a hook without output reportedly counts as a denial, and the payload \
         fields are not confirmed.",
        "Long output stays out of the context only if the model uses Forebay's tools.",
    ],
    detection: Detection {
        binaries: &["agy", "antigravity"],
        folders: &[".gemini/antigravity"],
        in_project: &[".agents/mcp_config.json"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".gemini/config/mcp_config.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".agents/mcp_config.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
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
