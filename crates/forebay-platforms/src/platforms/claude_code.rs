//! Claude Code, tested with 2.1.325.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, InstructionFiles, Limits, McpToolNames,
    Platform, Replacement, SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, HookLayout, Level, ServerEntry, SetupFile};
use crate::{encode, machine_text, permissions, transcripts};

pub(super) static PLATFORM: Platform = Platform {
    id: "claude-code",
    name: "Claude Code",
    evidence: Evidence::Run,
    events: &[
        registered("SessionStart", Moment::SessionStart),
        registered("UserPromptSubmit", Moment::Prompt),
        registered("PreToolUse", Moment::BeforeTool),
        registered("PostToolUse", Moment::AfterTool),
        registered("PostToolUseFailure", Moment::AfterTool).as_failure(),
        registered("PreCompact", Moment::BeforeCompact),
        registered("SubagentStop", Moment::SubagentStop),
        registered("Stop", Moment::Stop),
        registered("SessionEnd", Moment::SessionEnd),
        recognized("PostCompact", Moment::AfterCompact),
        recognized("SubagentStart", Moment::SubagentStart),
        recognized("Notification", Moment::Notification),
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
    mcp_tool_names: McpToolNames::Joined { prefix: "mcp__", separator: "__" },
    payload: &SNAKE_CASE,
    machine_text: &machine_text::CLAUDE_CODE,
    start_reasons: START_REASONS,
    encode: encode::claude_code::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Ask,
        Capability::Rewrite,
        Capability::ContextBeforeTool,
        Capability::ContextAfterTool,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::ContextForCompaction,
        Capability::ReplaceOwn,
        Capability::ReplaceMcp,
        Capability::SeeCompaction,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    replacement: Replacement::SameShape,
    limits: Limits {
        context_chars: Some(10_000),
        context_tokens: None,
        result_chars: Some(30_000),
    },
    limitations: &[
        "The result of a failed tool call (for example a command with a non-zero exit code) cannot \
         be replaced; a hook can only add context to it.",
        "A result without text (for example a list of files) cannot be replaced.",
    ],
    credentials: &[".claude/.credentials.json"],
    detection: Detection {
        binaries: &["claude"],
        folders: &[".claude"],
        in_project: &[".claude", "CLAUDE.md"],
    },
    // Claude Code sends no `timestamp`; other hosts that run its hooks do, or set a variable.
    caller: CallerCheck {
        foreign_fields: &["timestamp", "cursor_version", "sessionId", "conversation_id"],
        foreign_env: &["COPILOT_CLI", "CURSOR_VERSION", "GEMINI_SESSION_ID", "QWEN_CODE_CLI"],
        own_env: &["CLAUDECODE"],
    },
    session_env: &["CLAUDE_CODE_SESSION_ID"],
    project_env: Some("CLAUDE_PROJECT_DIR"),
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ""),
            path: ".claude.json",
            content: FileContent::McpServers {
                key: "mcpServers",
                entry: ServerEntry::AlwaysLoaded,
            },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
            path: "settings.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: Some("*"),
                timeout: 10,
                windows: None,
            }),
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
            path: "CLAUDE.md",
            content: FileContent::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".mcp.json",
            content: FileContent::McpServers {
                key: "mcpServers",
                entry: ServerEntry::AlwaysLoaded,
            },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".claude/settings.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: Some("*"),
                timeout: 10,
                windows: None,
            }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "CLAUDE.md",
            content: FileContent::Instructions,
        },
    ],
    project_next_steps: Some("Claude Code asks once whether to use `.mcp.json`."),
    instructions: InstructionFiles {
        files: &["CLAUDE.md", "CLAUDE.local.md"],
        folders: &[".claude/rules"],
    },
    permissions: permissions::CLAUDE_CODE,
    trust: Some(permissions::CLAUDE_CODE_TRUST),
    transcripts: Some(&transcripts::CLAUDE_CODE),
    ..DEFAULTS
};
