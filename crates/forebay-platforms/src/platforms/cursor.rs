//! Cursor, from the hook engine in @cursor/sdk 1.0.32; not run.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, InstructionFiles, Limits, McpToolNames,
    PayloadFields, Platform, Probe, Replacement, SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, HookLayout, Level, ServerEntry, SetupFile};
use crate::{encode, machine_text, permissions};

static PAYLOAD: PayloadFields = PayloadFields {
    session: &[&["conversation_id"], &["session_id"]],
    cwd: &[&["cwd"], &["workspace_roots"]],
    event_id: &[&["generation_id"]],
    tool_result: &[&["tool_output"]],
    is_result_json_text: true,
    mcp_server: &[&["mcp_server_name"]],
    error: &[&["error_message"], &["error"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "cursor",
    name: "Cursor",
    evidence: Evidence::Package,
    events: &[
        registered("sessionStart", Moment::SessionStart),
        registered("beforeSubmitPrompt", Moment::Prompt),
        registered("preToolUse", Moment::BeforeTool),
        registered("postToolUse", Moment::AfterTool),
        registered("postToolUseFailure", Moment::AfterTool).as_failure(),
        registered("preCompact", Moment::BeforeCompact),
        registered("subagentStop", Moment::SubagentStop),
        registered("stop", Moment::Stop),
        registered("sessionEnd", Moment::SessionEnd),
        recognized("subagentStart", Moment::SubagentStart),
    ],
    tools: &[
        ("Shell", ToolKind::Shell),
        ("Read", ToolKind::Read),
        ("Write", ToolKind::Write),
        ("Edit", ToolKind::Edit),
        ("Delete", ToolKind::Edit),
        ("Grep", ToolKind::Search),
        ("Glob", ToolKind::Search),
        ("WebFetch", ToolKind::Fetch),
        ("WebSearch", ToolKind::WebSearch),
        ("Task", ToolKind::Task),
        ("TodoWrite", ToolKind::Todo),
    ],
    mcp_tool_names: McpToolNames::ToolOnly { prefix: "MCP:" },
    payload: &PAYLOAD,
    machine_text: &machine_text::CURSOR,
    start_reasons: START_REASONS,
    encode: encode::cursor::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Ask,
        Capability::Rewrite,
        Capability::ContextBeforeTool,
        Capability::ContextAfterTool,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::ReplaceMcp,
        Capability::SeeCompaction,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    replacement: Replacement::AnyText,
    limits: Limits { context_chars: Some(10_000), context_tokens: None, result_chars: None },
    limitations: &[
        "Only results of MCP tools can be replaced; long shell output is avoided by rewriting the \
         command.",
        "Context of more than 10,000 characters is dropped.",
        "Not tested in a run: its model is available only through Cursor's own service.",
    ],
    credentials: &[".config/cursor/auth.json"],
    probe: Some(&Probe {
        event: "beforeSubmitPrompt",
        payload: include_str!("../../tests/samples/cursor/02-beforeSubmitPrompt.json"),
    }),
    detection: Detection {
        binaries: &["cursor", "cursor-agent"],
        folders: &[".cursor"],
        in_project: &[".cursor", ".cursorrules"],
    },
    caller: CallerCheck { foreign_fields: &[], foreign_env: &[], own_env: &["CURSOR_VERSION"] },
    project_env: Some("CLAUDE_PROJECT_DIR"),
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".cursor/mcp.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".cursor/hooks.json",
            content: FileContent::Hooks(HookLayout::Flat { version: true }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".cursor/mcp.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".cursor/hooks.json",
            content: FileContent::Hooks(HookLayout::Flat { version: true }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    instructions: InstructionFiles {
        files: &["AGENTS.md", ".cursorrules"],
        folders: &[".cursor/rules"],
    },
    permissions: permissions::CURSOR,
    ..DEFAULTS
};
