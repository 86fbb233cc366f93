//! Qwen Code (0.24.4, run).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Payload, Platform, Replaces,
    SNAKE_CASE, START_WORDS, also, on,
};
use crate::setup::{Base, Holds, HookLayout, Level, ServerEntry, SetupFile};

static PAYLOAD: Payload = Payload {
    // The event fires again whenever a tool's result goes back to the model.
    prompt_needs: Some("submitted_prompt"),
    prompt: &[&["submitted_prompt"], &["prompt"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "qwen-code",
    name: "Qwen Code",
    evidence: Evidence::Run,
    mcp_client: Some("qwen-cli-mcp-client"),
    events: &[
        on("SessionStart", Moment::SessionStart),
        on("UserPromptSubmit", Moment::Prompt),
        on("PreToolUse", Moment::BeforeTool),
        on("PostToolUse", Moment::AfterTool),
        on("PostToolUseFailure", Moment::AfterTool).failure(),
        on("PreCompact", Moment::BeforeCompact),
        on("SubagentStop", Moment::SubagentStop),
        on("Stop", Moment::Stop),
        on("SessionEnd", Moment::SessionEnd),
        also("PostCompact", Moment::AfterCompact),
        also("SubagentStart", Moment::SubagentStart),
        also("Notification", Moment::Notification),
    ],
    tools: &[
        ("run_shell_command", ToolKind::Shell),
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("edit", ToolKind::Edit),
        ("replace", ToolKind::Edit),
        ("write_file", ToolKind::Write),
        ("grep_search", ToolKind::Search),
        ("search_file_content", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("list_directory", ToolKind::Search),
        ("web_fetch", ToolKind::Fetch),
        ("web_search", ToolKind::WebSearch),
        ("task", ToolKind::Task),
        ("agent", ToolKind::Task),
        ("todo_write", ToolKind::Todo),
        ("skill", ToolKind::Skill),
        ("exit_plan_mode", ToolKind::Plan),
    ],
    mcp_names: McpNames::Joined { prefix: "mcp__", between: "__" },
    payload: &PAYLOAD,
    start_words: START_WORDS,
    reply: encode::claude::reply,
    can: &[
        Ability::Deny,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::Nothing,
    limits: Limits {
        context_chars: Some(10_000),
        context_tokens: None,
        result_chars: Some(20_000),
    },
    cannot: &[
        "Neither a result nor a command can be replaced by a hook (documented, without effect when run): \
         long output is kept out only when the model uses Forebay's tools.",
        "Advice before a tool is not delivered.",
    ],
    installed: Installed { binaries: &["qwen"], folders: &[".qwen"] },
    caller: Caller {
        foreign_fields: &["cursor_version", "sessionId", "mcp_context"],
        foreign_env: &[],
        own_env: &["QWEN_CODE_CLI", "QWEN_CODE_SESSION_ID"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".qwen/settings.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".qwen/settings.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: Some("*"), timeout: 10 }),
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".qwen/QWEN.md",
            holds: Holds::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".qwen/settings.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".qwen/settings.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: Some("*"), timeout: 10 }),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "QWEN.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: Some("Hooks of a project run only in a folder that Qwen Code trusts."),
};
