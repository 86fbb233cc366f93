//! VS Code's own agent mode (its documentation); its Copilot harness is Copilot CLI's.

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Platform, Replaces, SNAKE_CASE,
    START_WORDS, also, on,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile, WholeFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "vscode-copilot",
    name: "VS Code Copilot",
    evidence: Evidence::Documentation,
    mcp_client: Some("Visual Studio Code"),
    events: &[
        on("SessionStart", Moment::SessionStart),
        on("UserPromptSubmit", Moment::Prompt),
        on("PreToolUse", Moment::BeforeTool),
        on("PostToolUse", Moment::AfterTool),
        on("PreCompact", Moment::BeforeCompact),
        on("SubagentStop", Moment::SubagentStop),
        on("Stop", Moment::Stop),
        also("SubagentStart", Moment::SubagentStart),
    ],
    tools: &[
        ("runTerminalCommand", ToolKind::Shell),
        ("run_in_terminal", ToolKind::Shell),
        ("readFile", ToolKind::Read),
        ("read_file", ToolKind::Read),
        ("editFiles", ToolKind::Edit),
        ("replace_string_in_file", ToolKind::Edit),
        ("insert_edit_into_file", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("createFile", ToolKind::Write),
        ("create_file", ToolKind::Write),
        ("grep_search", ToolKind::Search),
        ("file_search", ToolKind::Search),
        ("semantic_search", ToolKind::Search),
        ("list_dir", ToolKind::Search),
        ("fetch_webpage", ToolKind::Fetch),
        ("runSubagent", ToolKind::Task),
        ("manage_todo_list", ToolKind::Todo),
    ],
    mcp_names: McpNames::Joined { prefix: "mcp_", between: "_" },
    payload: &SNAKE_CASE,
    start_words: START_WORDS,
    reply: encode::claude::reply,
    can: &[
        Ability::Deny,
        Ability::Ask,
        Ability::Rewrite,
        Ability::ContextBeforeTool,
        Ability::ContextAfterTool,
        Ability::ContextAtStart,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::Nothing,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: None },
    cannot: &[
        "A hook cannot replace a result: commands are rewritten instead.",
        "Nothing can be added to a prompt.",
        "It was not run: this rests on its documentation, which calls this mode the older one.",
    ],
    installed: Installed { binaries: &["code", "code-insiders"], folders: &[".vscode"] },
    // It sends a `timestamp`, which tells it from Claude Code; Copilot CLI names itself.
    caller: Caller {
        foreign_fields: &["sessionId", "cursor_version", "tool_result"],
        foreign_env: &["COPILOT_CLI", "CURSOR_VERSION"],
        own_env: &[],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::AppSupport,
            path: "Code/User/mcp.json",
            holds: Holds::Servers { key: "servers", entry: ServerEntry::Stdio },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".copilot/hooks/forebay-vscode.json",
            holds: Holds::Whole(WholeFile::VsCodeHooks),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".vscode/mcp.json",
            holds: Holds::Servers { key: "servers", entry: ServerEntry::Stdio },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".github/hooks/forebay-vscode.json",
            holds: Holds::Whole(WholeFile::VsCodeHooks),
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
