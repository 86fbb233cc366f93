//! Gemini CLI (0.61.0, run).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Payload, Platform, Replaces,
    SNAKE_CASE, START_WORDS, also, on,
};
use crate::setup::{Base, Holds, HookLayout, Level, ServerEntry, SetupFile};

static PAYLOAD: Payload = Payload {
    mcp_server: &[&["mcp_context", "server_name"]],
    mcp_tool: &[&["mcp_context", "tool_name"]],
    last_message: &[&["prompt_response"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "gemini-cli",
    name: "Gemini CLI",
    evidence: Evidence::Run,
    mcp_client: Some("gemini-cli-mcp-client"),
    events: &[
        on("SessionStart", Moment::SessionStart),
        on("BeforeAgent", Moment::Prompt),
        on("BeforeTool", Moment::BeforeTool),
        on("AfterTool", Moment::AfterTool),
        on("AfterAgent", Moment::Stop),
        on("SessionEnd", Moment::SessionEnd),
        // It fires before every model call, compaction or not.
        also("PreCompress", Moment::BeforeCompact),
        also("Notification", Moment::Notification),
    ],
    tools: &[
        ("run_shell_command", ToolKind::Shell),
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("replace", ToolKind::Edit),
        ("write_file", ToolKind::Write),
        ("search_file_content", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("list_directory", ToolKind::Search),
        ("web_fetch", ToolKind::Fetch),
        ("google_web_search", ToolKind::WebSearch),
        ("write_todos", ToolKind::Todo),
        ("activate_skill", ToolKind::Skill),
    ],
    mcp_names: McpNames::Joined { prefix: "mcp_", between: "_" },
    payload: &PAYLOAD,
    start_words: START_WORDS,
    reply: encode::gemini::reply,
    can: &[
        Ability::Deny,
        Ability::Rewrite,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::ReplaceOwn,
        Ability::ReplaceMcp,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::WithText,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: Some(40_000) },
    cannot: &[
        "A hook cannot ask the user: a rule that says ask is left to Gemini CLI's own approvals.",
        "Compaction cannot be told from any other model call, so nothing is restored after it by itself.",
        "A replaced result reaches the model under the key `error`.",
        "Advice before a tool is not delivered.",
    ],
    installed: Installed { binaries: &["gemini"], folders: &[".gemini"] },
    caller: Caller {
        foreign_fields: &["cursor_version", "tool_call_id", "submitted_prompt", "sessionId"],
        foreign_env: &["QWEN_CODE_CLI"],
        own_env: &["GEMINI_SESSION_ID"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".gemini/settings.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".gemini/settings.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: Some("*"), timeout: 10_000 }),
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".gemini/GEMINI.md",
            holds: Holds::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".gemini/settings.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".gemini/settings.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: Some("*"), timeout: 10_000 }),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "GEMINI.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: Some("Hooks of a project run only in a folder that Gemini CLI trusts."),
};
