//! Gemini CLI, tested with 0.61.0.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, InstructionFiles, Limits, McpToolNames,
    PayloadFields, Platform, Probe, Replacement, SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, HookLayout, Level, ServerEntry, SetupFile};
use crate::{encode, machine_text, permissions, transcripts};

static PAYLOAD: PayloadFields = PayloadFields {
    event_id: &[&["timestamp"]],
    mcp_server: &[&["mcp_context", "server_name"]],
    mcp_tool: &[&["mcp_context", "tool_name"]],
    last_message: &[&["prompt_response"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "gemini-cli",
    name: "Gemini CLI",
    evidence: Evidence::Run,
    events: &[
        registered("SessionStart", Moment::SessionStart),
        registered("BeforeAgent", Moment::Prompt),
        registered("BeforeTool", Moment::BeforeTool),
        registered("AfterTool", Moment::AfterTool),
        registered("AfterAgent", Moment::Stop),
        registered("SessionEnd", Moment::SessionEnd),
        // It fires before every model call, compaction or not.
        recognized("PreCompress", Moment::BeforeCompact),
        recognized("Notification", Moment::Notification),
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
    mcp_tool_names: McpToolNames::Joined { prefix: "mcp_", separator: "_" },
    payload: &PAYLOAD,
    machine_text: &machine_text::GEMINI_CLI,
    start_reasons: START_REASONS,
    encode: encode::gemini_cli::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Rewrite,
        Capability::ContextAfterTool,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::ReplaceOwn,
        Capability::ReplaceMcp,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    replacement: Replacement::AnyText,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: Some(40_000) },
    failing_test: Some("digest with its error"),
    limitations: &[
        "A hook cannot ask the user: ask rules are left to Gemini CLI's own approvals.",
        "Compaction looks like any other model call, so nothing is restored automatically after \
         it.",
        "A replaced result reaches the model under the key `error`.",
        "Context added before a tool call does not reach the model.",
    ],
    credentials: &[".gemini/oauth_creds.json"],
    probe: Some(&Probe {
        event: "BeforeAgent",
        payload: include_str!("../../tests/samples/gemini-cli/02-BeforeAgent.json"),
    }),
    detection: Detection {
        binaries: &["gemini"],
        folders: &[".gemini"],
        in_project: &[".gemini", "GEMINI.md"],
    },
    caller: CallerCheck {
        foreign_fields: &["cursor_version", "tool_call_id", "submitted_prompt", "sessionId"],
        foreign_env: &["QWEN_CODE_CLI"],
        own_env: &["GEMINI_SESSION_ID"],
    },
    session_env: &["GEMINI_SESSION_ID"],
    project_env: Some("CLAUDE_PROJECT_DIR"),
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".gemini/settings.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".gemini/settings.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: Some("*"),
                timeout: 10_000,
                windows: None,
            }),
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".gemini/GEMINI.md",
            content: FileContent::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".gemini/settings.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".gemini/settings.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: Some("*"),
                timeout: 10_000,
                windows: None,
            }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "GEMINI.md",
            content: FileContent::Instructions,
        },
    ],
    project_next_steps: Some("Project hooks run only in a folder that Gemini CLI trusts."),
    instructions: InstructionFiles { files: &["GEMINI.md"], folders: &[] },
    permissions: permissions::GEMINI_CLI,
    transcripts: Some(&transcripts::GEMINI_CLI),
    ..DEFAULTS
};
