//! Codex CLI (0.166.0, run).

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    Ability, Caller, Evidence, Installed, Limits, McpNames, Platform, Replaces, SNAKE_CASE,
    START_WORDS, also, on,
};
use crate::setup::{Base, Holds, HookLayout, Level, SetupFile};

const CODEX_HOME: Base = Base::EnvOr("CODEX_HOME", ".codex");

pub(super) static PLATFORM: Platform = Platform {
    id: "codex",
    name: "Codex CLI",
    evidence: Evidence::Run,
    mcp_client: Some("codex-mcp-client"),
    events: &[
        on("SessionStart", Moment::SessionStart),
        on("UserPromptSubmit", Moment::Prompt),
        on("PreToolUse", Moment::BeforeTool),
        on("PostToolUse", Moment::AfterTool),
        on("PreCompact", Moment::BeforeCompact),
        on("SubagentStop", Moment::SubagentStop),
        on("Stop", Moment::Stop),
        also("PostCompact", Moment::AfterCompact),
        also("SubagentStart", Moment::SubagentStart),
        // Codex gives it a second; nothing of ours waits for the end.
        also("SessionEnd", Moment::SessionEnd),
    ],
    tools: &[
        ("Bash", ToolKind::Shell),
        ("apply_patch", ToolKind::Edit),
        ("spawn_agent", ToolKind::Task),
        ("update_plan", ToolKind::Todo),
        ("web_search", ToolKind::WebSearch),
    ],
    mcp_names: McpNames::Joined { prefix: "mcp__", between: "__" },
    payload: &SNAKE_CASE,
    start_words: START_WORDS,
    reply: encode::codex::reply,
    can: &[
        Ability::Deny,
        Ability::Rewrite,
        Ability::ContextBeforeTool,
        Ability::ContextAfterTool,
        Ability::ContextAtPrompt,
        Ability::ContextAtStart,
        Ability::ReplaceOwn,
        Ability::ReplaceMcp,
        Ability::SeeCompaction,
        Ability::SeeStart,
        Ability::SeePrompt,
    ],
    replaces: Replaces::WithText,
    limits: Limits { context_chars: None, context_tokens: Some(2_500), result_chars: Some(40_000) },
    cannot: &[
        "Hooks run only after a person trusted them with /hooks; until then they are skipped without a word.",
        "A hook cannot ask the user: a rule that says ask is left to Codex's own approvals.",
        "Another command is taken only together with an approval of it.",
        "A replaced result loses its error flag: Codex shows the text alone.",
    ],
    installed: Installed { binaries: &["codex"], folders: &[".codex"] },
    caller: Caller {
        foreign_fields: &["timestamp", "cursor_version", "sessionId"],
        foreign_env: &[],
        own_env: &["CODEX_HOME", "CODEX_MANAGED_BY_NPM"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: CODEX_HOME,
            path: "config.toml",
            holds: Holds::TomlServers,
        },
        SetupFile {
            level: Level::User,
            base: CODEX_HOME,
            path: "hooks.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: None, timeout: 10 }),
        },
        SetupFile {
            level: Level::User,
            base: CODEX_HOME,
            path: "AGENTS.md",
            holds: Holds::Instructions,
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".codex/config.toml",
            holds: Holds::TomlServers,
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".codex/hooks.json",
            holds: Holds::Hooks(HookLayout::Grouped { matcher: None, timeout: 10 }),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: "AGENTS.md",
            holds: Holds::Instructions,
        },
    ],
    afterwards: Some(
        "Codex runs a hook only after you trusted it: start `codex`, type /hooks, look at the Forebay \
         entries and trust them. A changed hook has to be trusted again. Forebay does not write the \
         trust itself: it is your word, not ours.",
    ),
};
