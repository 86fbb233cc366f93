//! Kiro (its documentation).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    ANYBODY, Ability, Evidence, Installed, McpNames, NO_LIMITS, Platform, Replaces, SNAKE_CASE,
    START_WORDS, also, on,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile, WholeFile};

pub(super) static PLATFORM: Platform = Platform {
    id: "kiro",
    name: "Kiro",
    evidence: Evidence::Documentation,
    mcp_client: None,
    events: &[
        on("SessionStart", Moment::SessionStart),
        on("UserPromptSubmit", Moment::Prompt),
        on("PreToolUse", Moment::BeforeTool),
        on("PostToolUse", Moment::AfterTool),
        on("Stop", Moment::Stop),
        // The words of its agent files, up to version 2 of the CLI.
        also("agentSpawn", Moment::SessionStart),
        also("userPromptSubmit", Moment::Prompt),
        also("preToolUse", Moment::BeforeTool),
        also("postToolUse", Moment::AfterTool),
        also("stop", Moment::Stop),
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
    mcp_names: McpNames::Joined { prefix: "@", between: "/" },
    payload: &SNAKE_CASE,
    start_words: START_WORDS,
    reply: encode::exit_code::reply,
    can: &[
        Ability::Deny,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::Nothing,
    limits: NO_LIMITS,
    cannot: &[
        "A hook cannot ask, rewrite a command or replace a result: long output is kept out only when the \
         model uses Forebay's tools.",
        "Compaction is not told to hooks.",
        "It was not run: this rests on its documentation.",
    ],
    installed: Installed { binaries: &["kiro-cli", "kiro"], folders: &[".kiro"] },
    caller: ANYBODY,
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".kiro/settings/mcp.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".kiro/hooks/forebay.json",
            holds: Holds::Whole(WholeFile::KiroHooks),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".kiro/settings/mcp.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".kiro/hooks/forebay.json",
            holds: Holds::Whole(WholeFile::KiroHooks),
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
