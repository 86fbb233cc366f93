//! Cursor (the hook engine of @cursor/sdk 1.0.32, read).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Payload, Platform, Replaces,
    SNAKE_CASE, START_WORDS, also, on,
};
use crate::setup::{Base, Holds, HookLayout, Level, ServerEntry, SetupFile};

static PAYLOAD: Payload = Payload {
    session: &[&["conversation_id"], &["session_id"]],
    cwd: &[&["cwd"], &["workspace_roots"]],
    tool_result: &[&["tool_output"]],
    result_is_quoted: true,
    mcp_server: &[&["mcp_server_name"]],
    error: &[&["error_message"], &["error"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "cursor",
    name: "Cursor",
    evidence: Evidence::Package,
    mcp_client: Some("cursor"),
    events: &[
        on("sessionStart", Moment::SessionStart),
        on("beforeSubmitPrompt", Moment::Prompt),
        on("preToolUse", Moment::BeforeTool),
        on("postToolUse", Moment::AfterTool),
        on("postToolUseFailure", Moment::AfterTool).failure(),
        on("preCompact", Moment::BeforeCompact),
        on("subagentStop", Moment::SubagentStop),
        on("stop", Moment::Stop),
        on("sessionEnd", Moment::SessionEnd),
        also("subagentStart", Moment::SubagentStart),
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
    mcp_names: McpNames::ToolOnly { prefix: "MCP:" },
    payload: &PAYLOAD,
    start_words: START_WORDS,
    reply: encode::cursor::reply,
    can: &[
        Ability::Deny,
        Ability::Ask,
        Ability::Rewrite,
        Ability::ContextBeforeTool,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::ReplaceMcp,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::WithText,
    limits: Limits { context_chars: Some(10_000), context_tokens: None, result_chars: None },
    cannot: &[
        "Only results of MCP tools can be replaced; long shell output is kept out by rewriting the command.",
        "Context of more than 10,000 characters is dropped.",
        "It was read, not run: its model speaks to Cursor's own service only.",
    ],
    installed: Installed { binaries: &["cursor", "cursor-agent"], folders: &[".cursor"] },
    caller: Caller { foreign_fields: &[], foreign_env: &[], own_env: &["CURSOR_VERSION"] },
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".cursor/mcp.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".cursor/hooks.json",
            holds: Holds::Hooks(HookLayout::Flat { version: true }),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".cursor/mcp.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".cursor/hooks.json",
            holds: Holds::Hooks(HookLayout::Flat { version: true }),
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
