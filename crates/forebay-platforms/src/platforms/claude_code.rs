//! Claude Code (2.1.325, run).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Platform, Replaces, SNAKE_CASE,
    START_WORDS, also, on,
};
use crate::setup::{Base, Holds, HookLayout, Level, ServerEntry, SetupFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "claude-code",
    name: "Claude Code",
    evidence: Evidence::Run,
    mcp_client: Some("claude-code"),
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
        ("Bash", ToolKind::Shell),
        ("PowerShell", ToolKind::Shell),
        ("Read", ToolKind::Read),
        ("Edit", ToolKind::Edit),
        ("MultiEdit", ToolKind::Edit),
        ("NotebookEdit", ToolKind::Edit),
        ("Write", ToolKind::Write),
        ("Grep", ToolKind::Search),
        ("Glob", ToolKind::Search),
        ("LS", ToolKind::Search),
        ("WebFetch", ToolKind::Fetch),
        ("WebSearch", ToolKind::WebSearch),
        ("Task", ToolKind::Task),
        ("Agent", ToolKind::Task),
        ("TodoWrite", ToolKind::Todo),
        ("TaskCreate", ToolKind::Todo),
        ("TaskUpdate", ToolKind::Todo),
        ("Skill", ToolKind::Skill),
        ("ExitPlanMode", ToolKind::Plan),
    ],
    mcp_names: McpNames::Joined { prefix: "mcp__", between: "__" },
    payload: &SNAKE_CASE,
    start_words: START_WORDS,
    reply: encode::claude::reply,
    can: &[
        Ability::Deny,
        Ability::Ask,
        Ability::Rewrite,
        Ability::ContextBeforeTool,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::ContextForCompaction,
        Ability::ReplaceOwn,
        Ability::ReplaceMcp,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::InShape,
    limits: Limits {
        context_chars: Some(10_000),
        context_tokens: None,
        result_chars: Some(30_000),
    },
    cannot: &[
        "The result of a tool that failed (a command with an exit code other than 0) cannot be replaced, only \
         commented.",
        "A result without a text of its own (a list of files) cannot be replaced.",
    ],
    installed: Installed { binaries: &["claude"], folders: &[".claude"] },
    // Claude Code sends no `timestamp`; every host that runs its hooks does, or names itself.
    caller: Caller {
        foreign_fields: &["timestamp", "cursor_version", "sessionId", "conversation_id"],
        foreign_env: &["COPILOT_CLI", "CURSOR_VERSION", "GEMINI_SESSION_ID", "QWEN_CODE_CLI"],
        own_env: &["CLAUDECODE"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::EnvOr("CLAUDE_CONFIG_DIR", ""),
            path: ".claude.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::AlwaysLoaded },
        },
        SetupFile {
            level: Level::User,
            base: Base::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
            path: "settings.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: Some("*"), timeout: 10 }),
        },
        SetupFile {
            level: Level::User,
            base: Base::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
            path: "CLAUDE.md",
            holds: Holds::Instructions,
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
            path: ".claude/settings.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: Some("*"), timeout: 10 }),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "CLAUDE.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: Some("In a project, Claude Code asks once whether it may use `.mcp.json`."),
};
