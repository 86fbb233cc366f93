//! Cline CLI (3.0.65, run): a hook is an executable named after its event.

use forebay_domain::hook::{Moment, StartReason, ToolKind};

use crate::encode;
use crate::platform::{
    ANYBODY, Ability, Evidence, Installed, Limits, McpNames, Payload, Platform, Replaces,
    SNAKE_CASE, Sign, Word, also, on,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile, WholeFile};

static PAYLOAD: Payload = Payload {
    // `hookName` speaks of other names than the files do; the file's name is what was registered.
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
    tool_failed: &[Sign { at: &["postToolUse", "success"], is: Word::Bool(false) }],
    mcp_server: &[],
    prompt: &[&["userPromptSubmit", "prompt"], &["prompt"]],
    start_word: &[&["hookName"]],
    last_message: &[&["turn", "outputText"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "cline",
    name: "Cline",
    evidence: Evidence::Run,
    mcp_client: Some("@cline/core"),
    events: &[
        on("TaskStart", Moment::SessionStart),
        on("TaskResume", Moment::SessionStart),
        on("UserPromptSubmit", Moment::Prompt),
        on("PreToolUse", Moment::BeforeTool),
        on("PostToolUse", Moment::AfterTool),
        on("PreCompact", Moment::BeforeCompact),
        on("TaskComplete", Moment::Stop),
        also("TaskCancel", Moment::Stop),
        also("SessionShutdown", Moment::SessionEnd),
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
    mcp_names: McpNames::Joined { prefix: "", between: "__" },
    payload: &PAYLOAD,
    start_words: &[("agent_start", StartReason::Startup), ("agent_resume", StartReason::Resume)],
    reply: encode::cline::reply,
    can: &[
        Ability::Deny,
        Ability::Rewrite,
        Ability::ContextBeforeTool,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::Nothing,
    limits: Limits { context_chars: Some(50_000), context_tokens: None, result_chars: None },
    cannot: &[
        "A denied tool call ends the whole run.",
        "A hook cannot ask the user, and cannot replace a result: commands are rewritten instead.",
        "Context at the start of a task is ignored, so the guide comes with the first tool call.",
        "Without a terminal, prompts are not told to hooks.",
    ],
    installed: Installed { binaries: &["cline"], folders: &[".cline"] },
    caller: ANYBODY,
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".cline/data/settings/cline_mcp_settings.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".cline/hooks/",
            holds: Holds::Whole(WholeFile::ClineScripts),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".clinerules/hooks/",
            holds: Holds::Whole(WholeFile::ClineScripts),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "AGENTS.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: None,
};
