//! OpenCode, tested with 1.18.33. Forebay's own plugin there calls the binary, from OpenCode 2 with the same events.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, Limits, McpToolNames, PayloadFields, Platform,
    Probe, Replacement, SNAKE_CASE, START_REASONS, registered,
};
use crate::setup::{FileContent, Level, OwnedFile, ServerEntry, SetupFile};
use crate::{encode, machine_text, permissions, transcripts};

static PAYLOAD: PayloadFields = PayloadFields {
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
    aliases: &["open-code"],
    evidence: Evidence::Run,
    events: &[
        // Only the system prompt takes context at session start, so its hook counts as the start.
        registered("experimental.chat.system.transform", Moment::SessionStart),
        registered("chat.message", Moment::Prompt),
        registered("tool.execute.before", Moment::BeforeTool),
        registered("tool.execute.after", Moment::AfterTool),
        registered("experimental.session.compacting", Moment::BeforeCompact),
        registered("event:session.compacted", Moment::AfterCompact),
        registered("event:session.idle", Moment::Stop),
    ],
    tools: &[
        ("bash", ToolKind::Shell),
        // Since version 2.
        ("shell", ToolKind::Shell),
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
        ("subagent", ToolKind::Task),
        ("todowrite", ToolKind::Todo),
        ("skill", ToolKind::Skill),
    ],
    mcp_tool_names: McpToolNames::Joined { prefix: "", separator: "_" },
    payload: &PAYLOAD,
    machine_text: &machine_text::OPENCODE,
    start_reasons: START_REASONS,
    encode: encode::opencode::reply,
    capabilities: &[
        Capability::Deny,
        Capability::Rewrite,
        Capability::ContextAfterTool,
        Capability::ContextAtPrompt,
        Capability::ContextAtStart,
        Capability::ContextForCompaction,
        Capability::ReplaceOwn,
        Capability::ReplaceMcp,
        Capability::SeeCompaction,
        Capability::SeeStart,
        Capability::SeePrompt,
    ],
    replacement: Replacement::AnyText,
    limits: Limits { context_chars: None, context_tokens: None, result_chars: Some(50_000) },
    failing_test: Some("digest with its error in one of three runs"),
    limitations: &[
        "OpenCode 2: the plugin follows its published types and was not run there; results that failed are not replaced.",
        "A plugin cannot ask the user: ask rules are left to OpenCode's own permissions.",
        "Context at session start goes into the system prompt: OpenCode offers no other place.",
    ],
    credentials: &[".local/share/opencode/auth.json"],
    probe: Some(&Probe {
        event: "chat.message",
        payload: include_str!("../../tests/samples/opencode/02-chat.message.json"),
    }),
    detection: Detection {
        binaries: &["opencode"],
        folders: &[".config/opencode", ".opencode"],
        in_project: &[".opencode", "opencode.json"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::XdgConfig,
            path: "opencode/opencode.json",
            content: FileContent::McpServers { key: "mcp", entry: ServerEntry::OpenCode },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::XdgConfig,
            path: "opencode/plugin/forebay.js",
            content: FileContent::Owned(OwnedFile::OpenCodePlugin),
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::XdgConfig,
            path: "opencode/AGENTS.md",
            content: FileContent::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "opencode.json",
            content: FileContent::McpServers { key: "mcp", entry: ServerEntry::OpenCode },
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".opencode/plugin/forebay.js",
            content: FileContent::Owned(OwnedFile::OpenCodePlugin),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    permissions: permissions::OPENCODE,
    transcripts: Some(&transcripts::OPENCODE),
    ..DEFAULTS
};
