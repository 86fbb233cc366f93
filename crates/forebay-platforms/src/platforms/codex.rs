//! Codex CLI, tested with 0.166.0.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, InstructionFiles, Limits, McpToolNames,
    Platform, Probe, Replacement, SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, HookLayout, Level, SetupFile};
use crate::{encode, machine_text, permissions, transcripts};

const CODEX_HOME: BaseDir = BaseDir::EnvOr("CODEX_HOME", ".codex");

pub(super) static PLATFORM: Platform = Platform {
    id: "codex",
    name: "Codex CLI",
    evidence: Evidence::Run,
    events: &[
        registered("SessionStart", Moment::SessionStart),
        registered("UserPromptSubmit", Moment::Prompt),
        registered("PreToolUse", Moment::BeforeTool),
        registered("PostToolUse", Moment::AfterTool),
        registered("PreCompact", Moment::BeforeCompact),
        registered("SubagentStop", Moment::SubagentStop),
        registered("Stop", Moment::Stop),
        recognized("PostCompact", Moment::AfterCompact),
        recognized("SubagentStart", Moment::SubagentStart),
        // Codex gives the hook one second, and Forebay does not need it.
        recognized("SessionEnd", Moment::SessionEnd),
    ],
    tools: &[
        ("Bash", ToolKind::Shell),
        ("apply_patch", ToolKind::Edit),
        ("spawn_agent", ToolKind::Task),
        ("update_plan", ToolKind::Todo),
        ("web_search", ToolKind::WebSearch),
    ],
    mcp_tool_names: McpToolNames::Joined { prefix: "mcp__", separator: "__" },
    payload: &SNAKE_CASE,
    machine_text: &machine_text::CODEX,
    start_reasons: START_REASONS,
    encode: encode::codex::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Rewrite,
        Capability::ContextBeforeTool,
        Capability::ContextAfterTool,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::ReplaceOwn,
        Capability::ReplaceMcp,
        Capability::SeeCompaction,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    replacement: Replacement::AnyText,
    limits: Limits { context_chars: None, context_tokens: Some(2_500), result_chars: Some(40_000) },
    failing_test: Some("digest with its error"),
    limitations: &[
        "Hooks run only after you trust them with /hooks; until then Codex skips them silently.",
        "A hook cannot ask the user: ask rules are left to Codex's own approvals.",
        "A rewritten command is accepted only together with its approval.",
        "A replaced result loses its error flag: Codex shows only the text.",
    ],
    credentials: &[".codex/auth.json"],
    probe: Some(&Probe {
        event: "UserPromptSubmit",
        payload: include_str!("../../tests/samples/codex/02-UserPromptSubmit.json"),
    }),
    detection: Detection { binaries: &["codex"], folders: &[".codex"], in_project: &[".codex"] },
    caller: CallerCheck {
        foreign_fields: &["timestamp", "cursor_version", "sessionId"],
        foreign_env: &[],
        own_env: &["CODEX_HOME", "CODEX_MANAGED_BY_NPM"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: CODEX_HOME,
            path: "config.toml",
            content: FileContent::TomlMcpServers,
        },
        SetupFile {
            level: Level::User,
            base: CODEX_HOME,
            path: "hooks.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: None,
                timeout: 10,
                windows: Some("commandWindows"),
            }),
        },
        SetupFile {
            level: Level::User,
            base: CODEX_HOME,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".codex/config.toml",
            content: FileContent::TomlMcpServers,
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".codex/hooks.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: None,
                timeout: 10,
                windows: Some("commandWindows"),
            }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    next_steps: Some(
        "Codex runs a hook only after you trust it: start `codex`, type /hooks, review the Forebay \
         entries and trust them. A changed hook must be trusted again. Forebay does not mark its \
         hooks as trusted: that is your decision.",
    ),
    instructions: InstructionFiles { files: &["AGENTS.md", "AGENTS.override.md"], folders: &[] },
    permissions: permissions::CODEX,
    transcripts: Some(&transcripts::CODEX),
    ..DEFAULTS
};
