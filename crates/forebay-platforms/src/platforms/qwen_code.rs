//! Qwen Code, tested with 0.24.4.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, FieldValue, InstructionFiles, Limits,
    McpToolNames, PayloadFields, Platform, Probe, Replacement, SNAKE_CASE, START_REASONS, Scalar,
    recognized, registered,
};
use crate::setup::{FileContent, HookLayout, Level, ServerEntry, SetupFile};
use crate::{encode, machine_text, permissions, transcripts};

static PAYLOAD: PayloadFields = PayloadFields {
    // The event fires again whenever a tool's result goes back to the model.
    prompt_requires: Some("submitted_prompt"),
    prompt: &[&["submitted_prompt"], &["prompt"]],
    // `tool_use_id` differs between the events of a call.
    tool_id: &[&["tool_call_id"], &["tool_use_id"]],
    error: &[&["tool_response", "error"], &["error"]],
    ..SNAKE_CASE
};

const HOME: BaseDir = BaseDir::EnvOr("QWEN_HOME", ".qwen");

/// The result of a call that ran and failed; a call that was denied, or whose result is replaced, has another status.
static FAILED: FieldValue =
    FieldValue { path: &["tool_response", "execution_status"], value: Scalar::Text("error") };

pub(super) static PLATFORM: Platform = Platform {
    id: "qwen-code",
    name: "Qwen Code",
    evidence: Evidence::Run,
    events: &[
        registered("SessionStart", Moment::SessionStart),
        registered("UserPromptSubmit", Moment::Prompt),
        registered("PreToolUse", Moment::BeforeTool),
        registered("PostToolUse", Moment::AfterTool),
        registered("PostToolUseFailure", Moment::AfterTool).as_failure(),
        registered("PostToolBatch", Moment::ToolResult)
            .as_failure()
            .about_last_of("tool_calls")
            .only_if(&FAILED),
        registered("PreCompact", Moment::BeforeCompact),
        registered("SubagentStop", Moment::SubagentStop),
        registered("Stop", Moment::Stop),
        registered("SessionEnd", Moment::SessionEnd),
        recognized("PostCompact", Moment::AfterCompact),
        recognized("SubagentStart", Moment::SubagentStart),
        recognized("Notification", Moment::Notification),
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
    mcp_tool_names: McpToolNames::Joined { prefix: "mcp__", separator: "__" },
    payload: &PAYLOAD,
    machine_text: &machine_text::QWEN_CODE,
    start_reasons: START_REASONS,
    encode: encode::qwen_code::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Ask,
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
    replacement: Replacement::AnyText,
    limits: Limits {
        context_chars: Some(10_000),
        context_tokens: None,
        result_chars: Some(20_000),
    },
    failing_test: Some("digest with its error"),
    limitations: &[
        "A replaced result is shown as a failed call; without a terminal, Qwen Code warns that the tool was not run.",
        "Of the calls that the model makes at once, a failed one is replaced only if it is the last; the others are stored.",
        "A hook cannot change a command, and context added before a tool call does not reach the model.",
        "Without a terminal, a call that a rule asks about is denied.",
    ],
    credentials: &[".qwen/oauth_creds.json"],
    probe: Some(&Probe {
        event: "UserPromptSubmit",
        payload: include_str!("../../tests/samples/qwen-code/03-UserPromptSubmit.json"),
    }),
    detection: Detection {
        binaries: &["qwen"],
        folders: &[".qwen"],
        in_project: &[".qwen", "QWEN.md"],
    },
    caller: CallerCheck {
        foreign_fields: &["cursor_version", "sessionId", "mcp_context"],
        foreign_env: &[],
        own_env: &["QWEN_CODE_CLI", "QWEN_CODE_SESSION_ID"],
    },
    session_env: &["QWEN_SESSION_ID"],
    project_env: Some("CLAUDE_PROJECT_DIR"),
    files: &[
        SetupFile {
            level: Level::User,
            base: HOME,
            path: "settings.json",
            content: FileContent::McpServers {
                key: "mcpServers",
                entry: ServerEntry::AlwaysLoadTools,
            },
        },
        SetupFile {
            level: Level::User,
            base: HOME,
            path: "settings.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: Some("*"),
                timeout: 10,
                windows: None,
            }),
        },
        SetupFile {
            level: Level::User,
            base: HOME,
            path: "QWEN.md",
            content: FileContent::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".qwen/settings.json",
            content: FileContent::McpServers {
                key: "mcpServers",
                entry: ServerEntry::AlwaysLoadTools,
            },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".qwen/settings.json",
            content: FileContent::Hooks(HookLayout::Grouped {
                matcher: Some("*"),
                timeout: 10,
                windows: None,
            }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "QWEN.md",
            content: FileContent::Instructions,
        },
    ],
    project_next_steps: Some("Project hooks run only in a folder that Qwen Code trusts."),
    instructions: InstructionFiles { files: &["QWEN.md"], folders: &[] },
    permissions: permissions::QWEN_CODE,
    transcripts: Some(&transcripts::QWEN_CODE),
    ..DEFAULTS
};
