//! Claude Code, tested with 2.1.327.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, FieldValue, HostMod, HostPlugin,
    HostVersion, InstructionFiles, KeyPath, Limits, McpToolNames, PayloadFields, Platform, Probe,
    Replacement, SNAKE_CASE, START_REASONS, Scalar, Switch, VersionVariable, recognized,
    registered,
};
use crate::setup::{FileContent, HookLayout, Level, ModFile, OwnedFile, ServerEntry, SetupFile};
use crate::status::StatusFields;
use crate::{encode, machine_text, permissions, transcripts};

/// How the mod marks the result of a failed call.
const FAILURE_MARKERS: &[FieldValue] =
    &[FieldValue { path: &["is_error"], value: Scalar::Bool(true) }];

const MANAGED_MODS_ONLY: KeyPath =
    &["pluginConfigs", "cc-plugin-sec-default@builtin", "options", "allowManagedModsOnly"];

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
        recognized("ToolResult", Moment::ToolResult),
        recognized("ModLoaded", Moment::ModLoaded),
        recognized("ModelRequest", Moment::ModelRequest),
        recognized("Compact", Moment::Compact),
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
    payload: &PayloadFields { failure_markers: FAILURE_MARKERS, ..SNAKE_CASE },
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
        Capability::ReplaceFailed,
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
    failing_test: Some("digest with its error, with `hooks.whole_output`"),
    limitations: &[
        "Hooks cannot replace the result of a failed tool call (for example a command with a non-zero exit \
         code) or one without text (for example a list of files). Forebay's mod does, where Claude Code loads it.",
        "Of the output of a failing command, Claude Code passes on about 10,000 characters of the first 30,000. \
         With `hooks.whole_output = true`, where the mod runs, commands that are allowed without asking run through \
         Forebay, which keeps all of it. It is off by default, because processes that a command leaves behind end with it.",
        "With `hooks.compact = \"forebay\"`, where the mod runs and no managed settings exist, conversations are compacted \
         without the model: messages stay, without thinking, and long tool results become digests.",
    ],
    credentials: &[".claude/.credentials.json", ".claude.json"],
    probe: Some(&Probe {
        event: "UserPromptSubmit",
        payload: include_str!("../../tests/samples/claude-code/02-UserPromptSubmit.json"),
    }),
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
    host_mod: Some(&HostMod {
        session_env: "FOREBAY_MOD",
        allowed_env: "FOREBAY_MOD_ALLOWED",
        since: HostVersion(2, 1, 287),
        tried: HostVersion(2, 1, 327),
        switches: &[
            Switch { path: &["disableAllHooks"], is_managed_only: false },
            Switch { path: &["allowManagedHooksOnly"], is_managed_only: true },
            Switch { path: MANAGED_MODS_ONLY, is_managed_only: true },
        ],
        is_bypassed_if_managed: true,
        diagnosis: "`claude --debug` names what it loads: look for `hooks module forebay`",
    }),
    plugin: Some(&HostPlugin {
        base: BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
        file: "settings.json",
        key: "enabledPlugins",
        remove: "claude plugin uninstall forebay",
    }),
    status: Some(&StatusFields {
        session: &["session_id"],
        project: &["workspace", "project_dir"],
        context_percent: &["context_window", "used_percentage"],
    }),
    // `claude-code_2-1-326_harness`
    version_env: Some(VersionVariable {
        name: "AI_AGENT",
        prefix: "claude-code_",
        separator: '-',
        end: '_',
    }),
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
            path: "settings.json",
            content: FileContent::StatusLine,
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
            path: "CLAUDE.md",
            content: FileContent::Instructions,
        },
        mod_file("skills/forebay/.claude-plugin/plugin.json", ModFile::Manifest),
        mod_file("skills/forebay/hooks/hooks.json", ModFile::Hooks),
        mod_file("skills/forebay/hooks/forebay.ts", ModFile::Module),
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

/// A file of the mod. Versions that do not know mods ignore the folder, since it has no `SKILL.md`.
const fn mod_file(path: &'static str, file: ModFile) -> SetupFile {
    SetupFile {
        level: Level::User,
        base: BaseDir::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
        path,
        content: FileContent::Owned(OwnedFile::ClaudeCodeMod(file)),
    }
}
