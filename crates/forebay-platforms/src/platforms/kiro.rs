//! Kiro, from its documentation.

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, InstructionFiles, McpToolNames, Platform, Probe,
    SNAKE_CASE, START_REASONS, recognized, registered,
};
use crate::setup::{FileContent, Level, OwnedFile, ServerEntry, SetupFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "kiro",
    name: "Kiro",
    evidence: Evidence::Documentation,
    events: &[
        registered("SessionStart", Moment::SessionStart),
        registered("UserPromptSubmit", Moment::Prompt),
        registered("PreToolUse", Moment::BeforeTool),
        registered("PostToolUse", Moment::AfterTool),
        registered("Stop", Moment::Stop),
        // The event names in its agent files, up to version 2 of the CLI.
        recognized("agentSpawn", Moment::SessionStart),
        recognized("userPromptSubmit", Moment::Prompt),
        recognized("preToolUse", Moment::BeforeTool),
        recognized("postToolUse", Moment::AfterTool),
        recognized("stop", Moment::Stop),
    ],
    tools: &[
        ("execute_bash", ToolKind::Shell),
        ("execute_cmd", ToolKind::Shell),
        ("shell", ToolKind::Shell),
        ("fs_read", ToolKind::Read),
        ("read", ToolKind::Read),
        ("fs_write", ToolKind::Write),
        ("write", ToolKind::Write),
        ("grep", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("web_fetch", ToolKind::Fetch),
        ("web_search", ToolKind::WebSearch),
        ("todo_list", ToolKind::Todo),
    ],
    mcp_tool_names: McpToolNames::Joined { prefix: "@", separator: "/" },
    payload: &SNAKE_CASE,
    start_reasons: START_REASONS,
    encode: encode::exit_code::reply,
    capabilities: &[
        Capability::Deny,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    limitations: &[
        "A hook cannot ask the user, rewrite a command or replace a result: long output stays out of \
         the context only if the model uses Forebay's tools.",
        "Hooks are not called for compaction.",
        "Not tested in a run: based on its documentation.",
    ],
    probe: Some(&Probe {
        event: "PostToolUse",
        payload: include_str!("../../tests/samples/kiro/04-PostToolUse.json"),
    }),
    detection: Detection {
        binaries: &["kiro-cli", "kiro"],
        folders: &[".kiro"],
        in_project: &[".kiro"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".kiro/settings/mcp.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".kiro/hooks/forebay.json",
            content: FileContent::Owned(OwnedFile::KiroHooks),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".kiro/settings/mcp.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".kiro/hooks/forebay.json",
            content: FileContent::Owned(OwnedFile::KiroHooks),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    instructions: InstructionFiles { files: &["AGENTS.md"], folders: &[".kiro/steering"] },
    ..DEFAULTS
};
