//! Windsurf (its documentation): the event says which tool it is.

use forebay_domain::hook::{Moment, ToolKind};

use crate::encode;
use crate::platform::{
    ANYBODY, Ability, Evidence, Installed, McpNames, NO_LIMITS, Payload, Platform, Replaces,
    SNAKE_CASE, on,
};
use crate::setup::{Base, Holds, HookLayout, Level, ServerEntry, SetupFile};

static PAYLOAD: Payload = Payload {
    event: &[&["agent_action_name"]],
    session: &[&["trajectory_id"]],
    cwd: &[&["tool_info", "cwd"]],
    tool_name: &[&["agent_action_name"]],
    tool_input: &[&["tool_info"]],
    tool_id: &[&["execution_id"]],
    tool_result: &[&["tool_info", "mcp_result"], &["tool_info", "output"]],
    mcp_server: &[&["tool_info", "mcp_server_name"]],
    mcp_tool: &[&["tool_info", "mcp_tool_name"]],
    prompt: &[&["tool_info", "user_prompt"]],
    last_message: &[&["tool_info", "response"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "windsurf",
    name: "Windsurf",
    evidence: Evidence::Documentation,
    mcp_client: None,
    events: &[
        on("pre_user_prompt", Moment::Prompt),
        on("pre_run_command", Moment::BeforeTool).of(ToolKind::Shell),
        on("pre_read_code", Moment::BeforeTool).of(ToolKind::Read),
        on("pre_write_code", Moment::BeforeTool).of(ToolKind::Edit),
        on("pre_mcp_tool_use", Moment::BeforeTool).of(ToolKind::Mcp),
        on("post_run_command", Moment::AfterTool).of(ToolKind::Shell),
        on("post_read_code", Moment::AfterTool).of(ToolKind::Read),
        on("post_write_code", Moment::AfterTool).of(ToolKind::Edit),
        on("post_mcp_tool_use", Moment::AfterTool).of(ToolKind::Mcp),
        on("post_cascade_response", Moment::Stop),
    ],
    tools: &[],
    mcp_names: McpNames::Unknown,
    payload: &PAYLOAD,
    start_words: &[],
    reply: encode::exit_code::reply,
    can: &[Ability::Deny, Ability::SeePrompt],
    replaces: Replaces::Nothing,
    limits: NO_LIMITS,
    cannot: &[
        "A hook can deny and watch, nothing else: long output is kept out only when the model uses \
         Forebay's tools.",
        "No context can be added, so nothing is restored by itself.",
        "Neither starts nor compactions are told to hooks.",
        "It was not run: this rests on its documentation.",
    ],
    installed: Installed { binaries: &["windsurf"], folders: &[".codeium/windsurf"] },
    caller: ANYBODY,
    files: &[
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".codeium/windsurf/mcp_config.json",
            holds: Holds::Servers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: Base::Home,
            path: ".codeium/windsurf/hooks.json",
            holds: Holds::Hooks(HookLayout::Flat { version: false }),
        },
        SetupFile {
            level: Level::Project,
            base: Base::Project,
            path: ".windsurf/hooks.json",
            holds: Holds::Hooks(HookLayout::Flat { version: false }),
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
