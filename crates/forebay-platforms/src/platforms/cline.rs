//! Cline CLI, tested with 3.0.65.
//!
//! A script named after its event enforces the rules before a tool call. Cline ignores what the other scripts print, so
//! a plugin handles all other events; it sends them under the names of the scripts.

use forebay_domain::hook::{Moment, StartReason, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, FieldValue, InstructionFiles, Limits, McpToolNames,
    PayloadFields, Platform, Probe, Replacement, SNAKE_CASE, Scalar, registered,
};
use crate::setup::{FileContent, Level, OwnedFile, ServerEntry, SetupFile};
use crate::{encode, machine_text};

static PAYLOAD: PayloadFields = PayloadFields {
    // `hookName` differs from the name of the file, which is the registered event.
    event: &[],
    session: &[&["sessionContext", "rootSessionId"], &["taskId"]],
    cwd: &[&["workspaceInfo", "rootPath"], &["workspaceRoots"]],
    transcript: &[],
    subagent: &[&["subagentId"]],
    permission_mode: &[],
    tool_name: &[
        &["tool_call", "name"],
        &["tool_result", "name"],
        &["preToolUse", "toolName"],
        &["postToolUse", "toolName"],
    ],
    tool_input: &[
        &["tool_call", "input"],
        &["tool_result", "input"],
        &["preToolUse", "parameters"],
        &["postToolUse", "parameters"],
    ],
    tool_id: &[&["tool_call", "id"], &["tool_result", "id"]],
    tool_result: &[&["tool_result", "output"], &["postToolUse", "result"]],
    failure_markers: &[FieldValue {
        path: &["postToolUse", "success"],
        value: Scalar::Bool(false),
    }],
    mcp_server: &[],
    prompt: &[&["userPromptSubmit", "prompt"], &["prompt"]],
    start_reason: &[&["hookName"]],
    last_message: &[&["turn", "outputText"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "cline",
    name: "Cline",
    evidence: Evidence::Run,
    events: &[
        registered("TaskStart", Moment::SessionStart),
        registered("TaskResume", Moment::SessionStart),
        registered("UserPromptSubmit", Moment::Prompt),
        registered("PreToolUse", Moment::BeforeTool),
        registered("PostToolUse", Moment::AfterTool),
        registered("TaskComplete", Moment::Stop),
    ],
    tools: &[
        ("run_commands", ToolKind::Shell),
        ("execute_command", ToolKind::Shell),
        ("read_files", ToolKind::Read),
        ("read_file", ToolKind::Read),
        ("editor", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("replace_in_file", ToolKind::Edit),
        ("write_to_file", ToolKind::Write),
        ("search_codebase", ToolKind::Search),
        ("search_files", ToolKind::Search),
        ("list_files", ToolKind::Search),
        ("fetch_web_content", ToolKind::Fetch),
        ("web_fetch", ToolKind::Fetch),
        ("skills", ToolKind::Skill),
        ("spawn_agent", ToolKind::Task),
    ],
    mcp_tool_names: McpToolNames::Joined { prefix: "", separator: "__" },
    payload: &PAYLOAD,
    machine_text: &machine_text::CLINE,
    start_reasons: &[("agent_start", StartReason::Startup), ("agent_resume", StartReason::Resume)],
    encode: encode::cline::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Rewrite,
        Capability::ContextBeforeTool,
        Capability::ContextAfterTool,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::ReplaceOwn,
        Capability::ReplaceMcp,
        Capability::ReplaceFailed,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    replacement: Replacement::AnyText,
    limits: Limits { context_chars: Some(50_000), context_tokens: None, result_chars: Some(8_000) },
    failing_test: Some("digest with its error"),
    limitations: &[
        "A denied command is replaced by one that prints the reason; any other denied call ends the whole run.",
        "A hook cannot ask the user.",
        "Cline cuts output above 48,000 characters before a hook sees it; commands are rewritten where that is safe.",
        "Where Cline fails to load the plugin in 4 seconds, only rules and rewritten commands work.",
        "Compaction is not announced, so nothing is restored automatically after it.",
    ],
    probe: Some(&Probe {
        event: "UserPromptSubmit",
        payload: include_str!("../../tests/samples/cline/09-UserPromptSubmit.json"),
    }),
    detection: Detection {
        binaries: &["cline"],
        folders: &[".cline"],
        in_project: &[".clinerules", ".cline"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".cline/data/settings/cline_mcp_settings.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".cline/hooks/PreToolUse",
            content: FileContent::Owned(OwnedFile::ClineScript { event: "PreToolUse" }),
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".cline/plugins/forebay.js",
            content: FileContent::Owned(OwnedFile::ClinePlugin),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".clinerules/hooks/PreToolUse",
            content: FileContent::Owned(OwnedFile::ClineScript { event: "PreToolUse" }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".cline/plugins/forebay.js",
            content: FileContent::Owned(OwnedFile::ClinePlugin),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    plugin_diagnosis: Some(
        "Cline gives a plugin 4 seconds to load; `CLINE_PLUGIN_IMPORT_TIMEOUT_MS=15000` gives it more",
    ),
    cuts_output_before_hooks: true,
    instructions: InstructionFiles {
        files: &["AGENTS.md"],
        folders: &[".clinerules", ".cline/rules"],
    },
    ..DEFAULTS
};
