//! VS Code's own agent mode (its Local harness), from its documentation. Its other harnesses are agents with tables of
//! their own, and read the files of those.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    CallerCheck, Capability, DEFAULTS, Detection, Evidence, Harness, InstructionFiles, Limits,
    McpToolNames, Platform, Probe, SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, Level, OwnedFile, ServerEntry, SetupFile};
use crate::{encode, machine_text};

pub(super) static PLATFORM: Platform = Platform {
    id: "vscode-copilot",
    name: "VS Code Copilot",
    aliases: &["vscode", "vs-code"],
    harnesses: &[
        Harness { name: "copilot", platform: "copilot-cli", is_default: true },
        Harness { name: "claude", platform: "claude-code", is_default: false },
        Harness { name: "codex", platform: "codex", is_default: false },
        Harness { name: "local", platform: "vscode-copilot", is_default: true },
    ],
    evidence: Evidence::Documentation,
    events: &[
        registered("SessionStart", Moment::SessionStart),
        registered("UserPromptSubmit", Moment::Prompt),
        registered("PreToolUse", Moment::BeforeTool),
        registered("PostToolUse", Moment::AfterTool),
        registered("PreCompact", Moment::BeforeCompact),
        registered("SubagentStop", Moment::SubagentStop),
        registered("Stop", Moment::Stop),
        recognized("SubagentStart", Moment::SubagentStart),
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
    mcp_tool_names: McpToolNames::Joined { prefix: "mcp_", separator: "_" },
    payload: &SNAKE_CASE,
    machine_text: &machine_text::VSCODE_COPILOT,
    start_reasons: START_REASONS,
    encode: encode::claude_code::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Ask,
        Capability::Rewrite,
        Capability::ContextBeforeTool,
        Capability::ContextAfterTool,
        Capability::ContextAtStart,
        Capability::SeeCompaction,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    limits: Limits { context_chars: None, context_tokens: None, result_chars: None },
    limitations: &[
        "A hook cannot replace a result: commands are rewritten instead.",
        "A hook cannot add context to a prompt.",
        "These limits are those of the Local harness, which the documentation calls the older one. Sessions of the \
         Copilot, Claude and Codex harnesses have the abilities of Copilot CLI, Claude Code and Codex; they were run \
         as programs of their own, not in VS Code.",
    ],
    probe: Some(&Probe {
        event: "SessionStart",
        payload: include_str!("../../tests/samples/vscode-copilot/01-SessionStart.json"),
    }),
    detection: Detection {
        binaries: &["code", "code-insiders"],
        folders: &[".vscode"],
        in_project: &[".vscode/mcp.json"],
    },
    // Its `timestamp` distinguishes it from Claude Code; Copilot CLI sets a variable.
    caller: CallerCheck {
        foreign_fields: &["sessionId", "cursor_version", "tool_result"],
        foreign_env: &["COPILOT_CLI", "CURSOR_VERSION"],
        own_env: &[],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::AppSupport,
            path: "Code/User/mcp.json",
            content: FileContent::McpServers { key: "servers", entry: ServerEntry::Stdio },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".copilot/hooks/forebay-vscode.json",
            content: FileContent::Owned(OwnedFile::VsCodeHooks),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".vscode/mcp.json",
            content: FileContent::McpServers { key: "servers", entry: ServerEntry::Stdio },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".github/hooks/forebay-vscode.json",
            content: FileContent::Owned(OwnedFile::VsCodeHooks),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    instructions: InstructionFiles {
        files: &["AGENTS.md", ".github/copilot-instructions.md"],
        folders: &[],
    },
    ..DEFAULTS
};
