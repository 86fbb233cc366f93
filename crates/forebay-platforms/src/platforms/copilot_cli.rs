//! GitHub Copilot CLI, tested with 1.0.102.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, InstructionFiles, Limits, McpToolNames,
    PayloadFields, Platform, Probe, Replacement, SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, Level, OwnedFile, ServerEntry, SetupFile};
use crate::{encode, machine_text, transcripts};

static PAYLOAD: PayloadFields = PayloadFields {
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
    aliases: &["github-copilot"],
    evidence: Evidence::Run,
    events: &[
        registered("sessionStart", Moment::SessionStart),
        registered("userPromptSubmitted", Moment::Prompt),
        registered("preToolUse", Moment::BeforeTool),
        registered("postToolUse", Moment::AfterTool),
        registered("postToolUseFailure", Moment::AfterTool).as_failure(),
        registered("preCompact", Moment::BeforeCompact),
        registered("subagentStop", Moment::SubagentStop),
        registered("agentStop", Moment::Stop),
        registered("sessionEnd", Moment::SessionEnd),
        recognized("subagentStart", Moment::SubagentStart),
        recognized("notification", Moment::Notification),
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
    mcp_tool_names: McpToolNames::Joined { prefix: "", separator: "-" },
    payload: &PAYLOAD,
    machine_text: &machine_text::COPILOT_CLI,
    start_reasons: START_REASONS,
    encode: encode::copilot_cli::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Ask,
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
    replacement: Replacement::SameShape,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: Some(20_000) },
    failing_test: Some("digest with its error"),
    limitations: &[
        "A hook that fails before a tool call denies it, so Forebay's hook always exits with code \
         0.",
        "The result of a failed tool call cannot be replaced; a hook can only add context to it.",
        "The MCP server's instructions reach the model only if you allow them.",
    ],
    credentials: &[".copilot/config.json", ".config/github-copilot"],
    probe: Some(&Probe {
        event: "userPromptSubmitted",
        payload: include_str!("../../tests/samples/copilot-cli/02-userPromptSubmitted.json"),
    }),
    detection: Detection {
        binaries: &["copilot"],
        folders: &[".copilot"],
        in_project: &[".github/hooks"],
    },
    // Its payloads have no event name; those of VS Code, which reads the same files, do.
    caller: CallerCheck {
        foreign_fields: &["hook_event_name", "session_id", "cursor_version"],
        foreign_env: &[],
        own_env: &["COPILOT_CLI"],
    },
    project_env: Some("CLAUDE_PROJECT_DIR"),
    saves_results_in_temp: true,
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::EnvOr("COPILOT_HOME", ".copilot"),
            path: "mcp-config.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Local },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::EnvOr("COPILOT_HOME", ".copilot"),
            path: "hooks/forebay.json",
            content: FileContent::Owned(OwnedFile::CopilotHooks),
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
            path: ".github/hooks/forebay.json",
            content: FileContent::Owned(OwnedFile::CopilotHooks),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    project_next_steps: Some("Project hooks run only in a folder that Copilot CLI trusts."),
    instructions: InstructionFiles {
        files: &["AGENTS.md", ".github/copilot-instructions.md"],
        folders: &[],
    },
    answers: Some(transcripts::parse_copilot_cli_line),
    ..DEFAULTS
};
