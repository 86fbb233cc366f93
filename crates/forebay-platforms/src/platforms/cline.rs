//! Cline CLI, tested with 3.0.65. A hook is an executable named after its event.

use forebay_domain::hook::{Moment, StartReason, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, FieldValue, InstructionFiles, Limits, McpToolNames,
    PayloadFields, Platform, SNAKE_CASE, Scalar, recognized, registered,
};
use crate::setup::{FileContent, Level, OwnedFile, ServerEntry, SetupFile};
use crate::{encode, machine_text};

static PAYLOAD: PayloadFields = PayloadFields {
    // `hookName` differs from the name of the file, which is the registered event.
    event: &[],
    session: &[&["sessionContext", "rootSessionId"], &["taskId"]],
    cwd: &[&["workspaceInfo", "rootPath"], &["workspaceRoots"]],
    transcript: &[],
    subagent: &[],
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
        registered("PreCompact", Moment::BeforeCompact),
        registered("TaskComplete", Moment::Stop),
        recognized("TaskCancel", Moment::Stop),
        recognized("SessionShutdown", Moment::SessionEnd),
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
        Capability::SeeCompaction,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    limits: Limits { context_chars: Some(50_000), context_tokens: None, result_chars: None },
    limitations: &[
        "A denied tool call ends the whole run.",
        "A hook cannot ask the user, and cannot replace a result: commands are rewritten instead.",
        "Context added at the start of a task is ignored, so the guide comes with the first tool \
         call.",
        "Without a terminal, hooks are not called for prompts.",
    ],
    detection: Detection {
        binaries: &["cline"],
        folders: &[".cline"],
        in_project: &[".clinerules"],
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
            path: ".cline/hooks/",
            content: FileContent::Owned(OwnedFile::ClineScripts),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".clinerules/hooks/",
            content: FileContent::Owned(OwnedFile::ClineScripts),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    instructions: InstructionFiles { files: &["AGENTS.md"], folders: &[".clinerules"] },
    ..DEFAULTS
};
