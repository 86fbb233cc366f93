//! OpenCode (1.18.33, run): Forebay's own plugin there calls the binary.

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    ANYBODY, Ability, Evidence, Installed, Limits, McpNames, Payload, Platform, Replaces,
    SNAKE_CASE, START_WORDS, on,
};
use crate::setup::{Base, Holds, Level, ServerEntry, SetupFile, WholeFile};

static PAYLOAD: Payload = Payload {
    session: &[
        &["sessionID"],
        &["event", "properties", "sessionID"],
        &["event", "properties", "info", "id"],
    ],
    tool_id: &[&["callID"]],
    mcp_server: &[],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "opencode",
    name: "OpenCode",
    evidence: Evidence::Run,
    mcp_client: Some("opencode"),
    events: &[
        // The system prompt is the only place for context at the start, so the plugin asks there.
        on("experimental.chat.system.transform", Moment::SessionStart),
        on("chat.message", Moment::Prompt),
        on("tool.execute.before", Moment::BeforeTool),
        on("tool.execute.after", Moment::AfterTool),
        on("experimental.session.compacting", Moment::BeforeCompact),
        on("event:session.compacted", Moment::AfterCompact),
        on("event:session.idle", Moment::Stop),
    ],
    tools: &[
        ("bash", ToolKind::Shell),
        ("read", ToolKind::Read),
        ("edit", ToolKind::Edit),
        ("multiedit", ToolKind::Edit),
        ("patch", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("write", ToolKind::Write),
        ("grep", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("list", ToolKind::Search),
        ("webfetch", ToolKind::Fetch),
        ("websearch", ToolKind::WebSearch),
        ("task", ToolKind::Task),
        ("todowrite", ToolKind::Todo),
        ("skill", ToolKind::Skill),
    ],
    mcp_names: McpNames::Joined { prefix: "", between: "_" },
    payload: &PAYLOAD,
    start_words: START_WORDS,
    reply: encode::opencode::reply,
    can: &[
        Ability::Deny,
        Ability::Rewrite,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::ContextForCompaction,
        Ability::ReplaceOwn,
        Ability::ReplaceMcp,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::WithText,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: Some(50_000) },
    cannot: &[
        "A plugin cannot ask the user: a rule that says ask is left to OpenCode's own permissions.",
        "Context at the start stands in the system prompt, because nothing else is offered.",
    ],
    installed: Installed { binaries: &["opencode"], folders: &[".config/opencode", ".opencode"] },
    caller: ANYBODY,
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::XdgConfig,
            path: "opencode/opencode.json",
            holds: Holds::Servers { key: "mcp", entry: ServerEntry::OpenCode },
        },
        SetupFile {
            level: Level::User,
            base: Base::XdgConfig,
            path: "opencode/plugin/forebay.js",
            holds: Holds::Whole(WholeFile::OpenCodePlugin),
        },
        SetupFile {
            level: Level::User,
            base: Base::XdgConfig,
            path: "opencode/AGENTS.md",
            holds: Holds::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "opencode.json",
            holds: Holds::Servers { key: "mcp", entry: ServerEntry::OpenCode },
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".opencode/plugin/forebay.js",
            holds: Holds::Whole(WholeFile::OpenCodePlugin),
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
