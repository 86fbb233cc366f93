//! Antigravity (`agy` and the app), from its documentation and third-party reports.
//!
//! Only `Stop` is registered. `PreToolUse` must answer with a decision, and none of them leaves the call to the user's
//! own settings: `allow` skips them, `ask` asks where they would not. `PostToolUse` has neither the call nor its result.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, PayloadFields, Platform, Probe, SNAKE_CASE,
    recognized, registered,
};
use crate::setup::{FileContent, HookLayout, Level, ServerEntry, SetupFile};
use crate::{encode, transcripts};

static PAYLOAD: PayloadFields = PayloadFields {
    session: &[&["conversationId"]],
    cwd: &[&["workspacePaths"]],
    transcript: &[&["transcriptPath"]],
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
        registered("Stop", Moment::Stop),
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
        "Not run: based on its documentation.",
        "Rules are left to Antigravity: a hook before a tool has to allow it or to ask, whatever the user's settings say.",
        "Results are not replaced: hooks do not get them. Long output stays out of the context only if the model uses \
         Forebay's tools.",
        "Conversations are not imported: the files do not name their project.",
    ],
    probe: Some(&Probe {
        event: "Stop",
        payload: include_str!("../../tests/samples/antigravity/02-Stop.json"),
    }),
    detection: Detection {
        binaries: &["agy", "antigravity"],
        folders: &[".gemini/antigravity", ".gemini/antigravity-cli"],
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
            level: Level::User,
            base: BaseDir::Home,
            path: ".gemini/config/hooks.json",
            content: FileContent::Hooks(HookLayout::Named { timeout: 10 }),
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
            path: ".agents/hooks.json",
            content: FileContent::Hooks(HookLayout::Named { timeout: 10 }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    answers: Some(transcripts::parse_antigravity_line),
    ..DEFAULTS
};
