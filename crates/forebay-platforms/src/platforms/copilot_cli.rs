//! GitHub Copilot CLI (1.0.102, run).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Payload, Platform, Replaces,
    SNAKE_CASE, START_WORDS, also, on,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile, WholeFile};

static PAYLOAD: Payload = Payload {
    event: &[],
    session: &[&["sessionId"]],
    transcript: &[&["transcriptPath"]],
    subagent: &[&["agentId"]],
    permission_mode: &[&["permissionMode"]],
    tool_name: &[&["toolName"]],
    tool_input: &[&["toolArgs"], &["toolInput"]],
    tool_id: &[&["toolCallId"]],
    tool_result: &[&["toolResult"]],
    mcp_server: &[],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "copilot-cli",
    name: "GitHub Copilot CLI",
    evidence: Evidence::Run,
    mcp_client: Some("copilot-cli"),
    events: &[
        on("sessionStart", Moment::SessionStart),
        on("userPromptSubmitted", Moment::Prompt),
        on("preToolUse", Moment::BeforeTool),
        on("postToolUse", Moment::AfterTool),
        on("postToolUseFailure", Moment::AfterTool).failure(),
        on("preCompact", Moment::BeforeCompact),
        on("subagentStop", Moment::SubagentStop),
        on("agentStop", Moment::Stop),
        on("sessionEnd", Moment::SessionEnd),
        also("subagentStart", Moment::SubagentStart),
        also("notification", Moment::Notification),
    ],
    tools: &[
        ("bash", ToolKind::Shell),
        ("powershell", ToolKind::Shell),
        ("view", ToolKind::Read),
        ("edit", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("create", ToolKind::Write),
        ("grep", ToolKind::Search),
        ("rg", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("web_fetch", ToolKind::Fetch),
        ("web_search", ToolKind::WebSearch),
        ("task", ToolKind::Task),
        ("update_todo", ToolKind::Todo),
        ("skill", ToolKind::Skill),
    ],
    mcp_names: McpNames::Joined { prefix: "", between: "-" },
    payload: &PAYLOAD,
    start_words: START_WORDS,
    reply: encode::copilot::reply,
    can: &[
        Ability::Deny,
        Ability::Ask,
        Ability::Rewrite,
        Ability::ContextBeforeTool,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::ReplaceOwn,
        Ability::ReplaceMcp,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::InShape,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: Some(20_000) },
    cannot: &[
        "A hook that fails before a tool counts as a denial, so Forebay's hook always ends with exit code 0.",
        "The result of a tool that failed cannot be replaced, only commented.",
        "The MCP server's instructions are not shown to the model unless they are allowed.",
    ],
    installed: Installed { binaries: &["copilot"], folders: &[".copilot"] },
    // In camel case it sends no event name; VS Code, which reads the same files, does.
    caller: Caller {
        foreign_fields: &["hook_event_name", "session_id", "cursor_version"],
        foreign_env: &[],
        own_env: &["COPILOT_CLI"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::EnvOr("COPILOT_HOME", ".copilot"),
            path: "mcp-config.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Local },
        },
        SetupFile {
            level: Level::User,
            base: Base::EnvOr("COPILOT_HOME", ".copilot"),
            path: "hooks/forebay.json",
            holds: Holds::Whole(WholeFile::CopilotHooks),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".mcp.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::AlwaysLoaded },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".github/hooks/forebay.json",
            holds: Holds::Whole(WholeFile::CopilotHooks),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "AGENTS.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: Some("Hooks of a project run only in a folder that Copilot CLI trusts."),
};
