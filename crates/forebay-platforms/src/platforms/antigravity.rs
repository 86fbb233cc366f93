//! Antigravity (documentation and reports of others): understood, registered as an MCP server only.

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    ANYBODY, Ability, Evidence, Installed, McpNames, NO_LIMITS, Payload, Platform, Replaces,
    SNAKE_CASE, also,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile};

static PAYLOAD: Payload = Payload {
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
    mcp_client: None,
    events: &[
        also("PreToolUse", Moment::BeforeTool),
        also("PostToolUse", Moment::AfterTool),
        also("Stop", Moment::Stop),
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
    mcp_names: McpNames::Unknown,
    payload: &PAYLOAD,
    start_words: &[],
    reply: encode::antigravity::reply,
    can: &[Ability::Deny, Ability::Ask],
    replaces: Replaces::Nothing,
    limits: NO_LIMITS,
    cannot: &[
        "Its hooks are not set up: a hook that says nothing is reported to count as a denial, and the \
         fields it sends are not confirmed.",
        "Long output is kept out only when the model uses Forebay's tools.",
    ],
    installed: Installed { binaries: &["agy", "antigravity"], folders: &[".gemini/antigravity"] },
    caller: ANYBODY,
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".gemini/config/mcp_config.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".agents/mcp_config.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
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
